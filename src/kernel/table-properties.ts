/**
 * Table properties (`metaData.configuration`) with their types and defaults (`PROTOCOL.md`, "Table Properties", and
 * Delta's documentation).
 *
 * A value that does not parse is an error of whoever needs it (`ParseError` when the property is read), so that a
 * broken writer setting does not stop readers.
 */
import { DeltaError } from '../errors.ts';
import type { Metadata, Protocol } from './actions/types.ts';
import { isFeatureSupported } from './table-features/protocol-support.ts';

export type ColumnMappingMode = 'none' | 'name' | 'id';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface TableProperties {
  /** As stored, unknown keys too. */
  readonly raw: Readonly<Record<string, string>>;
  /** `delta.columnMapping.mode`, `none` where the protocol does not support the feature. */
  readonly columnMappingMode: ColumnMappingMode;
  readonly columnMappingMaxColumnId: number | undefined;
  readonly appendOnly: boolean;
  readonly enableChangeDataFeed: boolean;
  readonly enableDeletionVectors: boolean;
  readonly enableTypeWidening: boolean;
  readonly enableRowTracking: boolean;
  readonly rowTrackingSuspended: boolean;
  readonly materializedRowIdColumnName: string | undefined;
  readonly materializedRowCommitVersionColumnName: string | undefined;
  readonly enableInCommitTimestamps: boolean;
  /** Both or neither are set: neither means since version 0. */
  readonly inCommitTimestampEnablementVersion: number | undefined;
  readonly inCommitTimestampEnablementTimestamp: number | undefined;
  readonly checkpointInterval: number;
  readonly checkpointPolicy: 'classic' | 'v2';
  readonly checkpointWriteStatsAsJson: boolean;
  readonly checkpointWriteStatsAsStruct: boolean;
  /** −1: all columns. */
  readonly dataSkippingNumIndexedCols: number;
  /** Comma-separated column names, as stored. */
  readonly dataSkippingStatsColumns: string | undefined;
  /** Milliseconds, as all durations here. */
  readonly deletedFileRetentionDuration: number;
  readonly logRetentionDuration: number;
  readonly setTransactionRetentionDuration: number | undefined;
  readonly enableExpiredLogCleanup: boolean;
  readonly isolationLevel: string;
  readonly randomizeFilePrefixes: boolean;
  readonly randomPrefixLength: number;
  readonly parquetCompressionCodec: string | undefined;
}

/** The properties of a table; see {@link TableProperties} for when a malformed value shows. */
export function tableProperties(
  protocol: Protocol,
  metadata: Partial<Metadata> & Pick<Metadata, 'configuration'>,
): TableProperties {
  return new ParsedProperties(protocol, metadata.configuration);
}

/** Reads every property, for those who are about to store them: `ParseError` for the first value that is none. */
export function checkTableProperties(properties: TableProperties): void {
  for (const name of Object.getOwnPropertyNames(ParsedProperties.prototype)) Reflect.get(properties, name);
}

class ParsedProperties implements TableProperties {
  readonly raw: Readonly<Record<string, string>>;
  readonly #mappingSupported: boolean;

  constructor(protocol: Protocol, configuration: Readonly<Record<string, string>>) {
    this.raw = configuration;
    this.#mappingSupported = isFeatureSupported(protocol, 'columnMapping');
  }

  get columnMappingMode() {
    if (!this.#mappingSupported) return 'none';
    return this.#oneOf('delta.columnMapping.mode', ['none', 'name', 'id']);
  }
  get columnMappingMaxColumnId() {
    return this.#optionalInteger('delta.columnMapping.maxColumnId', 0);
  }
  get appendOnly() {
    return this.#boolean('delta.appendOnly', false);
  }
  get enableChangeDataFeed() {
    return this.#boolean('delta.enableChangeDataFeed', false);
  }
  get enableDeletionVectors() {
    return this.#boolean('delta.enableDeletionVectors', false);
  }
  get enableTypeWidening() {
    return this.#boolean('delta.enableTypeWidening', false);
  }
  get enableRowTracking() {
    return this.#boolean('delta.enableRowTracking', false);
  }
  get rowTrackingSuspended() {
    return this.#boolean('delta.rowTrackingSuspended', false);
  }
  get materializedRowIdColumnName() {
    return this.raw['delta.rowTracking.materializedRowIdColumnName'];
  }
  get materializedRowCommitVersionColumnName() {
    return this.raw['delta.rowTracking.materializedRowCommitVersionColumnName'];
  }
  get enableInCommitTimestamps() {
    return this.#boolean('delta.enableInCommitTimestamps', false);
  }
  get inCommitTimestampEnablementVersion() {
    return this.#optionalInteger('delta.inCommitTimestampEnablementVersion', 0);
  }
  get inCommitTimestampEnablementTimestamp() {
    return this.#optionalInteger('delta.inCommitTimestampEnablementTimestamp', 0);
  }
  get checkpointInterval() {
    return this.#optionalInteger('delta.checkpointInterval', 1) ?? 10;
  }
  get checkpointPolicy() {
    return this.#oneOf('delta.checkpointPolicy', ['classic', 'v2']);
  }
  get checkpointWriteStatsAsJson() {
    return this.#boolean('delta.checkpoint.writeStatsAsJson', true);
  }
  get checkpointWriteStatsAsStruct() {
    return this.#boolean('delta.checkpoint.writeStatsAsStruct', false);
  }
  get dataSkippingNumIndexedCols() {
    return this.#optionalInteger('delta.dataSkippingNumIndexedCols', -1) ?? 32;
  }
  get dataSkippingStatsColumns() {
    return this.raw['delta.dataSkippingStatsColumns'];
  }
  get deletedFileRetentionDuration() {
    return this.#optionalDuration('delta.deletedFileRetentionDuration') ?? 7 * DAY;
  }
  get logRetentionDuration() {
    return this.#optionalDuration('delta.logRetentionDuration') ?? 30 * DAY;
  }
  get setTransactionRetentionDuration() {
    return this.#optionalDuration('delta.setTransactionRetentionDuration');
  }
  get enableExpiredLogCleanup() {
    return this.#boolean('delta.enableExpiredLogCleanup', true);
  }
  get isolationLevel() {
    return this.raw['delta.isolationLevel'] ?? 'Serializable';
  }
  get randomizeFilePrefixes() {
    return this.#boolean('delta.randomizeFilePrefixes', false);
  }
  get randomPrefixLength() {
    return this.#optionalInteger('delta.randomPrefixLength', 1) ?? 2;
  }
  get parquetCompressionCodec() {
    return this.raw['delta.parquet.compression.codec'];
  }

  #boolean(key: string, byDefault: boolean): boolean {
    const value = this.raw[key];
    if (value === undefined) return byDefault;
    const lower = value.trim().toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    throw malformed(key, value, 'true or false');
  }

  #optionalInteger(key: string, least: number): number | undefined {
    const value = this.raw[key];
    if (value === undefined) return undefined;
    const number = /^[+-]?\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw malformed(key, value, `a whole number ≥ ${least}`);
  }

  #optionalDuration(key: string): number | undefined {
    const value = this.raw[key];
    if (value === undefined) return undefined;
    const duration = parseInterval(value);
    if (duration !== undefined) return duration;
    throw malformed(key, value, 'an interval such as "interval 7 days" (no months or years)');
  }

  #oneOf<const T extends string>(key: string, values: readonly [T, ...T[]]): T {
    const value = this.raw[key];
    if (value === undefined) return values[0];
    const found = values.find((candidate) => candidate === value.trim().toLowerCase());
    if (found !== undefined) return found;
    throw malformed(key, value, values.join(', '));
  }
}

function malformed(key: string, value: string, expected: string): DeltaError {
  return new DeltaError(
    'ParseError',
    `the table property ${key} is ${JSON.stringify(value)}, expected ${expected}`,
  );
}

const UNITS: Readonly<Record<string, number>> = {
  microsecond: 1 / 1000,
  millisecond: 1,
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};

/**
 * A duration as Spark writes it, in milliseconds: `interval 7 days`, `interval 1 week 12 hours`; the word `interval`
 * may be missing. Undefined where it is malformed, negative, or in months or years, whose lengths vary.
 */
export function parseInterval(text: string): number | undefined {
  const words = text.trim().toLowerCase().split(/\s+/);
  if (words[0] === 'interval') words.shift();
  if (words.length === 0 || words.length % 2 !== 0) return undefined;
  let total = 0;
  for (let index = 0; index < words.length; index += 2) {
    const amount = /^\+?\d+$/.test(words[index]!) ? Number(words[index]) : Number.NaN;
    const unit = UNITS[words[index + 1]!.replace(/s$/, '')];
    if (unit === undefined) return undefined;
    total += amount * unit;
  }
  return Number.isFinite(total) && total <= Number.MAX_SAFE_INTEGER ? Math.floor(total) : undefined;
}
