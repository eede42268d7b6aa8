/** Tables whose files hold shredded variants at any depth, next to files that hold them whole. */
import { expect, it } from 'vitest';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, types } from '../../src/kernel/schema/types.ts';
import type { DeltaTable, ScanOptions } from '../../src/table/delta-table.ts';
import { rowsToNdjson } from '../../src/table/json-rows.ts';
import { add, featureProtocol, LogBuilder, metadata } from '../helpers/log-builder.ts';

/** A dictionary without names, and one with `a` and `b`. */
const EMPTY = Uint8Array.of(0x01, 0, 0);
const NAMES = Uint8Array.of(0x11, 2, 0, 1, 2, 0x61, 0x62);
/** The variants 7 (one byte) and {"b": true}: an object of one field, id 1, offsets 0 and 1. */
const SEVEN = Uint8Array.of(3 << 2, 7);
const B_TRUE = Uint8Array.of(0x02, 1, 1, 0, 1, 1 << 2);

const shredded = (typed: DataType) =>
  types.struct([field('metadata', types.binary), field('value', types.binary), field('typed_value', typed)]);
const part = (typed: DataType) => types.struct([field('value', types.binary), field('typed_value', typed)]);

const table = types.struct([
  field('id', types.long),
  field('s', types.struct([field('v', types.variant), field('n', types.integer)])),
  field('l', types.array(types.variant)),
  field('m', types.map(types.string, types.variant)),
]);
const objectOfA = types.struct([field('a', part(types.string))]);
const stored = types.struct([
  field('id', types.long),
  field('s', types.struct([field('v', shredded(objectOfA)), field('n', types.integer)])),
  field('l', types.array(shredded(types.long))),
  field('m', types.map(types.string, shredded(types.decimal(10, 2)))),
]);

const ROWS: ScalarValue[][] = [
  // Both parts of an object; a typed and an untyped element; a decimal.
  [
    1n,
    [[NAMES, B_TRUE, [[null, 'x']]], 5],
    [
      [EMPTY, null, 9_007_199_254_740_993n],
      [EMPTY, SEVEN, null],
    ],
    [['k', [EMPTY, null, 1234n]]],
  ],
  // No typed part; null struct of neither part; nulls around.
  [2n, [[NAMES, B_TRUE, null], null], [null, [EMPTY, null, null]], []],
  [3n, [null, 6], null, [['k', null]]],
  [4n, null, [], null],
];
const LINES = [
  '{"id":1,"s":{"v":{"a":"x","b":true},"n":5},"l":[9007199254740993,7],"m":{"k":12.34}}',
  '{"id":2,"s":{"v":{"b":true},"n":null},"l":[null,null],"m":{}}',
  '{"id":3,"s":{"v":null,"n":6},"l":null,"m":{"k":null}}',
  '{"id":4,"s":null,"l":[],"m":null}',
];

async function openTable(): Promise<DeltaTable> {
  const log = new LogBuilder().commit(
    featureProtocol('variantType', 'variantShredding'),
    metadata(table),
    add('shredded.parquet'),
    add('whole.parquet'),
  );
  await log.parquet('shredded.parquet', stored, ROWS);
  await log.parquet('whole.parquet', table, [[5n, [[EMPTY, SEVEN], 1], [[EMPTY, SEVEN]], []]]);
  return log.open();
}

async function lines(opened: DeltaTable, options: ScanOptions = {}): Promise<string[]> {
  const scan = opened.scan(options);
  const all: string[] = [];
  for await (const batch of scan) all.push(...rowsToNdjson(batch, scan.schema).split('\n').slice(0, -1));
  return all;
}

it('reads them within structs, lists and maps', async () => {
  const whole = '{"id":5,"s":{"v":7,"n":1},"l":[7],"m":{}}';
  expect(await lines(await openTable())).toEqual([...LINES, whole]);
});

it('reads them in projections, with filters and limits', async () => {
  const opened = await openTable();
  expect(await lines(opened, { columns: ['s.v'], where: 'id = 1' })).toEqual([
    '{"s":{"v":{"a":"x","b":true}}}',
  ]);
  expect(await lines(opened, { columns: ['id'], where: 's.v IS NULL' })).toEqual(['{"id":3}', '{"id":4}']);
  expect(await lines(opened, { columns: ['l'], limit: 1 })).toEqual(['{"l":[9007199254740993,7]}']);
});

it('refuses what has both parts and is no object', async () => {
  const log = new LogBuilder().commit(
    featureProtocol('variantType', 'variantShredding'),
    metadata(types.struct([field('v', types.variant)])),
    add('f.parquet'),
  );
  await log.parquet('f.parquet', types.struct([field('v', shredded(types.long))]), [[[EMPTY, SEVEN, 5n]]]);
  await expect(log.open().then((opened) => lines(opened))).rejects.toMatchObject({
    code: 'Parquet',
    feature: 'variantShredding',
    path: 'memory:///t/f.parquet',
  });
});
