/** Writing deletion vectors (`PROTOCOL.md`, "Deletion Vector File Storage Format"): one file per change. */
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { DeletionVectorDescriptor } from '../../kernel/actions/types.ts';
import { encodeVectorPath, relativeVectorPath } from '../../kernel/deletion-vector/descriptor.ts';
import { encodePayload, encodeVectorFile } from '../../kernel/deletion-vector/format.ts';
import { loadDeletionVector } from '../../kernel/deletion-vector/load.ts';
import type { Engine, RowIndexSet } from '../../kernel/engine.ts';
import { resolvePath } from '../../kernel/paths.ts';
import type { ScanFile } from '../../kernel/scan/scan-files.ts';
import type { SnapshotState } from '../../kernel/snapshot/state.ts';
import type { NewFilesOptions } from './new-files.ts';

/** Rows of a file to be deleted besides those that are. */
export interface RowsToDelete {
  readonly file: ScanFile;
  readonly rows: readonly number[];
}

/** The new vectors by the path of their data files. */
export async function writeDeletionVectors(
  engine: Engine,
  { tableRoot, runtime, tableProperties }: SnapshotState,
  changes: readonly RowsToDelete[],
  { signal, newFiles }: NewFilesOptions,
): Promise<Map<string, DeletionVectorDescriptor>> {
  const payloads: Uint8Array[] = [];
  const cardinalities: number[] = [];
  for (const change of changes) {
    const set = await mergedRows(engine, tableRoot, change, signal);
    payloads.push(encodePayload(set.serialize()));
    cardinalities.push(set.cardinality);
    set.free();
  }
  const { randomizeFilePrefixes, randomPrefixLength } = tableProperties;
  const prefix = randomizeFilePrefixes ? runtime.uuid().replaceAll('-', '').slice(0, randomPrefixLength) : '';
  const pathOrInlineDv = encodeVectorPath(runtime.uuid(), prefix);
  const { bytes, offsets } = encodeVectorFile(payloads);
  const location = resolvePath(tableRoot, relativeVectorPath(pathOrInlineDv));
  newFiles.add(location);
  await putFresh(engine, location, bytes, signal);
  return new Map(
    changes.map(({ file }, index) => {
      const descriptor: DeletionVectorDescriptor = {
        storageType: 'u',
        pathOrInlineDv,
        offset: offsets[index]!,
        sizeInBytes: payloads[index]!.length,
        cardinality: cardinalities[index]!,
      };
      return [file.path, descriptor];
    }),
  );
}

async function mergedRows(
  engine: Engine,
  tableRoot: URL,
  { file, rows }: RowsToDelete,
  signal: AbortSignal | undefined,
): Promise<RowIndexSet> {
  const { rowIndexSets } = engine.evaluationHandler;
  if (file.deletionVector === undefined) return rowIndexSets.fromRowIndexes(rows);
  const before = await loadDeletionVector(engine, tableRoot, file.deletionVector, signal);
  try {
    const added = rowIndexSets.fromRowIndexes(rows);
    try {
      return rowIndexSets.union(before, added);
    } finally {
      added.free();
    }
  } finally {
    before.free();
  }
}

/** A name that nobody else has: what is there already is our own put, whose answer got lost. */
async function putFresh(
  engine: Engine,
  location: URL,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storageHandler } = engine;
  try {
    await storageHandler.put(location, bytes, { overwrite: false, signal });
  } catch (error) {
    if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
    for await (const stored of storageHandler.readFiles([{ location }], { signal })) {
      if (stored.length === bytes.length && stored.every((byte, index) => byte === bytes[index])) return;
    }
    throw new DeltaError('Internal', 'a file of a fresh random name exists with other content', {
      cause: error,
    });
  }
}
