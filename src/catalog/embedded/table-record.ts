/** The record of a table: the newest version, and the commits that are not published yet. */
import { stringify } from 'lossless-json';
import { DeltaError } from '../../errors.ts';
import { asSafeInteger, asString, isObject, parseJsonObject } from '../../kernel/log/json.ts';
import type { CatalogTableState, RatifiedCommit } from '../staged-commit.ts';

export interface TableRecord extends CatalogTableState {
  readonly tableId: string;
  /** URL of the table's folder, ending in `/`. */
  readonly location: string;
}

export function recordText({ tableId, location, latestVersion, commits }: TableRecord): string {
  return stringify({ tableId, location, latestVersion, unpublished: commits }) ?? '';
}

/** Throws `CatalogError` where the text is no such record. */
export function parseRecord(key: string, text: string): TableRecord {
  const record = parseJsonObject(text);
  const latestVersion = asSafeInteger(record?.latestVersion);
  const [tableId, location] = [asString(record?.tableId), asString(record?.location)];
  const list: readonly unknown[] = Array.isArray(record?.unpublished) ? record.unpublished : [];
  const commits = list.map(commitOf);
  const isRun = commits.every((commit, index) => {
    return commit !== undefined && commit.version === latestVersion! - commits.length + 1 + index;
  });
  if (latestVersion !== undefined && tableId !== undefined && location !== undefined && isRun) {
    return { tableId, location, latestVersion, commits: commits as RatifiedCommit[] };
  }
  throw new DeltaError('CatalogError', `the record ${key} of the catalog is damaged`, { path: key });
}

function commitOf(value: unknown): RatifiedCommit | undefined {
  if (!isObject(value)) return undefined;
  const fileName = asString(value.fileName);
  const [version, timestamp] = [asSafeInteger(value.version), asSafeInteger(value.timestamp)];
  const fileSize = asSafeInteger(value.fileSize);
  const fileModificationTimestamp = asSafeInteger(value.fileModificationTimestamp);
  if (fileName === undefined || version === undefined || timestamp === undefined) return undefined;
  if (fileSize === undefined || fileModificationTimestamp === undefined) return undefined;
  return { version, fileName, timestamp, fileSize, fileModificationTimestamp };
}

/** With one more commit, whose version is the next. */
export function withCommit(record: TableRecord, commit: RatifiedCommit): TableRecord {
  return { ...record, latestVersion: commit.version, commits: [...record.commits, commit] };
}

/** Without the commits up to a version: they are published, so no gap can come of it. `latestVersion` stays. */
export function withoutPublished(record: TableRecord, version: number): TableRecord {
  return { ...record, commits: record.commits.filter((commit) => commit.version > version) };
}
