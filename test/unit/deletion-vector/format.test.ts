import { deflateSync, crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../../src/kernel/deletion-vector/crc32.ts';
import {
  checkDescriptor,
  deletionVectorId,
  encodeVectorPath,
  relativeVectorPath,
} from '../../../src/kernel/deletion-vector/descriptor.ts';
import {
  bitmapOf,
  encodePayload,
  encodeVectorFile,
  unframeVector,
} from '../../../src/kernel/deletion-vector/format.ts';
import { decodeZ85, encodeZ85 } from '../../../src/kernel/deletion-vector/z85.ts';

/** A failure that names deletion vectors. */
const failure = (message: RegExp) =>
  expect.objectContaining({ code: 'DeletionVector', message: expect.stringMatching(message) });

describe('Z85', () => {
  it('encodes the vector of ZeroMQ RFC 32', () => {
    const bytes = Uint8Array.of(0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b);
    expect(encodeZ85(bytes)).toBe('HelloWorld');
    expect(decodeZ85('HelloWorld')).toEqual(bytes);
  });

  it('pads with zeros', () => {
    expect(decodeZ85(encodeZ85(Uint8Array.of(1, 2, 3, 4, 5)))).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 0, 0, 0));
  });

  it('drops what lies above 32 bits, as Spark does', () => {
    // The last group of a vector in a table of the Rust kernel: 84·85⁴ + 84·85³ + 9·85 + 3 − 2³² = 0x086eb2d8.
    expect(decodeZ85('##093')).toEqual(Uint8Array.of(0x08, 0x6e, 0xb2, 0xd8));
  });

  it.each([
    ['Hell', /not a multiple of 5/],
    ['Hel o', /no Z85 character/],
  ])('refuses %s', (text, message) => {
    expect(() => decodeZ85(text)).toThrow(failure(message));
  });
});

describe('CRC-32', () => {
  it('gives the check value of ISO-HDLC', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });

  it.skipIf(zlibCrc32 === undefined)('agrees with zlib', () => {
    const bytes = deflateSync('some bytes');
    expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  });
});

describe('descriptors', () => {
  // The examples of PROTOCOL.md, "Deletion Vectors".
  it('u: prefix and UUID', () => {
    expect(relativeVectorPath('ab^-aqEH.-t@S}K{vb[*k^')).toBe(
      'ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin',
    );
    expect(encodeVectorPath('d2c639aa-8816-431a-aaf6-d3fe2512ff61', 'ab')).toBe('ab^-aqEH.-t@S}K{vb[*k^');
    expect(relativeVectorPath('^-aqEH.-t@S}K{vb[*k^')).toBe(
      'deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin',
    );
  });

  it('a prefix is one directory, whatever it holds', () => {
    expect(relativeVectorPath('a/%b^-aqEH.-t@S}K{vb[*k^')).toMatch(/^a%2F%25b\/deletion_vector_/);
  });

  it('unique ids have an offset only where the descriptor does', () => {
    expect(deletionVectorId('u', 'x', undefined)).toBe('ux');
    expect(deletionVectorId('u', 'x', 0)).toBe('ux@0');
    expect(deletionVectorId('u', 'x', 4)).toBe('ux@4');
  });

  const good = { storageType: 'u', pathOrInlineDv: 'x', sizeInBytes: 3, cardinality: 1 };
  it('passes what is right', () => {
    expect(checkDescriptor(good)).toEqual(good);
    expect(checkDescriptor({ ...good, offset: 0 })).toEqual({ ...good, offset: 0 });
  });

  it.each([
    [{ storageType: 'x' }, /unknown storageType "x"/],
    [{ pathOrInlineDv: '' }, /no pathOrInlineDv/],
    [{ sizeInBytes: -1 }, /sizeInBytes -1/],
    [{ cardinality: null }, /cardinality null/],
    [{ offset: -4 }, /offset -4/],
  ])('refuses %j', (change, message) => {
    expect(() => checkDescriptor({ ...good, ...change }, 'f.parquet')).toThrow(failure(message));
    expect(() => checkDescriptor({ ...good, ...change }, 'f.parquet')).toThrow(/f\.parquet/);
  });
});

describe('files of vectors', () => {
  const first = encodePayload(Uint8Array.of(1, 2, 3));
  const second = encodePayload(Uint8Array.of(9, 8));

  it('frame each payload: big-endian size and CRC, little-endian magic', () => {
    const { bytes, offsets } = encodeVectorFile([first, second]);
    expect(offsets).toEqual([1, 1 + 8 + 7]);
    expect(Array.from(bytes.slice(0, 12))).toEqual([1, 0, 0, 0, 7, 0xd1, 0xd3, 0x39, 0x64, 1, 2, 3]);
    expect(new DataView(bytes.buffer).getUint32(12)).toBe(crc32(first));
    expect(bitmapOf(unframeVector(bytes.subarray(offsets[1]!), 6))).toEqual(Uint8Array.of(9, 8));
  });

  it.each([
    ['a size other than the descriptor says', 6, () => {}, /the file says 7 bytes, its descriptor 6/],
    ['a flipped byte', 7, (bytes: Uint8Array) => (bytes[9]! ^= 1), /checksum/],
    ['too few bytes', 70, () => {}, /bytes where 78 are needed/],
  ])('%s is refused', (_, size, change, message) => {
    const { bytes } = encodeVectorFile([first]);
    change(bytes);
    expect(() => unframeVector(bytes.subarray(1), size)).toThrow(failure(message));
  });

  it('the native form becomes the portable one', () => {
    const bitmaps = [Uint8Array.of(7, 7, 7), Uint8Array.of(5)];
    for (const littleEndian of [true, false]) {
      const native = new Uint8Array(8 + 4 + 3 + 4 + 1);
      const view = new DataView(native.buffer);
      view.setUint32(0, 1681511376, littleEndian);
      view.setUint32(4, 2, littleEndian);
      view.setUint32(8, 3, littleEndian);
      native.set(bitmaps[0]!, 12);
      view.setUint32(15, 1, littleEndian);
      native.set(bitmaps[1]!, 19);
      const portable = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 1, 0, 0, 0, 5];
      expect(Array.from(bitmapOf(native))).toEqual(portable);
      expect(() => bitmapOf(native.subarray(0, 18))).toThrow(failure(/cut short/));
    }
  });

  it('another magic number is refused', () => {
    const payload = first.slice();
    payload[0] = 0xd2;
    expect(() => bitmapOf(payload)).toThrow(failure(/magic number 1681511378 is not 1681511377/));
    expect(() => bitmapOf(new Uint8Array(2))).toThrow(failure(/hold no deletion vector/));
  });
});
