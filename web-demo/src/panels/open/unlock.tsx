import { useState } from 'preact/hooks';
import { placeOf } from '../../places.ts';
import type { Source } from '../../worker/protocol.ts';
import { SecretField, textOf } from './fields.tsx';
import { KeyFields, keysOf } from './s3-form.tsx';

interface UnlockProps {
  source: Extract<Source, { isLocked?: boolean }>;
  onOpen: (source: Source) => void;
}

/** Asks again for what a reload has forgotten, or what a link does not hold. */
export function Unlock({ source, onOpen }: UnlockProps) {
  const [problem, setProblem] = useState<string>();
  const isS3 = source.kind === 's3';
  const { url, table, catalog, endpoint } = placeOf(source);
  const host = catalog ?? endpoint;
  const what = isS3 ? 'keys' : 'a token';
  const { isLocked: _, ...open } = source;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    if (open.kind === 'unity') return onOpen({ ...open, token: textOf(form, 'token') ?? '' });
    const keys = keysOf(form);
    if (keys === undefined || keys === 'incomplete')
      return setProblem('Access key and secret key go together.');
    return onOpen({ ...open, keys });
  };
  return (
    <section class="unlock" aria-labelledby="unlock">
      <h2 id="unlock">This table was opened with {what}</h2>
      <p>
        Links do not hold {isS3 ? 'them' : 'it'}, and a reload forgets {isS3 ? 'them' : 'it'}:{' '}
        {isS3 ? 'they are' : 'it is'} kept in a tab's memory only. Enter {isS3 ? 'them' : 'it'} again for{' '}
        <code>{table ?? url}</code>.
      </p>
      {host !== undefined && (
        // A link may come from anybody.
        <p>
          The requests go to <code>{host}</code>: enter {isS3 ? 'them' : 'it'} only if you know it.
        </p>
      )}
      <form class="fields" onSubmit={submit}>
        {isS3 ? <KeyFields required /> : <SecretField label="Token" name="token" required />}
        {problem !== undefined && <p role="alert">{problem}</p>}
        <div class="row">
          <button type="submit" class="primary">
            Go on
          </button>
          <button type="button" onClick={() => onOpen(open)}>
            Try without
          </button>
        </div>
      </form>
    </section>
  );
}
