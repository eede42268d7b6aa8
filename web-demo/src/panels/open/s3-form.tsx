import { useState } from 'preact/hooks';
import type { S3Keys, S3Settings, Source } from '../../worker/protocol.ts';
import { addressOf, SecretField, TextField, textOf } from './fields.tsx';

/** A table in S3, or in what speaks like it, with keys or without. */
export function S3Form({ onOpen }: { onOpen: (source: Source) => void }) {
  const [problem, setProblem] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const url = textOf(form, 'table') ?? '';
    const keys = keysOf(form);
    if (!/^s3[an]?:\/\/[^/]+/i.test(url)) return setProblem('The table is written s3://bucket/path.');
    if (keys === 'incomplete') return setProblem('Access key and secret key go together.');
    onOpen({ kind: 's3', url, ...settingsOf(form), ...(keys && { keys }) });
  };
  return (
    <form class="fields" onSubmit={submit}>
      <TextField label="Table in S3" name="table" placeholder="s3://bucket/path/to/table" required />
      <div class="pair">
        <TextField label="Region" name="region" placeholder="us-east-1" />
        <TextField label="Endpoint" name="endpoint" placeholder="https://s3.example.com" hint="not for AWS" />
      </div>
      <KeyFields />
      <div class="field">
        <label for="addressing">Addressing</label>
        <select id="addressing" name="style">
          <option value="">path style with an endpoint, host style without</option>
          <option value="path">path style: endpoint/bucket/key</option>
          <option value="host">host style: bucket.endpoint/key</option>
        </select>
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <div class="row">
        <button type="submit" class="primary">
          Open from S3
        </button>
      </div>
      <p class="hint">
        Keys stay in this tab's memory: not in the link, not in any storage. A reload asks again.
      </p>
    </form>
  );
}

/** Access key, secret key and session token. */
export function KeyFields({ required = false }: { required?: boolean }) {
  return (
    <>
      <div class="pair">
        <SecretField label="Access key ID" name="accessKeyId" required={required} />
        <SecretField label="Secret access key" name="secretAccessKey" required={required} />
      </div>
      <SecretField label="Session token" name="sessionToken" hint="with temporary keys only" />
    </>
  );
}

/** Undefined for none: the bucket is then public. */
export function keysOf(form: FormData): S3Keys | undefined | 'incomplete' {
  const [accessKeyId, secretAccessKey] = [textOf(form, 'accessKeyId'), textOf(form, 'secretAccessKey')];
  const sessionToken = textOf(form, 'sessionToken');
  if (accessKeyId === undefined && secretAccessKey === undefined && sessionToken === undefined)
    return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) return 'incomplete';
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

export function settingsOf(form: FormData): S3Settings {
  const [region, endpoint, style] = [
    textOf(form, 'region'),
    addressOf(form, 'endpoint'),
    textOf(form, 'style'),
  ];
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(style === 'path' || style === 'host' ? { style } : {}),
  };
}
