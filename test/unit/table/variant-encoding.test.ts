/** Variants of JSON values, byte for byte as Spark's `parse_json` makes them. */
import { LosslessNumber, parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import { variantToJson } from '../../../src/table/variant.ts';
import { encodeVariant } from '../../../src/table/write/variant-encoding.ts';
import { corpusTables } from '../../helpers/corpus.ts';
import { rowTexts } from '../../helpers/rows.ts';
import { localEngine, testEngine } from '../../helpers/test-engine.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('by hand, from the encoding', () => {
  it.each<[unknown, string]>([
    [null, '00'],
    [true, '04'],
    [false, '08'],
    [7, '0c07'],
    [-128, '0c80'],
    [128, '108000'],
    [-32769, '14ff7fffff'],
    [2 ** 31, '180000008000000000'],
    [9223372036854775807n, '18ffffffffffffff7f'],
    // Beyond 64 bits: a decimal of 19 digits, in 16 bytes.
    [9223372036854775808n, `2800${'0000000000000080'}${'0000000000000000'}`],
    [1.5, '20010f000000'],
    [-0.05, '2002fbffffff'],
    [new LosslessNumber('1.50'), '200296000000'],
    [new LosslessNumber('1234567890.5'), `2401${longHex(12345678905n)}`],
    // With an exponent: a double.
    [1e21, `1c${doubleHex(1e21)}`],
    ['', '01'],
    ['é', '09c3a9'],
    ['x'.repeat(64), `4040000000${'78'.repeat(64)}`],
    [[], '030000'],
    [[1, 'a'], '03020002040c010561'],
    [{}, '020000'],
  ])('%s', (json, value) => {
    const encoded = encodeVariant(json)!;
    expect(hex(encoded.value)).toBe(value);
    expect(hex(encoded.metadata)).toBe('010000');
  });

  it('an object has its fields by name, its values as they were given', () => {
    const { metadata, value } = encodeVariant({ b: 1, a: { b: null } })!;
    // Names b, a in the order of their first use.
    expect(hex(metadata)).toBe('01020001026261');
    // Two fields: ids 1 (a) and 0 (b), at offsets 2 and 0; 7 bytes: 1, then {b: null}.
    const inner = '020100000100';
    expect(hex(value)).toBe(`0202${'0100'}${'0200'}08${'0c01'}${inner}`);
  });

  it('more than 255 fields or items have longer headers', () => {
    const items = Array.from({ length: 300 }, (_, index) => index % 2);
    const { value } = encodeVariant(items)!;
    expect(hex(value.subarray(0, 9))).toBe('172c01000000000200');
    expect(variantToJson(encodeVariant(items)!.metadata, value)).toBe(JSON.stringify(items));
    const object = Object.fromEntries(
      items.map((item, index) => [`k${String(index).padStart(3, '0')}`, item]),
    );
    const encoded = encodeVariant(object)!;
    expect(variantToJson(encoded.metadata, encoded.value)).toBe(JSON.stringify(object));
  });
});

describe('in a table', () => {
  const url = new URL('memory:///t/');
  const schema = types.struct([field('id', types.long), field('v', types.variant)]);

  async function created() {
    const storage = new MemoryStorageHandler();
    return DeltaTable.create({ storage, url }, schema, { engine: testEngine(storage) });
  }

  it('row objects hold JSON values, or variants that are encoded already', async () => {
    const table = await created();
    const json = [
      '{"b":[1,2.50,"x",null],"a":{"metadata":"AQ==","value":true}}',
      '"text"',
      '12345678901234567890',
    ];
    const rows = json.map((text, id) => ({ id, v: parse(text) }));
    const encoded = { metadata: Uint8Array.of(1, 0, 0), value: Uint8Array.of(3 << 2, 7) };
    await table.append([
      ...rows,
      { id: 3, v: encoded },
      { id: 4, v: null },
      { id: 5, v: { metadata: 'AQ==', value: 'DAc=' } },
    ]);
    expect(await rowTexts(table)).toEqual([
      '{"id":0,"v":{"a":{"metadata":"AQ==","value":true},"b":[1,2.50,"x",null]}}',
      '{"id":1,"v":"text"}',
      '{"id":2,"v":12345678901234567890}',
      '{"id":3,"v":7}',
      '{"id":4,"v":null}',
      '{"id":5,"v":{"metadata":"AQ==","value":"DAc="}}',
    ]);
  });

  it.each([
    ['a date', new Date(0)],
    ['a number that is none', Number.NaN],
    ['half a character', '\ud800'],
    ['a map', new Map()],
    ['bytes inside', { a: [new Uint8Array(1)] }],
  ])('%s is no JSON value', async (_what, v) => {
    const failed = (await created()).append([{ id: 1, v }]);
    await expect(failed).rejects.toMatchObject({ code: 'Schema', column: 'v' });
  });

  it('what is nested too deep is refused, too', async () => {
    let v: unknown = 1;
    for (let depth = 0; depth < 5000; depth += 1) v = [v];
    await expect((await created()).append([{ id: 1, v }])).rejects.toMatchObject({ code: 'Schema' });
  });
});

const spark = corpusTables().find(({ name }) => name === 'spark-4.2/variant');

it.skipIf(spark === undefined)('are those of Spark’s parse_json', async () => {
  const table = await DeltaTable.open(spark!.url, { engine: localEngine() });
  let compared = 0;
  for await (const batch of table.scan({ columns: ['v'] })) {
    for (let row = 0; row < batch.numRows; row += 1) {
      const stored = batch.getChildAt(0)!.get(row) as { metadata: Uint8Array; value: Uint8Array } | null;
      if (stored === null) continue;
      const { metadata, value } = encodeVariant(parse(variantToJson(stored.metadata, stored.value)))!;
      expect([hex(metadata), hex(value)]).toEqual([hex(stored.metadata), hex(stored.value)]);
      compared += 1;
    }
  }
  expect(compared).toBe(13);
});

function longHex(value: bigint): string {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigInt64(0, value, true);
  return hex(new Uint8Array(bytes.buffer));
}

function doubleHex(value: number): string {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, value, true);
  return hex(new Uint8Array(bytes.buffer));
}
