/** Table properties that say how data files are written. */
import { DeltaError } from '../../errors.ts';
import type { TableProperties } from '../../kernel/table-properties.ts';

const DEFAULT_FILE_SIZE = 128 << 20;
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** Bytes of a data file, about: `delta.targetFileSize` (`104857600`, `100mb`), 128 MiB by default. */
export function targetFileSizeOf({ raw }: TableProperties): number {
  const value = raw['delta.targetFileSize'];
  if (value === undefined) return DEFAULT_FILE_SIZE;
  const [, digits, unit = ''] = /^\s*(\d+)\s*([bkmg]?)b?\s*$/i.exec(value) ?? [];
  const size = Number(digits) * UNITS[unit.toLowerCase()]!;
  if (Number.isSafeInteger(size) && size > 0) return size;
  throw malformed('delta.targetFileSize', value, 'a size such as 100mb');
}

/** `delta.parquet.compression.codec` by its name in Parquet; undefined where the engine is to choose. */
export function compressionOf({ parquetCompressionCodec: codec }: TableProperties): string | undefined {
  const name = codec?.trim().toLowerCase();
  if (name === 'none') return 'uncompressed';
  return name === 'lz4' ? 'lz4_raw' : name;
}

function malformed(key: string, value: string, expected: string): DeltaError {
  const message = `the table property ${key} is ${JSON.stringify(value)}, expected ${expected}`;
  return new DeltaError('ParseError', message);
}
