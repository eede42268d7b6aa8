/** What a scan reads and gives: from options to a logical schema, a physical schema, and where each column is from. */
import { DeltaError } from '../../errors.ts';
import { physicalName, physicalReadSchema } from '../column-mapping/physical-schema.ts';
import { partitionFields } from '../column-mapping/resolve.ts';
import type { Predicate } from '../expressions/types.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { allFields, projectSchema, selectColumns } from '../schema/schema.ts';
import { field, METADATA_KEYS, type StructField, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';

/**
 * Columns that a scan generates: the file's URL, the row's position in it, and with row tracking the row's stable id
 * and the version that last wrote it (`PROTOCOL.md`, "Row Tracking").
 */
export const SCAN_METADATA_COLUMNS = ['filePath', 'rowIndex', 'rowId', 'rowCommitVersion'] as const;
export type ScanMetadataColumn = (typeof SCAN_METADATA_COLUMNS)[number];

export interface ProjectionOptions {
  /** Columns in the order wanted, all by default: names, or paths into structs (`a.b`, `['a', 'b']`). */
  readonly columns?: readonly (string | readonly string[])[] | undefined;
  /**
   * Instead of `columns`: the fields wanted, structs narrowed at any depth. A field whose metadata has
   * `delta.metadataColumn` is a {@link ScanMetadataColumn}.
   */
  readonly schema?: StructType | undefined;
  /** Generated columns after the others, each under the name given. */
  readonly metadataColumns?: { readonly [kind in ScanMetadataColumn]?: string | undefined } | undefined;
}

export interface ScanOptions extends ProjectionOptions {
  /**
   * Leaves out what provably does not match: files, row groups, pages. Other rows may still come back unless
   * `execute` is told to filter exactly.
   */
  readonly predicate?: Predicate | undefined;
}

/** Where one output column comes from. */
export type ColumnSource =
  | { readonly kind: 'data'; readonly physical: StructField }
  /** `key` is the column's name in `partitionValues`. */
  | { readonly kind: 'partition'; readonly key: string }
  /** No file has it: all null. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'metadata'; readonly column: ScanMetadataColumn };

export interface ScanSchema {
  /** What comes out, nullability as declared. */
  readonly logicalSchema: StructType;
  /** Of each field of `logicalSchema`. */
  readonly sources: readonly ColumnSource[];
  /** What is asked of data files: physical names, no partition columns; generated and hidden columns last. */
  readonly physicalSchema: StructType;
  /** Name of the row index in `physicalSchema`, or to be used where a deletion vector needs one. */
  readonly rowIndexName: string;
  /** Hidden columns of files that hold row ids and row versions of rewritten rows. */
  readonly materializedRowId: string | undefined;
  readonly materializedRowCommitVersion: string | undefined;
}

const METADATA_TYPES: Readonly<Record<ScanMetadataColumn, StructField['type']>> = {
  filePath: types.string,
  rowIndex: types.long,
  rowId: types.long,
  rowCommitVersion: types.long,
};

/** Throws `Schema` for columns that are unknown, doubled or cannot be read, `Unsupported` for types we cannot read. */
export function scanSchema(snapshot: SnapshotState, options: ProjectionOptions): ScanSchema {
  const logicalSchema = logicalSchemaOf(snapshot.schema, options);
  const mode = snapshot.tableProperties.columnMappingMode;
  const partitions = new Map(
    partitionFields(snapshot.schema, snapshot.metadata.partitionColumns, mode).map((partition) => [
      partition.field.name,
      partitionKey(snapshot, partition.physicalName),
    ]),
  );
  const sources = logicalSchema.fields.map((logical): ColumnSource => {
    const column = metadataColumnOf(logical);
    if (column !== undefined) return { kind: 'metadata', column };
    const partition = partitions.get(logical.name);
    if (partition !== undefined) return { kind: 'partition', key: partition };
    checkReadable(logical);
    const [physical] = physicalReadSchema(types.struct([logical]), mode).fields;
    return isAbsent(logical) ? { kind: 'absent' } : { kind: 'data', physical: withoutVoid(physical!) };
  });
  return { logicalSchema, sources, ...physicalParts(snapshot, sources) };
}

function logicalSchemaOf(schema: StructType, options: ProjectionOptions): StructType {
  const { columns, schema: requested, metadataColumns = {} } = options;
  if (columns !== undefined && requested !== undefined) {
    throw new DeltaError('InvalidOption', 'columns and schema cannot be given together');
  }
  const named = SCAN_METADATA_COLUMNS.flatMap((column) => {
    const name = metadataColumns[column];
    return name === undefined ? [] : [metadataField(name, column)];
  });
  const chosen =
    requested !== undefined
      ? projectWithMetadata(schema, requested)
      : columns !== undefined
        ? selectColumns(schema, columns).fields
        : schema.fields;
  const fields = [...chosen, ...named];
  checkMetadataColumns(fields, schema);
  return types.struct(fields);
}

/** The requested fields in order: those of the table in its own casing, generated ones as they are. */
function projectWithMetadata(schema: StructType, requested: StructType): StructField[] {
  const isGenerated = (candidate: StructField) => metadataColumnOf(candidate) !== undefined;
  const real = projectSchema(
    schema,
    types.struct(requested.fields.filter((each) => !isGenerated(each))),
  ).fields;
  let next = 0;
  return requested.fields.map((each) => {
    return isGenerated(each) ? metadataField(each.name, metadataColumnOf(each)!) : real[next++]!;
  });
}

function metadataField(name: string, column: ScanMetadataColumn): StructField {
  return field(name, METADATA_TYPES[column], {
    nullable: false,
    metadata: { [METADATA_KEYS.metadataColumn]: column },
  });
}

function metadataColumnOf(candidate: StructField): ScanMetadataColumn | undefined {
  const kind = candidate.metadata[METADATA_KEYS.metadataColumn];
  if (kind === undefined) return undefined;
  const known = SCAN_METADATA_COLUMNS.find((column) => column === kind);
  if (known !== undefined) return known;
  throw new DeltaError('Schema', `column ${candidate.name}: unknown metadata column ${String(kind)}`, {
    column: candidate.name,
  });
}

function checkMetadataColumns(fields: readonly StructField[], schema: StructType): void {
  const taken = new Set(schema.fields.map(({ name }) => name.toLowerCase()));
  const kinds = new Set<ScanMetadataColumn>();
  for (const each of fields) {
    const kind = metadataColumnOf(each);
    if (kind === undefined) continue;
    const column = each.name;
    if (kinds.has(kind))
      throw new DeltaError('Schema', `metadata column ${kind} is asked for twice`, { column });
    if (taken.has(column.toLowerCase())) {
      throw new DeltaError('Schema', `metadata column ${kind} cannot be named as the column ${column}`, {
        column,
      });
    }
    kinds.add(kind);
    taken.add(column.toLowerCase());
  }
}

/** Opaque types are shown in schemas, not read. */
function checkReadable(logical: StructField): void {
  for (const { path, field: inner } of allFields(types.struct([logical]))) {
    if (!holdsOpaque(inner)) continue;
    const column = columnPathToString(path);
    throw new DeltaError('Unsupported', `column ${column} has a type that this version cannot read`, {
      column,
    });
  }
}

function holdsOpaque({ type }: StructField): boolean {
  if (type.kind === 'array') return type.elementType.kind === 'opaque';
  if (type.kind === 'map') return type.keyType.kind === 'opaque' || type.valueType.kind === 'opaque';
  return type.kind === 'opaque';
}

/** `PROTOCOL.md`, "Void Type": files never hold such columns. A struct of nothing else has no column either. */
export function isAbsent({ type }: StructField): boolean {
  if (type.kind === 'struct') return type.fields.every(isAbsent);
  return type.kind === 'primitive' && type.name === 'void';
}

/** Without void fields of structs; within arrays and maps they stay, and the Parquet handler fills them. */
function withoutVoid(physical: StructField): StructField {
  if (physical.type.kind !== 'struct') return physical;
  const fields = physical.type.fields.filter((each) => !isAbsent(each)).map(withoutVoid);
  return { ...physical, type: types.struct(fields) };
}

function physicalParts(
  snapshot: SnapshotState,
  sources: readonly ColumnSource[],
): Pick<
  ScanSchema,
  'physicalSchema' | 'rowIndexName' | 'materializedRowId' | 'materializedRowCommitVersion'
> {
  const { tableProperties: properties } = snapshot;
  const wants = (column: ScanMetadataColumn) => {
    return sources.some((source) => source.kind === 'metadata' && source.column === column);
  };
  if (wants('rowId') || wants('rowCommitVersion')) checkRowTracking(snapshot);
  const rowIndexName = unusedName(snapshot.schema, sources, '_row_index');
  const materializedRowId = wants('rowId') ? properties.materializedRowIdColumnName : undefined;
  const materializedRowCommitVersion = wants('rowCommitVersion')
    ? properties.materializedRowCommitVersionColumnName
    : undefined;
  const fields = sources.flatMap((source) => (source.kind === 'data' ? [source.physical] : []));
  if (materializedRowId !== undefined) fields.push(field(materializedRowId, types.long));
  if (materializedRowCommitVersion !== undefined)
    fields.push(field(materializedRowCommitVersion, types.long));
  if (wants('filePath')) fields.push(metadataField(filePathName(rowIndexName), 'filePath'));
  if (wants('rowIndex') || wants('rowId')) fields.push(metadataField(rowIndexName, 'rowIndex'));
  return {
    physicalSchema: types.struct(fields),
    rowIndexName,
    materializedRowId,
    materializedRowCommitVersion,
  };
}

function checkRowTracking({ tableProperties }: SnapshotState): void {
  if (tableProperties.enableRowTracking && !tableProperties.rowTrackingSuspended) return;
  throw new DeltaError('Unsupported', 'row ids need a table with delta.enableRowTracking', {
    feature: 'rowTracking',
  });
}

/** A name that no column of the files has. */
function unusedName(schema: StructType, sources: readonly ColumnSource[], wanted: string): string {
  const taken = new Set(schema.fields.map(({ name }) => name.toLowerCase()));
  for (const source of sources) if (source.kind === 'data') taken.add(source.physical.name.toLowerCase());
  let name = wanted;
  while (taken.has(name) || taken.has(filePathName(name))) name = `_${name}`;
  return name;
}

/** Name of the file path column in the physical schema. */
export function filePathName(rowIndexName: string): string {
  return rowIndexName.replace('row_index', 'file_path');
}

/** The physical schema to read one file with: with the row index where that is needed and not there. */
export function withRowIndex({ physicalSchema, rowIndexName }: ScanSchema): StructType {
  if (physicalSchema.fields.some(({ name }) => name === rowIndexName)) return physicalSchema;
  return types.struct([...physicalSchema.fields, metadataField(rowIndexName, 'rowIndex')]);
}

/**
 * The schema of the batches that come out: every field nullable at every depth, since what is read is not checked
 * against NOT NULL, a duty of writers; generated columns are ordinary ones there.
 */
export function relaxedSchema(schema: StructType): StructType {
  return types.struct(
    schema.fields.map((each) => {
      const generated = metadataColumnOf(each) !== undefined;
      const type = relaxedType(each.type);
      return generated ? field(each.name, type, { nullable: false }) : { ...each, nullable: true, type };
    }),
  );
}

function relaxedType(type: StructField['type']): StructField['type'] {
  switch (type.kind) {
    case 'struct':
      return relaxedSchema(type);
    case 'array':
      return { ...type, elementType: relaxedType(type.elementType), containsNull: true };
    case 'map':
      return {
        ...type,
        keyType: relaxedType(type.keyType),
        valueType: relaxedType(type.valueType),
        valueContainsNull: true,
      };
    default:
      return type;
  }
}

/** A partition column's name in `partitionValues`: the physical one, in the case in which the table writes it. */
export function partitionKey({ metadata, tableProperties }: SnapshotState, physical: string): string {
  if (tableProperties.columnMappingMode !== 'none') return physical;
  return metadata.storedPartitionNames?.[physical] ?? physical;
}

/** Partition columns by their physical names, for messages and literals. */
export function partitionKeys(snapshot: SnapshotState): ReadonlyMap<string, StructField> {
  const mode = snapshot.tableProperties.columnMappingMode;
  return new Map(
    snapshot.metadata.partitionColumns.map((name) => {
      const [partition] = partitionFields(snapshot.schema, [name], mode);
      return [physicalName(partition!.field, mode), partition!.field];
    }),
  );
}
