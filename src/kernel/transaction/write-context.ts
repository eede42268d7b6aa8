/** Where and how the data files of one partition are written. */
import { physicalWriteSchema } from '../column-mapping/physical-schema.ts';
import { partitionFields } from '../column-mapping/resolve.ts';
import type { Runtime } from '../engine.ts';
import type { Expression, Predicate } from '../expressions/types.ts';
import type { NormalizedPartitionValue } from '../partition-values/normalize.ts';
import { partitionDirectory } from '../partition-values/path.ts';
import { encodeLogPath, joinPath } from '../paths.ts';
import { isAbsent, partitionKey } from '../scan/scan-schema.ts';
import { type DataType, type StructField, type StructType, types } from '../schema/types.ts';
import { checkSchemaForDataFiles } from '../schema/write-rules.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import type { ColumnMappingMode } from '../table-properties.ts';
import { statsColumns } from './stats-columns.ts';

/** A data file that is about to be written. */
export interface NewFile {
  readonly location: URL;
  /** The same file as `add.path` has it. */
  readonly path: string;
}

export interface WriteContext {
  readonly tableRoot: URL;
  /** The folder of this partition's files; ends in `/`. Its name means nothing to readers. */
  readonly targetDirectory: URL;
  /** What comes in: the table's columns without the partition columns. */
  readonly logicalSchema: StructType;
  /** What data files hold: physical names, field ids where columns are mapped, no void columns. */
  readonly physicalSchema: StructType;
  /** From batches of `logicalSchema` to batches of `physicalSchema`. */
  readonly logicalToPhysical: Expression;
  /** Physical paths of the leaves to collect statistics of, in schema order. */
  readonly statsColumns: readonly (readonly string[])[];
  /** `add.partitionValues` of these files: by physical name. */
  readonly partitionValues: Readonly<Record<string, string | null>>;
  readonly columnMappingMode: ColumnMappingMode;
  /** A fresh name in `targetDirectory`. */
  newFile(): NewFile;
  /** A fresh name for a file of changed rows, in `_change_data/` (`PROTOCOL.md`, "Add CDC File"). */
  newChangeFile(): NewFile;
}

export interface WriteContextOptions {
  /**
   * Logical paths of the columns that the table is clustered by (`snapshot.clusteringColumns`), which always have
   * statistics. A clustered table of which they are not said gets statistics of all columns.
   */
  readonly clusteringColumns?: readonly (readonly string[])[] | undefined;
}

/** @param values in partition order. Throws `Schema` where no data file can be written for the table's schema. */
export function writeContext(
  snapshot: SnapshotState,
  values: readonly NormalizedPartitionValue[],
  { clusteringColumns }: WriteContextOptions = {},
): WriteContext {
  const { schema, metadata, tableRoot, tableProperties, runtime, protocol } = snapshot;
  checkSchemaForDataFiles(schema);
  const mode = tableProperties.columnMappingMode;
  const isPartition = (each: StructField) => metadata.partitionColumns.includes(each.name);
  const logicalSchema = types.struct(schema.fields.filter((each) => !isPartition(each)));
  const materialized = isFeatureSupported(protocol, 'materializePartitionColumns');
  const written = schema.fields.filter((each) => !isAbsent(each) && (materialized || !isPartition(each)));
  const partitionValues = new Map(values.map(({ column, value }) => [column, value]));
  const names = partitionFields(schema, metadata.partitionColumns, mode).map((each) =>
    partitionKey(snapshot, each.physicalName),
  );
  const directory = directoryOf(snapshot, values);
  const everyLeaf = logicalSchema.fields.map(({ name }) => [name]);
  const clustered = isFeatureSupported(protocol, 'clustering') ? (clusteringColumns ?? everyLeaf) : [];
  const fileIn = (folder: string) => newFile(tableRoot, folder, runtime);
  return {
    tableRoot,
    targetDirectory: directory === '' ? tableRoot : joinPath(tableRoot, `${directory}/`),
    logicalSchema,
    physicalSchema: physicalWriteSchema(types.struct(written.map(withoutVoid)), mode),
    logicalToPhysical: {
      kind: 'struct',
      fields: written.map((each): Expression => {
        const literal = partitionValues.get(each.name);
        return literal === undefined ? dataColumn([each.name], each.type) : { kind: 'literal', literal };
      }),
    },
    statsColumns: statsColumns(snapshot, logicalSchema, clustered),
    partitionValues: Object.fromEntries(values.map(({ serialized }, index) => [names[index]!, serialized])),
    columnMappingMode: mode,
    newFile: () => fileIn(directory),
    newChangeFile: () => fileIn(directory === '' ? '_change_data' : `_change_data/${directory}`),
  };
}

/**
 * Hive-style directories; where columns are mapped, names of columns must not show, so a random prefix as of
 * `delta.randomizeFilePrefixes` takes their place.
 */
function directoryOf(
  { tableProperties, runtime }: SnapshotState,
  values: readonly NormalizedPartitionValue[],
): string {
  const { columnMappingMode, randomizeFilePrefixes, randomPrefixLength } = tableProperties;
  if (columnMappingMode === 'none' && !randomizeFilePrefixes) {
    return partitionDirectory(values.map(({ column, serialized }) => [column, serialized]));
  }
  if (values.length === 0 && !randomizeFilePrefixes) return '';
  let prefix = '';
  while (prefix.length < randomPrefixLength) prefix += runtime.uuid().replaceAll('-', '');
  return prefix.slice(0, randomPrefixLength);
}

function newFile(tableRoot: URL, folder: string, runtime: Runtime): NewFile {
  const name = `part-00000-${runtime.uuid()}.parquet`;
  const path = folder === '' ? name : `${folder}/${name}`;
  return { location: joinPath(tableRoot, path), path: encodeLogPath(path) };
}

/** `PROTOCOL.md`, "Void Type": void fields of structs are in no file. */
function withoutVoid(logical: StructField): StructField {
  if (logical.type.kind !== 'struct') return logical;
  const fields = logical.type.fields.filter((each) => !isAbsent(each)).map(withoutVoid);
  return { ...logical, type: types.struct(fields) };
}

/** A column as it is (evaluators rename by position); a struct with void fields is built anew without them. */
function dataColumn(path: readonly string[], type: DataType): Expression {
  const column: Expression = { kind: 'column', path };
  if (type.kind !== 'struct' || !hasVoid(type)) return column;
  const isNotNull: Predicate = { kind: 'not', input: { kind: 'isNull', input: column } };
  const fields = type.fields
    .filter((each) => !isAbsent(each))
    .map((each) => dataColumn([...path, each.name], each.type));
  return { kind: 'struct', fields, keep: isNotNull };
}

function hasVoid(type: DataType): boolean {
  return type.kind === 'struct' && type.fields.some((each) => isAbsent(each) || hasVoid(each.type));
}
