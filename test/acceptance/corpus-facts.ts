/**
 * What is known of corpus tables for which no rows are stored: from the corpus' README, from what Spark answered
 * (`rows.source`), and from replaying their logs with a few lines of Python and hyparquet.
 */
import type { DeltaErrorCode } from '../../src/errors.ts';

export type Fact =
  /** The table must be refused. */
  | { readonly refused: DeltaErrorCode }
  /** Logs whose data files are (partly) missing: what the log says; reading rows fails by `read`, if given. */
  | {
      readonly version: number;
      readonly files: number;
      readonly bytes: number;
      readonly records: number | null;
      readonly columns: readonly string[];
      readonly read?: DeltaErrorCode;
    }
  /** Too many rows to store: how many, and a few of them. */
  | { readonly version: number; readonly rows: number; readonly some: readonly string[] };

export const FACTS: Readonly<Record<string, Fact>> = {
  'delta-rs/COVID-19_NYT': {
    version: 0,
    rows: 1_111_930,
    some: [],
  },
  'delta-rs/checkpoint_with_partitions': {
    version: 2,
    files: 2,
    bytes: 200,
    records: null,
    columns: ['id', 'color'],
    read: 'FileNotFound',
  },
  'delta-rs/checkpoints': {
    version: 12,
    files: 12,
    bytes: 18024,
    records: 12,
    columns: ['some_struct', 'value', 'ts', 'date'],
    read: 'FileNotFound',
  },
  'delta-rs/latest_not_checkpointed': {
    version: 3,
    files: 1,
    bytes: 1010,
    records: 5,
    columns: ['letter', 'int', 'date'],
    read: 'FileNotFound',
  },
  // Reader version 5 does not exist.
  'delta-rs/simple_table_features': { refused: 'Unsupported' },
  'golden/checkpoint': {
    version: 14,
    files: 1,
    bytes: 1,
    records: null,
    columns: ['intCol'],
    read: 'FileNotFound',
  },
  // These three have no schema: Spark opens them, and has no column to read.
  'golden/corrupted-last-checkpoint': { version: 10, files: 11, bytes: 11, records: null, columns: [] },
  'golden/deltalog-commit-info': { version: 0, files: 1, bytes: 1, records: null, columns: [] },
  'golden/update-deleted-directory': { version: 0, files: 10, bytes: 10, records: null, columns: [] },
  'golden/data-reader-absolute-paths-escaped-chars': { refused: 'MissingMetadata' },
  'golden/deltalog-invalid-protocol-version': { refused: 'Unsupported' },
  'golden/deltalog-state-reconstruction-from-checkpoint-missing-protocol': { refused: 'MissingProtocol' },
  'golden/deltalog-state-reconstruction-without-metadata': { refused: 'MissingMetadata' },
  'golden/log-store-listFrom': { refused: 'TableNotFound' },
  'golden/no-delta-log-folder': { refused: 'TableNotFound' },
  'golden/parquet-decimal-dictionaries': { version: 0, rows: 1_000_000, some: [] },
  'golden/versions-not-contiguous': { refused: 'InvalidLog' },
  // Catalog-managed tables are not to be read by their path.
  'java-kernel/catalog-owned-preview': { refused: 'MaxCatalogVersion' },
  'unity-catalog/catalog_managed_0': { refused: 'MaxCatalogVersion' },
  // Plain Parquet files without a log; a checksum without a commit.
  'java-kernel/parquet-basic-row-indexes': { refused: 'TableNotFound' },
  'kernel/crc-malformed': { refused: 'TableNotFound' },
  'kernel/app-txn-with-last-updated': {
    version: 3,
    files: 4,
    bytes: 3236,
    records: 8,
    columns: ['a', 'b'],
    read: 'FileNotFound',
  },
  // Feature geospatial.
  'kernel/table-with-geo': { refused: 'Unsupported' },
  'kernel/timestamp-partitioned-table': {
    version: 0,
    rows: 1,
    some: ['{"id":1,"x":0.5,"s":"","time":"1971-07-22T03:06:40.000000Z"}'],
  },
  // A byte was widened to decimal(4,1), which `PROTOCOL.md` does not list among the type changes.
  'kernel/type-widening': { refused: 'Unsupported' },
  'kernel/with_checkpoint_no_last_checkpoint': {
    version: 3,
    files: 1,
    bytes: 1010,
    records: 5,
    columns: ['letter', 'int', 'date'],
    read: 'FileNotFound',
  },
  // Their deletion vectors have names with a prefix that only Spark's own tests understand; see `corpus.test.ts`.
  'spark/table-with-dv-large': {
    version: 4,
    files: 22,
    bytes: 21357,
    records: 1993,
    columns: ['value'],
    read: 'FileNotFound',
  },
  'spark/table-with-dv-small': {
    version: 1,
    files: 1,
    bytes: 818,
    records: 8,
    columns: ['value'],
    read: 'FileNotFound',
  },
};
