/** Dialogs about types of columns, and of partition columns. */
import { field, types } from '../../../src/kernel/schema/types.ts';
import type { Row } from '../../../src/table/write/input.ts';
import { altered, type Dialog, printed } from './dialog.ts';

const everyType = types.struct([
  field('id', types.long, { nullable: false }),
  field('n', types.long),
  field('i', types.integer),
  field('sh', types.short),
  field('by', types.byte),
  field('f', types.float),
  field('d', types.double),
  field('dec', types.decimal(38, 10)),
  field('small', types.decimal(5, 2)),
  field('day', types.date),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('b', types.binary),
  field('ok', types.boolean),
  field('text', types.string),
  field('tags', types.array(types.string)),
  field('list', types.array(types.struct([field('a', types.integer), field('b', types.string)]))),
  field('m', types.map(types.string, types.integer)),
  field('mi', types.map(types.integer, types.struct([field('x', types.double)]))),
  field(
    's',
    types.struct([field('x', types.integer), field('deep', types.struct([field('y', types.string)]))]),
  ),
]);

const highest: Row = {
  id: 1,
  n: 2n ** 63n - 1n,
  i: 2147483647,
  sh: 32767,
  by: 127,
  f: 3.5,
  d: 1.7976931348623157e308,
  dec: '9999999999999999999999999999.9999999999',
  small: '999.99',
  day: '9999-12-31',
  ts: '9999-12-31T23:59:59.999999Z',
  ntz: '9999-12-31T23:59:59.999999',
  b: 'AP8=',
  ok: true,
  text: 'ü 🌼 \\ " \n',
  tags: ['x', null, ''],
  list: [{ a: 1, b: null }, null],
  m: { k: 1, ü: null },
  mi: [{ key: -1, value: { x: 0.5 } }],
  s: { x: 1, deep: { y: 'z' } },
};
const lowest: Row = {
  id: 2,
  n: -(2n ** 63n),
  i: -2147483648,
  sh: -32768,
  by: -128,
  f: -0.25,
  d: 'NaN',
  dec: '-0.0000000001',
  small: '-0.01',
  day: '0001-01-01',
  ts: '1500-02-28T00:00:00.000001Z',
  ntz: '1500-02-28T00:00:00.000001',
  b: '',
  ok: false,
  text: '',
  tags: [],
  list: [],
  m: {},
  mi: [],
  s: { x: null, deep: null },
};
const copied = everyType.fields.map(({ name }) => (name === 'id' ? 'id + 10' : name)).join(', ');

const partitioned = types.struct([
  field('id', types.long),
  field('text', types.string),
  field('i', types.integer),
  field('day', types.date),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('dec', types.decimal(10, 3)),
  field('d', types.double),
  field('ok', types.boolean),
]);
const partitions = partitioned.fields.map(({ name }) => name).filter((name) => name !== 'id');
const special: Row = {
  id: 1,
  text: `a/b c:%25=ü"'#?&\\{}[]^+*~\u0001🌼`,
  i: -1,
  day: '2024-02-29',
  ts: '2024-05-06T07:08:09.123456Z',
  ntz: '1969-12-31T23:59:59.999999',
  dec: '-12.340',
  d: 1e-10,
  ok: false,
};

/** `{"a": 1}`, in bytes that Spark made. */
const ENCODED = { metadata: Uint8Array.of(1, 1, 0, 1, 0x61), value: Uint8Array.of(2, 1, 0, 0, 2, 12, 1) };
const VALUE = { big: 2 ** 40, list: [1.5, 'x', null, { y: true }], text: 'ü'.repeat(64), tiny: 1e-300 };

export const typeDialogs: readonly Dialog[] = [
  {
    name: 'every type',
    schema: everyType,
    write: async (table) => {
      await table.append([highest, lowest, { id: 3 }]);
      return table;
    },
    rows: [printed(highest, everyType), printed(lowest, everyType), { id: 3 }],
    features: ['invariants', 'timestampNtz'],
    spark: [`INSERT INTO T SELECT ${copied} FROM T`, "UPDATE T SET text = 'u' WHERE id IN (2, 3)"],
    after: [
      printed(highest, everyType),
      printed({ ...lowest, text: 'u' }, everyType),
      { id: 3, text: 'u' },
      printed({ ...highest, id: 11 }, everyType),
      printed({ ...lowest, id: 12 }, everyType),
      { id: 13 },
    ],
  },
  {
    name: 'partitions of every type, special characters, nulls',
    schema: partitioned,
    options: { partitionBy: partitions },
    write: async (table) => {
      await table.append([special, { id: 2 }, { id: 3, text: '' }]);
      return table;
    },
    // A partition value cannot tell '' from null.
    rows: [special, { id: 2 }, { id: 3 }],
    features: ['timestampNtz'],
    spark: [
      `INSERT INTO T SELECT id + 10, ${partitions.join(', ')} FROM T`,
      'DELETE FROM T WHERE text IS NULL AND id < 10',
    ],
    after: [special, { ...special, id: 11 }, { id: 12 }, { id: 13 }],
    last: { text: 'é=%' },
    deltaRs: true,
  },
  {
    name: 'variants',
    schema: types.struct([field('id', types.long), field('v', types.variant)]),
    write: async (table) => {
      await table.append([{ id: 1, v: ENCODED }, { id: 2 }, { id: 4, v: VALUE }]);
      return table;
    },
    rows: [{ id: 1, v: { a: 1 } }, { id: 2 }, { id: 4, v: VALUE }],
    features: ['variantType'],
    spark: [
      `INSERT INTO T VALUES (3, parse_json('{"list": [1.5, "x", null, {"y": true}]}'))`,
      "UPDATE T SET v = parse_json('7') WHERE variant_get(v, '$.a', 'int') = 1",
    ],
    after: [
      { id: 1, v: 7 },
      { id: 2 },
      { id: 3, v: { list: [1.5, 'x', null, { y: true }] } },
      { id: 4, v: VALUE },
    ],
  },
  {
    name: 'types widened',
    schema: types.struct([
      field('id', types.integer),
      field('a', types.byte),
      field('b', types.float),
      field('c', types.decimal(5, 2)),
      field('d', types.date),
    ]),
    options: { properties: { 'delta.enableTypeWidening': 'true' } },
    write: async (table) => {
      await table.append([{ id: 1, a: 1, b: 0.1, c: '1.25', d: '2024-02-29' }]);
      const wide = await altered(table, (alteration) =>
        alteration
          .setProperties({ 'delta.feature.timestampNtz': 'supported' })
          .widenColumn('id', types.long)
          .widenColumn('a', types.short)
          .widenColumn('b', types.double)
          .widenColumn('c', types.decimal(10, 4))
          .widenColumn('d', types.timestampNtz),
      );
      await wide.append([{ id: 2 ** 40, a: 300, b: 0.1, c: '100000.1234', d: '2024-02-29T01:02:03' }]);
      return wide;
    },
    rows: [
      { id: 1, a: 1, b: Math.fround(0.1), c: '1.2500', d: '2024-02-29T00:00:00.000000' },
      { id: 2 ** 40, a: 300, b: 0.1, c: '100000.1234', d: '2024-02-29T01:02:03.000000' },
    ],
    features: ['typeWidening', 'timestampNtz'],
    spark: ['ALTER TABLE T ALTER COLUMN a TYPE BIGINT', 'INSERT INTO T (id, a) VALUES (3, 3000000000)'],
    after: [
      { id: 1, a: 1, b: Math.fround(0.1), c: '1.2500', d: '2024-02-29T00:00:00.000000' },
      { id: 2 ** 40, a: 300, b: 0.1, c: '100000.1234', d: '2024-02-29T01:02:03.000000' },
      { id: 3, a: 3000000000 },
    ],
    last: { a: 2 ** 41 },
  },
];
