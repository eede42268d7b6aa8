import { describe, expect, it } from 'vitest';
import { variantToJson } from '../../../src/table/variant.ts';

// Bytes are laid out by hand from Apache Parquet's "Variant Binary Encoding".
const bytes = (...values: number[]) => Uint8Array.from(values);
const noNames = bytes(0x01, 0, 0);
const names = (...list: string[]) => {
  const offsets = [0];
  for (const name of list) offsets.push(offsets.at(-1)! + name.length);
  return bytes(
    0x11,
    list.length,
    ...offsets,
    ...list
      .join('')
      .split('')
      .map((c) => c.charCodeAt(0)),
  );
};
const primitive = (id: number) => id << 2;
const little = (value: bigint, size: number) =>
  Array.from({ length: size }, (_, index) =>
    Number((BigInt.asUintN(size * 8, value) >> BigInt(8 * index)) & 255n),
  );

describe('variant to JSON', () => {
  it.each([
    ['null', [primitive(0)], 'null'],
    ['true', [primitive(1)], 'true'],
    ['false', [primitive(2)], 'false'],
    ['int8', [primitive(3), 0xff], '-1'],
    ['int16', [primitive(4), 0x00, 0x80], '-32768'],
    ['int32', [primitive(5), ...little(-2147483648n, 4)], '-2147483648'],
    ['int64', [primitive(6), ...little(9007199254740993n, 8)], '9007199254740993'],
    ['double', [primitive(7), 0, 0, 0, 0, 0, 0, 0xf8, 0x3f], '1.5'],
    ['decimal4', [primitive(8), 1, ...little(-15n, 4)], '-1.5'],
    ['decimal8', [primitive(9), 2, ...little(5n, 8)], '0.05'],
    ['decimal16', [primitive(10), 0, ...little(-(10n ** 37n), 16)], `-1${'0'.repeat(37)}`],
    ['date', [primitive(11), ...little(-1n, 4)], '"1969-12-31"'],
    ['timestamp', [primitive(12), ...little(-1n, 8)], '"1969-12-31T23:59:59.999999Z"'],
    ['timestamp_ntz', [primitive(13), ...little(0n, 8)], '"1970-01-01T00:00:00.000000"'],
    ['float', [primitive(14), 0xcd, 0xcc, 0xcc, 0x3d], '0.1'],
    ['NaN', [primitive(14), 0, 0, 0xc0, 0x7f], '"NaN"'],
    ['binary', [primitive(15), 2, 0, 0, 0, 0, 255], '"AP8="'],
    ['long string', [primitive(16), 2, 0, 0, 0, 0x68, 0x69], '"hi"'],
    ['time', [primitive(17), ...little(3_723_000_001n, 8)], '"01:02:03.000001"'],
    ['nanos', [primitive(18), ...little(-1n, 8)], '"1969-12-31T23:59:59.999999999Z"'],
    [
      'uuid',
      [primitive(20), ...Array.from({ length: 16 }, (_, i) => i * 17)],
      '"00112233-4455-6677-8899-aabbccddeeff"',
    ],
    ['short string', [(2 << 2) | 1, 0x22, 0x5c], '"\\"\\\\"'],
    ['empty array', [3, 0, 0], '[]'],
    ['array', [3, 2, 0, 1, 3, primitive(0), primitive(3), 7], '[null,7]'],
  ])('%s', (_name, value, expected) => {
    expect(variantToJson(noNames, Uint8Array.from(value))).toBe(expected);
  });

  it('prints objects by their names, whose values may lie in another order', () => {
    // {"a": true, "b": 7}: ids 1 and 0, the value of "b" stored first.
    const value = bytes(2, 2, 1, 0, 2, 0, 3, primitive(3), 7, primitive(1));
    expect(variantToJson(names('b', 'a'), value)).toBe('{"a":true,"b":7}');
  });

  it.each([
    ['metadata of another version', bytes(2, 0, 0), [primitive(0)]],
    ['no metadata', bytes(), [primitive(0)]],
    ['no value', noNames, []],
    ['cut off', noNames, [primitive(6), 1, 2]],
    ['a string past the end', noNames, [primitive(16), 9, 0, 0, 0, 1]],
    ['a field without a name', noNames, [2, 1, 0, 0, 1, primitive(0)]],
    ['an unknown type', noNames, [primitive(40)]],
    ['a huge array', noNames, [3 | (1 << 4), 255, 255, 255, 255]],
  ])('refuses %s', (_name, metadata, value) => {
    expect(() => variantToJson(metadata, Uint8Array.from(value))).toThrowError(
      expect.objectContaining({ name: 'DeltaError', code: 'Parquet' }),
    );
  });

  it('refuses parts that overlap instead of growing without bound', () => {
    // Each of 20 levels holds two elements at the same offset: 2^20 leaves in about 100 bytes.
    let value = [primitive(0)];
    for (let level = 0; level < 20; level += 1) value = [3, 2, 0, 0, value.length % 256, ...value];
    expect(() => variantToJson(noNames, Uint8Array.from(value))).toThrowError(/overlap/);
  });

  it('refuses deep nesting', () => {
    let value = [primitive(0)];
    for (let level = 0; level < 600; level += 1) {
      value = [3 | (1 << 3), 1, 0, 0, 0, value.length % 256, (value.length >> 8) % 256, 0, ...value];
    }
    expect(() => variantToJson(noNames, Uint8Array.from(value))).toThrowError(/nested/);
  });
});
