/**
 * Types that columns of Parquet files have and columns of Delta tables do not: typed columns of variants may. They are
 * opaque types, of names that no schema of a table has, which the engine reads all the same.
 */
import { type DataType as ArrowType, Binary, TimeMicrosecond, TimestampNanosecond } from 'apache-arrow';
import type { OpaqueType, StructField } from '../kernel/schema/types.ts';

/**
 * Metadata of a footer's fields that tells how a column is stored where its type does not: `nanos` (timestamps of
 * nanoseconds), `time` (of day, local, in microseconds), `uuid`, `fixed` (other bytes of one length).
 */
export const STORED_AS = 'parquet.storedAs';

interface StoredType {
  /** Its name where schemas cross into the core. */
  readonly wire: string;
  readonly arrow: () => ArrowType;
}

/** By the opaque type's name. */
export const STORED_TYPES: Readonly<Record<string, StoredType>> = {
  'parquet:timestamp_nanos': { wire: 'timestamp_nanos', arrow: () => new TimestampNanosecond() },
  'parquet:timestamp_ntz_nanos': { wire: 'timestamp_nanos', arrow: () => new TimestampNanosecond() },
  'parquet:time': { wire: 'time', arrow: () => new TimeMicrosecond() },
  'parquet:uuid': { wire: 'binary', arrow: () => new Binary() },
};

/** What a footer's field is stored as, where that is none of Delta's types. */
export function storedType({ type, metadata }: StructField): OpaqueType | undefined {
  const kind = metadata[STORED_AS];
  const base = type.kind === 'primitive' ? type.name : undefined;
  const name = kind === 'nanos' && base !== undefined ? `${base}_nanos` : String(kind);
  return `parquet:${name}` in STORED_TYPES ? { kind: 'opaque', name: `parquet:${name}` } : undefined;
}
