import type { NewPlace } from '../../worker/protocol-write.ts';
import { SecretField, TextField, textOf } from '../open/fields.tsx';
import { KeyFields, keysOf, settingsOf } from '../open/s3-form.tsx';

export const PLACES = [
  ['opfs', 'This browser'],
  ['catalog', "This browser's catalog"],
  ['s3', 'S3'],
  ['unity', 'Unity Catalog'],
] as const;
export type PlaceKind = (typeof PLACES)[number][0];

/** Where the new table goes, by kind. */
export function PlaceFields({ kind }: { kind: PlaceKind }) {
  switch (kind) {
    case 'opfs':
      return (
        <TextField
          label="Folder"
          name="path"
          placeholder="my-table"
          required
          hint="in this browser's own storage; no other site or program sees it"
        />
      );
    case 'catalog':
      return (
        <TextField
          label="Name"
          name="catalogTable"
          placeholder="my_table"
          required
          hint="commits go through a catalog in this browser's own storage, and are published from there"
        />
      );
    case 's3':
      return (
        <>
          <TextField label="Folder in S3" name="table" placeholder="s3://bucket/path/to/table" required />
          <StoreFields />
          <KeyFields required />
        </>
      );
    case 'unity':
      return (
        <>
          <TextField label="Server" name="server" placeholder="https://catalog.example.com" required />
          <SecretField label="Token" name="token" hint="stays in this tab's memory" />
          <TextField
            label="Name"
            name="name"
            placeholder="catalog.schema.table"
            required
            hint="the catalog sets a folder aside for it as soon as the commit is prepared"
          />
          <StoreFields />
        </>
      );
  }
}

function StoreFields() {
  return (
    <div class="pair">
      <TextField label="Region" name="region" placeholder="us-east-1" />
      <TextField label="Endpoint" name="endpoint" placeholder="https://s3.example.com" hint="not for AWS" />
    </div>
  );
}

/** The place, or why there is none. */
export function placeOfForm(kind: PlaceKind, form: FormData): NewPlace | string {
  const text = (name: string) => textOf(form, name) ?? '';
  switch (kind) {
    case 'opfs': {
      const path = text('path').replace(/^\/+|\/+$/g, '');
      return /(^|\/)\.{0,2}(\/|$)/.test(path)
        ? 'The folder needs a name, without dots alone.'
        : { kind, path };
    }
    case 'catalog':
      return { kind, table: text('catalogTable') };
    case 's3': {
      const [url, keys] = [text('table'), keysOf(form)];
      if (!/^s3[an]?:\/\/[^/]+\/./i.test(url)) return 'The folder is written s3://bucket/path.';
      if (keys === undefined || keys === 'incomplete')
        return 'Access key and secret key are needed to write.';
      return { kind, url, keys, ...settingsOf(form) };
    }
    case 'unity': {
      const token = textOf(form, 'token');
      const server = { server: text('server'), table: text('name'), ...settingsOf(form) };
      return { kind, ...server, ...(token !== undefined && { token }) };
    }
  }
}
