/** A schema with one column changed, named by its path through structs, `element`, `key` and `value`. */
import { DeltaError } from '../../../errors.ts';
import { columnPathToString } from '../../schema/column-path.ts';
import { didYouMean } from '../../schema/schema.ts';
import { type DataType, type StructField, type StructType, types } from '../../schema/types.ts';

/** What becomes of a type: the last step of a path. */
export type TypeChange = (type: DataType) => DataType;
/** What becomes of a field; undefined: it goes. */
export type FieldChange = (field: StructField, siblings: StructType) => StructField | undefined;

/** Replaces or drops the field at a path whose last name is a field. `Schema` where there is none. */
export function editField(schema: StructType, path: readonly string[], change: FieldChange): StructType {
  const [parent, name] = [path.slice(0, -1), path.at(-1)];
  const at = (type: DataType): DataType => {
    const index = type.kind === 'struct' ? indexOf(type, name) : -1;
    if (type.kind !== 'struct' || index < 0) throw noColumn(schema, path);
    const changed = change(type.fields[index]!, type);
    const fields = type.fields.flatMap((each, i) => (i === index ? (changed ?? []) : each));
    return types.struct(fields);
  };
  return editType(schema, parent, at, path) as StructType;
}

/** Replaces the type at a path; an empty path is the schema itself. `Schema` where there is none. */
export function editType(
  schema: StructType,
  path: readonly string[],
  change: TypeChange,
  wanted: readonly string[] = path,
): DataType {
  const visit = (type: DataType, rest: readonly string[]): DataType => {
    const [name, ...below] = rest;
    if (name === undefined) return change(type);
    const lower = name.toLowerCase();
    if (type.kind === 'struct') {
      const index = indexOf(type, name);
      if (index < 0) throw noColumn(schema, wanted);
      return types.struct(
        type.fields.map((each, i) => (i === index ? { ...each, type: visit(each.type, below) } : each)),
      );
    }
    if (type.kind === 'array' && lower === 'element') {
      return { ...type, elementType: visit(type.elementType, below) };
    }
    if (type.kind === 'map' && lower === 'key') return { ...type, keyType: visit(type.keyType, below) };
    if (type.kind === 'map' && lower === 'value') return { ...type, valueType: visit(type.valueType, below) };
    throw noColumn(schema, wanted);
  };
  return visit(schema, path);
}

export interface ResolvedPath {
  /** In the schema's own casing. */
  readonly path: readonly string[];
  /** Names up to and with the last field: what follows leads into arrays and maps. */
  readonly fieldDepth: number;
}

/** Where a path leads. `Schema` where there is nothing. */
export function resolveColumn(schema: StructType, wanted: readonly string[]): ResolvedPath {
  const path: string[] = [];
  let fieldDepth = 0;
  let type: DataType = schema;
  for (const name of wanted) {
    const step = stepInto(type, name);
    if (step === undefined) throw noColumn(schema, wanted);
    path.push(step.name);
    if (type.kind === 'struct') fieldDepth = path.length;
    type = step.type;
  }
  return { path, fieldDepth };
}

function stepInto(type: DataType, name: string): { name: string; type: DataType } | undefined {
  const lower = name.toLowerCase();
  if (type.kind === 'struct') return type.fields[indexOf(type, name)];
  if (type.kind === 'array' && lower === 'element') return { name: lower, type: type.elementType };
  if (type.kind === 'map' && lower === 'key') return { name: lower, type: type.keyType };
  if (type.kind === 'map' && lower === 'value') return { name: lower, type: type.valueType };
  return undefined;
}

function indexOf(struct: StructType, name: string | undefined): number {
  return struct.fields.findIndex((each) => each.name.toLowerCase() === name?.toLowerCase());
}

function noColumn(schema: StructType, path: readonly string[]): DeltaError {
  const column = columnPathToString(path);
  return new DeltaError('Schema', `there is no column ${column}${didYouMean(schema, path)}`, { column });
}
