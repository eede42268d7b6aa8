/** What the changes tab keeps in the page's link: versions, and kinds where not all are shown. */
import { CHANGE_TYPES, type ChangeType } from '../../worker/protocol-changes.ts';

export interface ChangesDetail {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly types: readonly ChangeType[];
}

const VERSIONS = /^versions=(\d{1,15})\.\.(\d{1,15})(?:&types=([a-z_,]*))?$/;

export function readChangesDetail(detail: string): ChangesDetail {
  const [, start, end, types] = VERSIONS.exec(detail) ?? [];
  if (start === undefined || end === undefined) return { types: CHANGE_TYPES };
  const named = types?.split(',');
  return {
    start: Number(start),
    end: Number(end),
    types: named === undefined ? CHANGE_TYPES : CHANGE_TYPES.filter((type) => named.includes(type)),
  };
}

export function changesDetail({ start, end, types }: ChangesDetail): string {
  const kinds = types.length === CHANGE_TYPES.length ? '' : `&types=${types.join(',')}`;
  return `versions=${start}..${end}${kinds}`;
}
