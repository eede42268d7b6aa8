/** Actions to batches of one column, a row per action, in the order in which a commit holds them. */
import {
  actionsSchema,
  addSchema,
  cdcSchema,
  domainMetadataSchema,
  metadataSchema,
  protocolSchema,
  removeSchema,
  txnSchema,
} from '../actions/schemas.ts';
import type {
  DeletionVectorDescriptor,
  DomainMetadata,
  Metadata,
  Protocol,
  SetTransaction,
} from '../actions/types.ts';
import type { Engine } from '../engine.ts';
import { allSelected, type FilteredEngineData } from '../engine-data.ts';
import type { Scalar, ScalarValue } from '../expressions/types.ts';
import type { ScanFile } from '../scan/scan-files.ts';
import { field, type StructType, types } from '../schema/types.ts';
import type { AddFile, CdcFile } from './file-actions.ts';

/** A file as `add` has it: row ids and versions are known. */
export interface LoggedAdd extends AddFile {
  readonly dataChange: boolean;
}

export interface LoggedRemove {
  readonly file: ScanFile;
  /** Milliseconds since the Unix epoch. */
  readonly deletionTimestamp: number;
  readonly dataChange: boolean;
}

export interface CommitActions {
  readonly commitInfo: Scalar;
  readonly protocol: Protocol | undefined;
  readonly metadata: Metadata | undefined;
  readonly adds: readonly LoggedAdd[];
  readonly cdc: readonly CdcFile[];
  readonly transactions: readonly SetTransaction[];
  readonly domains: readonly DomainMetadata[];
  readonly removes: readonly LoggedRemove[];
  /** Each update of a deletion vector: the file as it was goes, the same with the new vector comes. */
  readonly vectorPairs: readonly { readonly remove: LoggedRemove; readonly add: LoggedAdd }[];
}

/** Rows of one batch. */
const BATCH_ROWS = 1000;

/** The batches of a commit; may be asked for again, for another attempt. */
export async function* actionBatches(
  engine: Engine,
  actions: CommitActions,
): AsyncGenerator<FilteredEngineData, void, undefined> {
  const one = (name: string, scalar: Scalar) =>
    batch(engine, name, scalar.type as StructType, [scalar.value]);
  yield one('commitInfo', actions.commitInfo);
  if (actions.protocol) yield one('protocol', protocolScalar(actions.protocol));
  if (actions.metadata) yield one('metaData', metadataScalar(actions.metadata));
  yield* chunks(engine, 'add', addSchema, actions.adds, addValue);
  yield* chunks(engine, 'cdc', cdcSchema, actions.cdc, cdcValue);
  yield* chunks(engine, 'txn', txnSchema, actions.transactions, transactionValue);
  yield* chunks(engine, 'domainMetadata', domainMetadataSchema, actions.domains, domainValue);
  yield* chunks(engine, 'remove', removeSchema, actions.removes, removeValue);
  yield* pairs(engine, actions.vectorPairs);
}

function* chunks<T>(
  engine: Engine,
  name: string,
  type: StructType,
  items: readonly T[],
  toValue: (item: T) => ScalarValue,
): Generator<FilteredEngineData> {
  for (let start = 0; start < items.length; start += BATCH_ROWS) {
    yield batch(engine, name, type, items.slice(start, start + BATCH_ROWS).map(toValue));
  }
}

function batch(engine: Engine, name: string, type: StructType, values: ScalarValue[]): FilteredEngineData {
  const schema = types.struct([field(name, type)]);
  const rows = values.map((value) => [{ type, value }]);
  return allSelected(engine.evaluationHandler.createMany(schema, rows));
}

function* pairs(engine: Engine, items: CommitActions['vectorPairs']): Generator<FilteredEngineData> {
  const schema = actionsSchema('remove', 'add');
  const none = { remove: { type: removeSchema, value: null }, add: { type: addSchema, value: null } };
  for (let start = 0; start < items.length; start += BATCH_ROWS) {
    const rows = items.slice(start, start + BATCH_ROWS).flatMap(({ remove, add }) => [
      [{ type: removeSchema, value: removeValue(remove) }, none.add],
      [none.remove, { type: addSchema, value: addValue(add) }],
    ]);
    yield allSelected(engine.evaluationHandler.createMany(schema, rows));
  }
}

export function protocolScalar(protocol: Protocol): Scalar {
  const { minReaderVersion, minWriterVersion, readerFeatures, writerFeatures } = protocol;
  const value = [minReaderVersion, minWriterVersion, readerFeatures ?? null, writerFeatures ?? null];
  return { type: protocolSchema, value };
}

export function metadataScalar(metadata: Metadata): Scalar {
  const { id, name, description, format, schemaString, partitionColumns, createdTime } = metadata;
  const stored = metadata.storedPartitionNames ?? {};
  const value = [
    id,
    name ?? null,
    description ?? null,
    [format.provider, Object.entries(format.options)],
    schemaString,
    partitionColumns.map((column) => stored[column] ?? column),
    createdTime === undefined ? null : BigInt(createdTime),
    Object.entries(metadata.configuration),
  ];
  return { type: metadataSchema, value };
}

export function addValue(add: LoggedAdd): ScalarValue {
  return [
    add.path,
    Object.entries(add.partitionValues),
    BigInt(add.size),
    BigInt(add.modificationTime),
    add.dataChange,
    add.stats ?? null,
    mapValue(add.tags),
    vectorValue(add.deletionVector),
    add.baseRowId ?? null,
    longValue(add.defaultRowCommitVersion),
    add.clusteringProvider ?? null,
  ];
}

/** With `extendedFileMetadata`: partition values, size and tags come along. */
export function removeValue({ file, deletionTimestamp, dataChange }: LoggedRemove): ScalarValue {
  return [
    file.path,
    BigInt(deletionTimestamp),
    dataChange,
    true,
    Object.entries(file.partitionValues),
    BigInt(file.size),
    file.stats ?? null,
    mapValue(file.tags),
    vectorValue(file.deletionVector),
    file.baseRowId ?? null,
    longValue(file.defaultRowCommitVersion),
  ];
}

function cdcValue({ path, partitionValues, size, tags }: CdcFile): ScalarValue {
  return [path, Object.entries(partitionValues), BigInt(size), false, mapValue(tags)];
}

export function transactionValue({ appId, version, lastUpdated }: SetTransaction): ScalarValue {
  return [appId, BigInt(version), longValue(lastUpdated)];
}

export function domainValue({ domain, configuration, removed }: DomainMetadata): ScalarValue {
  return [domain, configuration, removed];
}

function vectorValue(vector: DeletionVectorDescriptor | undefined): ScalarValue {
  if (vector === undefined) return null;
  const { storageType, pathOrInlineDv, offset, sizeInBytes, cardinality } = vector;
  return [storageType, pathOrInlineDv, offset ?? null, sizeInBytes, BigInt(cardinality)];
}

function mapValue(map: Readonly<Record<string, string | null>> | undefined): ScalarValue {
  return map === undefined ? null : Object.entries(map);
}

function longValue(value: number | undefined): ScalarValue {
  return value === undefined ? null : BigInt(value);
}
