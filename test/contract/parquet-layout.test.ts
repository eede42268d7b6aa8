/** What the default engine tells of a Parquet file's inside, against what other tools say of the Parquet project's files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import '../../src/engine/wasm/entry-node.ts';

const shared = sharedDir();

async function layoutOf(name: string, pagesOf?: readonly string[]) {
  const bytes = new Uint8Array(readFileSync(join(shared!, 'corpus/parquet-testing/data', name)));
  const location = new URL(`memory:///parquet/${name}`);
  const { parquetHandler } = createEngine({
    storage: new MemoryStorageHandler({ files: { [location.href]: bytes } }),
  });
  const file = { location, size: bytes.length, lastModified: 0 };
  return parquetHandler.readParquetLayout!(file, { pagesOf });
}

describe.skipIf(shared === undefined)(`layouts${shared ? '' : `: ${sharedMissing}`}`, () => {
  // int32_with_null_pages.md has what parquet-cli says.
  it('statistics and pages', async () => {
    const { footer, rowGroups } = await layoutOf('int32_with_null_pages.parquet', ['int32_field']);
    expect(footer.numRows).toBe(1000);
    expect(footer.createdBy).toBe(
      'parquet-mr version 1.13.0-SNAPSHOT (build 433de8df33fcf31927f7b51456be9f53e64d48b9)',
    );
    expect(footer.keyValueMetadata.get('writer.model.name')).toBe('example');
    const [column] = rowGroups[0]!.columns;
    expect(column).toMatchObject({
      path: ['int32_field'],
      physicalType: 'INT32',
      codec: 'UNCOMPRESSED',
      numValues: 1000,
      start: 4,
      hasPageIndex: true,
      hasBloomFilter: false,
      statistics: { nullCount: 275, min: '-2136906554', max: '2145722375' },
    });
    const { pages } = column!;
    expect(pages).toHaveLength(10);
    expect(pages!.filter(({ nullCount }) => nullCount === 100)).toEqual([pages![2]]);
    expect(pages![1]).toMatchObject({ start: 100, end: 200, min: '-2104090659', max: '1745329571' });
    expect(pages![2]).toMatchObject({ start: 200, end: 300, min: undefined, max: undefined });
  });

  it('no pages where none are asked for, or there is no such column', async () => {
    for (const asked of [undefined, ['other']]) {
      const { rowGroups } = await layoutOf('int32_with_null_pages.parquet', asked);
      expect(rowGroups[0]!.columns[0]).not.toHaveProperty('pages');
    }
  });

  it('bloom filters', async () => {
    const { rowGroups } = await layoutOf('data_index_bloom_encoding_stats.parquet');
    expect(rowGroups[0]!.columns.map(({ hasBloomFilter }) => hasBloomFilter)).toEqual([true]);
  });

  it('columns within lists have no statistics of their own', async () => {
    const { rowGroups } = await layoutOf('nested_lists.snappy.parquet');
    expect(
      rowGroups[0]!.columns.map(({ path, statistics }) => [path.join('.'), statistics?.nullCount]),
    ).toEqual([
      ['a.list.element.list.element.list.element', undefined],
      ['b', 0],
    ]);
  });
});
