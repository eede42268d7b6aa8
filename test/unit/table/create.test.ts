import { Field, Int64, Schema, Utf8 } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const schema = types.struct([field('id', types.long), field('p', types.string)]);
const url = 'memory:///made/';

async function logFiles(storage: MemoryStorageHandler): Promise<string[]> {
  const names: string[] = [];
  for await (const { location } of storage.listFrom(new URL('_delta_log/', url))) {
    names.push(location.pathname.split('/').at(-1)!);
  }
  return names;
}

/** The storage, with a say before each put. */
function withPuts(storage: MemoryStorageHandler, before: (path: string) => void): StorageHandler {
  return {
    listFrom: (...args) => storage.listFrom(...args),
    readFiles: (...args) => storage.readFiles(...args),
    copyAtomic: (...args) => storage.copyAtomic(...args),
    head: (...args) => storage.head(...args),
    put: async (path, data, options) => {
      before(path.pathname);
      await storage.put(path, data, options);
    },
  };
}

describe('creating', () => {
  it('takes Delta types, an Arrow schema, or JSON text', async () => {
    const arrow = new Schema([new Field('id', new Int64(), true), new Field('p', new Utf8(), true)]);
    for (const each of [schema, arrow, schemaToJson(schema)]) {
      const storage = new MemoryStorageHandler();
      const table = await DeltaTable.create({ storage, url }, each, { partitionBy: ['p'] });
      expect(table.version).toBe(0);
      expect(table.schema).toEqual(schema);
      expect(table.metadata.partitionColumns).toEqual(['p']);
      expect(await table.append([{ id: 1, p: 'x' }])).toBe(1);
      expect(await rowTexts(await DeltaTable.open({ storage, url }))).toEqual(['{"id":1,"p":"x"}']);
    }
  });

  it('refuses where there is a table', async () => {
    const engine = testEngine(new MemoryStorageHandler());
    await DeltaTable.create(url, schema, { engine });
    await expect(DeltaTable.create(url, schema, { engine })).rejects.toMatchObject({
      code: 'FileAlreadyExists',
    });
  });

  it('of two at the same time has one winner', async () => {
    const engine = testEngine(new MemoryStorageHandler());
    const made = await Promise.allSettled([1, 2].map(() => DeltaTable.create(url, schema, { engine })));
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = made.find((each) => each.status === 'rejected')!;
    expect(lost.reason).toMatchObject({ code: 'FileAlreadyExists' });
  });

  it.each([
    ['schema', 'Schema', types.struct([field('a b', types.long)]), {}],
    ['partition column', 'Schema', schema, { partitionBy: ['nope'] }],
  ])('refuses a bad %s', async (_, code, given, options) => {
    const engine = testEngine(new MemoryStorageHandler());
    await expect(DeltaTable.create(url, given, { engine, ...options })).rejects.toMatchObject({ code });
  });

  it('makes columns whose names other tables cannot have, with mapping', async () => {
    const engine = testEngine(new MemoryStorageHandler());
    const odd = types.struct([field('a b,c', types.long), field('p=', types.string)]);
    const table = await DeltaTable.create(url, odd, {
      engine,
      partitionBy: ['p='],
      properties: { 'delta.columnMapping.mode': 'name', 'delta.enableDeletionVectors': 'true' },
    });
    await table.append([1, 2, 3].map((n) => ({ 'a b,c': n, 'p=': 'x' })));
    await table.delete('`a b,c` = 2');
    expect(await rowTexts(table)).toEqual(['{"a b,c":1,"p=":"x"}', '{"a b,c":3,"p=":"x"}']);
    const [file] = await table.files();
    // No name of a column shows in a path.
    expect(file!.path).toMatch(/^[0-9a-f]{2}\/part-/);
  });

  it('and writing honours row tracking, in-commit timestamps and clustering', async () => {
    const engine = testEngine(new MemoryStorageHandler());
    const table = await DeltaTable.create(url, schema, {
      engine,
      clusterBy: ['p'],
      properties: {
        'delta.enableRowTracking': 'true',
        'delta.enableInCommitTimestamps': 'true',
        'delta.dataSkippingNumIndexedCols': '0',
      },
    });
    await table.append([{ id: 1, p: 'x' }, { id: 2 }]);
    await table.append([{ id: 3 }]);
    await table.delete('id = 1');
    const rows = await rowTexts(table, { columns: ['id'], metadataColumns: { rowId: 'row' } });
    expect(rows.sort()).toEqual(['{"id":2,"row":1}', '{"id":3,"row":2}']);
    const stats = (await table.files()).map((each) => JSON.parse(each.stats!));
    // Only the clustering column, which the setting does not reach.
    expect(stats).toContainEqual({ numRecords: 1, minValues: {}, maxValues: {}, nullCount: { p: 1 } });
  });
});

describe('after a commit', () => {
  it('checksums follow each other, and a checkpoint every so many versions', async () => {
    const storage = new MemoryStorageHandler();
    const table = await DeltaTable.create({ storage, url }, schema, {
      properties: { 'delta.checkpointInterval': '3' },
    });
    for (let id = 0; id < 4; id += 1) await table.append([{ id }]);
    const files = await logFiles(storage);
    const version = (n: number) => String(n).padStart(20, '0');
    expect(files.filter((name) => name.endsWith('.crc'))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `${version(n)}.crc`),
    );
    expect(files.filter((name) => name.includes('checkpoint'))).toEqual([
      `${version(3)}.checkpoint.parquet`,
      '_last_checkpoint',
    ]);
    const opened = await DeltaTable.open({ storage, url });
    expect(opened.snapshot.logSegment.checkpointVersion).toBe(3);
    expect(await opened.count()).toBe(4);
  });

  it('failures are warnings: the commit stands', async () => {
    const storage = new MemoryStorageHandler();
    const engine = testEngine(
      withPuts(storage, (path) => {
        if (/\.crc$|checkpoint/.test(path)) throw new DeltaError('IOError', 'no space left');
      }),
    );
    const warnings: DeltaError[] = [];
    const options = { engine, onWarning: (warning: DeltaError) => warnings.push(warning) };
    const table = await DeltaTable.create(url, schema, {
      ...options,
      properties: { 'delta.checkpointInterval': '1' },
    });
    expect(await table.append([{ id: 1 }], options)).toBe(1);
    expect(warnings.map(({ code, version }) => [code, version])).toEqual([
      ['IOError', 0],
      ['IOError', 1],
      ['IOError', 1],
    ]);
    expect(warnings[2]!.message).toContain('checkpoint');
    expect(await table.count()).toBe(1);
  });

  it('a checkpoint is written when it is asked for, once', async () => {
    const storage = new MemoryStorageHandler();
    const table = await DeltaTable.create({ storage, url }, schema);
    await table.append([{ id: 1 }]);
    expect(await table.checkpoint()).toBe('written');
    expect(await table.checkpoint()).toBe('alreadyExists');
    expect(await rowTexts(await DeltaTable.open({ storage, url }), { columns: ['id'] })).toEqual([
      '{"id":1}',
    ]);
  });
});
