/** Tables written here and read by delta-rs, and the other way round. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { schemaToJson } from '../../src/kernel/schema/schema-json.ts';
import { field, type StructType, types } from '../../src/kernel/schema/types.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import type { CreateOptions } from '../../src/table/write/create.ts';
import { rowTexts } from '../helpers/rows.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { type DeltaRs, deltaRs } from './python.ts';

const python = await deltaRs();
const missing = 'missing' in python ? python.missing : undefined;
const run: DeltaRs = (...args) => {
  if ('run' in python) return python.run(...args);
  throw new Error(python.missing);
};

const everyType = types.struct([
  field('id', types.long, { nullable: false }),
  field('part', types.string),
  field('i', types.integer),
  field('sh', types.short),
  field('by', types.byte),
  field('f', types.float),
  field('d', types.double),
  field('dec', types.decimal(20, 3)),
  field('day', types.date),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('b', types.binary),
  field('ok', types.boolean),
  field('text', types.string),
  field('tags', types.array(types.string)),
  field(
    's',
    types.struct([field('x', types.integer), field('deep', types.struct([field('y', types.string)]))]),
  ),
]);
const rows = [
  {
    id: 1,
    part: 'a:b/ü %',
    i: -7,
    sh: 300,
    by: -128,
    f: 0.5,
    d: 0.1,
    dec: '12345678901234567.891',
    day: '1969-12-31',
    ts: '2024-05-06T07:08:09.123456Z',
    ntz: '2024-05-06T07:08:09.123456',
    b: 'AP8=',
    ok: true,
    text: `${'x'.repeat(40)}🌼`,
    tags: ['x', null],
    s: { x: 1, deep: { y: 'z' } },
  },
  { id: 2, part: 'a:b/ü %', d: -1.5, ts: '1969-12-31T23:59:59.999999Z', text: 'a', s: { deep: null } },
  { id: 3, part: null, d: 2, s: null },
];

describe.skipIf(missing !== undefined)(
  `delta-rs${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const scratch = mkdtempSync(join(tmpdir(), 'delta-interop-'));
    afterAll(() => rmSync(scratch, { recursive: true }));
    let next = 0;
    let path = '';
    beforeEach(() => {
      path = join(scratch, `t${next++}`);
    });

    const open = () => DeltaTable.open(pathToFileURL(`${path}/`), { engine: localEngine() });
    const create = (schema: StructType, options: CreateOptions = {}) =>
      DeltaTable.create(pathToFileURL(`${path}/`), schema, { engine: localEngine(), ...options });

    it('reads rows, schema and statistics that we wrote', async () => {
      const table = await create(everyType, { partitionBy: ['part'] });
      await table.append(rows);
      const read = await run('read', path);
      expect(read.version).toBe(1);
      expect(read.schema).toEqual(JSON.parse(schemaToJson(everyType)));
      const byId = read.rows.toSorted((a, b) => Number(a.id) - Number(b.id));
      const nulls = Object.fromEntries(everyType.fields.map(({ name }) => [name, null]));
      const deepNull = { x: null, deep: null };
      expect(byId).toEqual([
        rows[0],
        { ...nulls, ...rows[1], s: deepNull },
        { ...nulls, ...rows[2], s: null },
      ]);
      const stats = read.actions.find((action) => action['partition.part'] !== null)!;
      expect(stats).toMatchObject({
        num_records: 2,
        'null_count.id': 0,
        'null_count.i': 1,
        'null_count.s.x': 1,
        'null_count.s.deep.y': 1,
        'min.id': 1,
        'max.id': 2,
        'min.d': -1.5,
        'max.d': 0.1,
        'min.day': '1969-12-31',
        'min.ts': '1969-12-31T23:59:59.999000Z',
        'max.ts': '2024-05-06T07:08:09.123000Z',
        'min.ntz': '2024-05-06T07:08:09.123000',
        'min.text': 'a',
        'max.text': `${'x'.repeat(32)}\u007f`,
        'partition.part': 'a:b/ü %',
      });
    });

    it('sees our deletions by rewriting', async () => {
      const table = await create(everyType, { partitionBy: ['part'] });
      await table.append(rows);
      await table.delete('id = 2');
      const read = await run('read', path);
      expect(read.rows.map(({ id }) => id).sort()).toEqual([1, 3]);
      expect(read.actions.length).toBe(2);
    });

    it('sees our deletion vectors', async () => {
      const table = await create(everyType, { properties: { 'delta.enableDeletionVectors': 'true' } });
      await table.append(rows);
      await table.delete('id = 2');
      await table.delete('id = 1');
      expect((await run('read', path)).rows.map(({ id }) => id)).toEqual([3]);
    });

    it('and we append to the table of each other', async () => {
      await run('create', path);
      const table = await open();
      await table.append([{ id: 10, part: 'ours', dec: '0.001', ts: new Date(0), tags: [], s: {} }]);
      await run('append', path, '20');
      const ours = await table.refresh();
      expect(ours.version).toBe(2);
      const texts = (await rowTexts(ours)).map((row) => JSON.parse(row));
      const theirs = (await run('read', path)).rows;
      const byId = (a: { id?: unknown }, b: { id?: unknown }) => Number(a.id) - Number(b.id);
      expect(texts.map(({ id }) => id).sort((a, b) => a - b)).toEqual([1, 2, 10, 20, 21]);
      expect(texts.sort(byId)).toEqual(theirs.toSorted(byId));
      await table.append([{ id: 11 }]);
      expect(table.version).toBe(3);
    });

    it('starts from our checkpoints', async () => {
      const properties = { 'delta.checkpointInterval': '2', 'delta.checkpoint.writeStatsAsStruct': 'true' };
      const table = await create(everyType, { partitionBy: ['part'], properties });
      for (const row of rows) await table.append([row]);
      // Without the commits before it.
      for (const version of [0, 1])
        rmSync(join(path, `_delta_log/${String(version).padStart(20, '0')}.json`));
      const read = await run('read', path);
      expect(read.version).toBe(3);
      expect(read.rows.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    });

    it('deletes from, and checkpoints, what we wrote', async () => {
      const table = await create(everyType, { partitionBy: ['part'] });
      await table.append(rows);
      await run('delete', path, 'id = 1');
      await run('checkpoint', path);
      const ours = await table.refresh();
      expect(ours.version).toBe(2);
      expect(await ours.append([{ id: 4 }])).toBe(3);
      const ids = (await rowTexts(ours, { columns: ['id'] })).map((row) => JSON.parse(row).id);
      expect(ids.sort()).toEqual([2, 3, 4]);
      expect((await run('read', path)).rows.map(({ id }) => id).sort()).toEqual([2, 3, 4]);
    });
  },
);
