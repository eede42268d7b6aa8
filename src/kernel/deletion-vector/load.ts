/** Deletion vectors from their descriptors. */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { DeletionVectorDescriptor } from '../actions/types.ts';
import type { Engine, FileSlice, RowIndexSet } from '../engine.ts';
import { resolvePath } from '../paths.ts';
import { relativeVectorPath } from './descriptor.ts';
import { bitmapOf, checkFormatVersion, FIRST_VECTOR_OFFSET, FRAME_SIZE, unframeVector } from './format.ts';
import { decodeZ85 } from './z85.ts';

/** Below this offset the version byte is read together with the vector: one request more costs more than bytes. */
const ONE_READ_BELOW = 64 * 1024;

/** The file of a vector; undefined for an inline one. */
export function vectorLocation(tableRoot: URL, descriptor: DeletionVectorDescriptor): URL | undefined {
  switch (descriptor.storageType) {
    case 'u':
      return resolvePath(tableRoot, relativeVectorPath(descriptor.pathOrInlineDv));
    case 'p':
      return resolvePath(tableRoot, descriptor.pathOrInlineDv);
    case 'i':
      return undefined;
  }
}

/**
 * The deleted rows of a data file; `free()` the set when done. Version, size, checksum, magic number and cardinality
 * are checked. Errors: `DeletionVector`, and those of the storage.
 */
export async function loadDeletionVector(
  engine: Engine,
  tableRoot: URL,
  descriptor: DeletionVectorDescriptor,
  signal?: AbortSignal,
): Promise<RowIndexSet> {
  const location = vectorLocation(tableRoot, descriptor);
  try {
    const payload =
      location === undefined
        ? inlinePayload(descriptor)
        : await readPayload(engine, location, descriptor, signal);
    const set = engine.evaluationHandler.rowIndexSets.deserialize(bitmapOf(payload));
    if (set.cardinality === descriptor.cardinality) return set;
    set.free();
    throw new DeltaError(
      'DeletionVector',
      `deletion vector of ${set.cardinality} rows where its descriptor says ${descriptor.cardinality}`,
    );
  } catch (error) {
    const path = location === undefined ? 'inline deletion vector' : location.pathname;
    throw withContext(error, { table: shownUrl(tableRoot), path });
  }
}

function inlinePayload({ pathOrInlineDv, sizeInBytes }: DeletionVectorDescriptor): Uint8Array {
  // Z85 stands for whole groups of 4 bytes: what lies beyond the size is padding.
  const bytes = decodeZ85(pathOrInlineDv);
  if (bytes.length < sizeInBytes) {
    throw new DeltaError(
      'DeletionVector',
      `inline deletion vector of ${bytes.length} bytes where its descriptor says ${sizeInBytes}`,
    );
  }
  return bytes.subarray(0, sizeInBytes);
}

async function readPayload(
  engine: Engine,
  location: URL,
  descriptor: DeletionVectorDescriptor,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const start = descriptor.offset || FIRST_VECTOR_OFFSET;
  const end = start + descriptor.sizeInBytes + FRAME_SIZE;
  const slices: FileSlice[] =
    start < ONE_READ_BELOW
      ? [{ location, range: { start: 0, end } }]
      : [
          { location, range: { start: 0, end: 1 } },
          { location, range: { start, end } },
        ];
  const chunks: Uint8Array[] = [];
  for await (const chunk of engine.storageHandler.readFiles(slices, { signal })) chunks.push(chunk);
  checkFormatVersion(chunks[0]?.[0]);
  const frame = chunks.length === 1 ? chunks[0]!.subarray(start) : chunks[1]!;
  return unframeVector(frame, descriptor.sizeInBytes);
}
