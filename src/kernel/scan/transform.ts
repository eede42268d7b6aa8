/** Physical to logical rows of one file, as an expression over the physical schema of the scan. */
import { DeltaError } from '../../errors.ts';
import type { Expression, Scalar } from '../expressions/types.ts';
import { parsePartitionValue } from '../partition-values/parse.ts';
import { type DataType, types } from '../schema/types.ts';
import type { ScanFile } from './scan-files.ts';
import { type ColumnSource, filePathName, isAbsent, type ScanSchema } from './scan-schema.ts';

/** What is constant within a file and goes into its transform. */
export type FileConstants = Pick<
  ScanFile,
  'path' | 'partitionValues' | 'baseRowId' | 'defaultRowCommitVersion'
>;

/**
 * An expression that gives one column per field of `logicalSchema`: partition values as literals, columns under
 * their logical names, row ids, and nulls for what no file holds; undefined where the physical columns are the
 * logical ones, in order and by name. Throws `ParseError` for a partition value that is none, naming file and column.
 */
export function transformOf(schema: ScanSchema, file: FileConstants): Expression | undefined {
  if (isIdentity(schema)) return undefined;
  const fields = schema.sources.map((source, index) => {
    const { name, type } = schema.logicalSchema.fields[index]!;
    return columnOf(schema, source, name, type, file);
  });
  return { kind: 'struct', fields };
}

/** Whether the transforms of all files are the same, so that one evaluator does. */
export function isFileIndependent({ sources }: ScanSchema): boolean {
  return sources.every((source) => {
    if (source.kind === 'metadata') return source.column === 'filePath' || source.column === 'rowIndex';
    return source.kind !== 'partition';
  });
}

function isIdentity({ sources, logicalSchema, physicalSchema }: ScanSchema): boolean {
  return (
    sources.length === physicalSchema.fields.length &&
    sources.every((source, index) => {
      const { name, type } = logicalSchema.fields[index]!;
      return source.kind === 'data' && source.physical.name === name && sameNames(type, source.physical.type);
    })
  );
}

/** Whether two types of one shape have the same field names at every depth. */
function sameNames(a: DataType, b: DataType): boolean {
  if (a.kind === 'struct' && b.kind === 'struct') {
    return (
      a.fields.length === b.fields.length &&
      a.fields.every(({ name, type }, index) => {
        const other = b.fields[index]!;
        return name === other.name && sameNames(type, other.type);
      })
    );
  }
  if (a.kind === 'array' && b.kind === 'array') return sameNames(a.elementType, b.elementType);
  if (a.kind === 'map' && b.kind === 'map') {
    return sameNames(a.keyType, b.keyType) && sameNames(a.valueType, b.valueType);
  }
  return a.kind === b.kind;
}

function columnOf(
  schema: ScanSchema,
  source: ColumnSource,
  name: string,
  type: DataType,
  file: FileConstants,
): Expression {
  switch (source.kind) {
    case 'data':
      return dataColumn([source.physical.name], type, source.physical.type);
    case 'absent':
      return literal({ type, value: null });
    case 'partition': {
      const text = file.partitionValues[source.key];
      return literal(parsePartitionValue(text, type, { path: file.path, column: name }));
    }
    case 'metadata':
      return metadataColumn(schema, source.column, file);
  }
}

/** A column as it is, its names aside; where fields are absent from the file, a struct built around them. */
function dataColumn(path: readonly string[], logical: DataType, physical: DataType): Expression {
  if (logical.kind !== 'struct' || physical.kind !== 'struct' || !hasAbsent(logical)) return column(path);
  let next = 0;
  const fields = logical.fields.map((each): Expression => {
    if (isAbsent(each)) return literal({ type: each.type, value: null });
    const inner = physical.fields[next++]!;
    return dataColumn([...path, inner.name], each.type, inner.type);
  });
  return { kind: 'struct', fields, keep: { kind: 'not', input: { kind: 'isNull', input: column(path) } } };
}

function hasAbsent(type: DataType): boolean {
  return type.kind === 'struct' && type.fields.some((each) => isAbsent(each) || hasAbsent(each.type));
}

function metadataColumn(
  schema: ScanSchema,
  kind: Extract<ColumnSource, { kind: 'metadata' }>['column'],
  file: FileConstants,
): Expression {
  switch (kind) {
    case 'filePath':
      return column([filePathName(schema.rowIndexName)]);
    case 'rowIndex':
      return column([schema.rowIndexName]);
    case 'rowId':
      return materializedOr(schema.materializedRowId, {
        kind: 'arithmetic',
        op: '+',
        left: long(file.baseRowId, 'baseRowId', file.path),
        right: column([schema.rowIndexName]),
      });
    case 'rowCommitVersion': {
      const version = file.defaultRowCommitVersion;
      const stored = version === undefined ? undefined : BigInt(version);
      return materializedOr(
        schema.materializedRowCommitVersion,
        long(stored, 'defaultRowCommitVersion', file.path),
      );
    }
  }
}

function materializedOr(name: string | undefined, fallback: Expression): Expression {
  return name === undefined ? fallback : { kind: 'coalesce', inputs: [column([name]), fallback] };
}

function long(value: bigint | undefined, name: string, path: string): Expression {
  if (value !== undefined) return literal({ type: types.long, value });
  throw new DeltaError('InvalidLog', `the file ${path} has no ${name} although row tracking is enabled`, {
    path,
    feature: 'rowTracking',
  });
}

function column(path: readonly string[]): Expression {
  return { kind: 'column', path };
}

function literal(value: Scalar): Expression {
  return { kind: 'literal', literal: value };
}
