import { beforeAll, describe, expect, it } from 'vitest';
import type { DeletionVectorDescriptor } from '../../../src/kernel/actions/types.ts';
import { encodeVectorPath } from '../../../src/kernel/deletion-vector/descriptor.ts';
import { encodePayload, encodeVectorFile } from '../../../src/kernel/deletion-vector/format.ts';
import { loadDeletionVector } from '../../../src/kernel/deletion-vector/load.ts';
import { decodeZ85 } from '../../../src/kernel/deletion-vector/z85.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const root = new URL('memory:///t/');
const uuid = 'd2c639aa-8816-431a-aaf6-d3fe2512ff61';
/** Rows 3, 4, 7, 11, 18, 29, as Spark wrote them. */
const inline = 'wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L';
const rows = [3, 4, 7, 11, 18, 29];
const storage = new MemoryStorageHandler();
const engine = testEngine(storage);

beforeAll(() => engine.ready());

async function rowsOf(descriptor: DeletionVectorDescriptor): Promise<number[]> {
  const set = await loadDeletionVector(engine, root, descriptor);
  const live = set.selection(0, 64);
  set.free();
  return Array.from({ length: 64 }, (_, row) => row).filter((row) => live[row] === 0);
}

const failure = (message: RegExp) =>
  expect.objectContaining({
    code: 'DeletionVector',
    table: root.href,
    message: expect.stringMatching(message),
  });

describe('inline', () => {
  const descriptor = { storageType: 'i', pathOrInlineDv: inline, sizeInBytes: 40, cardinality: 6 } as const;

  it('reads what Spark wrote', async () => {
    expect(await rowsOf(descriptor)).toEqual(rows);
  });

  it('ignores padding beyond the size', async () => {
    expect(await rowsOf({ ...descriptor, pathOrInlineDv: `${inline}00000` })).toEqual(rows);
  });

  it('refuses another cardinality, and fewer bytes than said', async () => {
    await expect(rowsOf({ ...descriptor, cardinality: 5 })).rejects.toEqual(failure(/6 rows .* says 5/));
    await expect(rowsOf({ ...descriptor, sizeInBytes: 44 })).rejects.toEqual(failure(/40 bytes .* says 44/));
  });
});

describe('in a file', () => {
  const payload = decodeZ85(inline);
  const other = encodePayload(emptyBitmap());
  const { bytes, offsets } = encodeVectorFile([other, payload]);
  const descriptor = {
    storageType: 'u',
    pathOrInlineDv: encodeVectorPath(uuid, 'ab'),
    offset: offsets[1]!,
    sizeInBytes: 40,
    cardinality: 6,
  } as const;
  const put = (path: string, data: Uint8Array) => storage.put(new URL(path, root), data, { overwrite: true });

  it('u with a prefix, p relative and absolute', async () => {
    await put(`ab/deletion_vector_${uuid}.bin`, bytes);
    expect(await rowsOf(descriptor)).toEqual(rows);
    const path = `memory:///t/ab/deletion_vector_${uuid}.bin`;
    expect(await rowsOf({ ...descriptor, storageType: 'p', pathOrInlineDv: path })).toEqual(rows);
  });

  it('no offset means after the version byte; a far one is read apart', async () => {
    await put(`ab/deletion_vector_${uuid}.bin`, encodeVectorFile([payload]).bytes);
    const { offset: _, ...without } = descriptor;
    expect(await rowsOf(without)).toEqual(rows);
    const far = encodeVectorFile([encodePayload(new Uint8Array(100_000)), payload]);
    await put(`ab/deletion_vector_${uuid}.bin`, far.bytes);
    expect(await rowsOf({ ...descriptor, offset: far.offsets[1]! })).toEqual(rows);
  });

  it('refuses another version, and a file cut short', async () => {
    const changed = bytes.slice();
    changed[0] = 2;
    await put(`ab/deletion_vector_${uuid}.bin`, changed);
    await expect(rowsOf(descriptor)).rejects.toEqual(failure(/version 2/));
    await put(`ab/deletion_vector_${uuid}.bin`, bytes.slice(0, -4));
    await expect(rowsOf(descriptor)).rejects.toMatchObject({ name: 'DeltaError' });
  });

  it('does not leave the table', async () => {
    const outside = { ...descriptor, pathOrInlineDv: encodeVectorPath(uuid, '..') };
    await expect(rowsOf(outside)).rejects.toMatchObject({ code: 'InvalidPath' });
  });

  it('is missing: FileNotFound', async () => {
    const gone = encodeVectorPath('00000000-0000-0000-0000-000000000000');
    await expect(rowsOf({ ...descriptor, pathOrInlineDv: gone })).rejects.toMatchObject({
      code: 'FileNotFound',
    });
  });
});

/** A bitmap without buckets. */
function emptyBitmap(): Uint8Array {
  return new Uint8Array(8);
}
