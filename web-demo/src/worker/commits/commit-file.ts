/** Where a commit's file is, and its bytes. */
import { type DeltaTable, type Engine, type FileMeta, LogPath } from 'delta-kernel-web';

/** One that only the catalog knows lies elsewhere than those of the log. */
export async function fileOfCommit(
  table: DeltaTable,
  version: number,
  signal: AbortSignal,
): Promise<FileMeta> {
  const file = placeOfCommit(table, version);
  return file.size > 0 ? file : table.engine.storageHandler.head(file.location, { signal });
}

/** Of size 0 where it is not known. */
export function placeOfCommit({ snapshot, url }: DeltaTable, version: number): FileMeta {
  const { commits, latestCommit } = snapshot.logSegment;
  const own = [...commits, ...(latestCommit === undefined ? [] : [latestCommit])];
  const known = own.find((commit) => commit.version === version);
  return known?.file ?? LogPath.commit(url, `${String(version).padStart(20, '0')}.json`, 0, 0).file;
}

/** At most `limit` bytes of it. */
export async function readCommitFile(
  { storageHandler }: Engine,
  { location, size }: FileMeta,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const range = size > limit ? { start: 0, end: limit } : undefined;
  for await (const bytes of storageHandler.readFiles([{ location, range }], { signal })) return bytes.slice();
  throw new Error('the storage answered without the file');
}
