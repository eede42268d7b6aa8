/** What a schema must look like to be written: as a table's schema, and as the schema of data files. */
import { DeltaError } from '../../errors.ts';
import { columnPathToString } from './column-path.ts';
import { allFields } from './schema.ts';
import { type DataType, METADATA_KEYS, type StructType } from './types.ts';

/** Without column mapping these may not stand in a name: Parquet writers cannot be trusted with them. */
const BANNED_CHARACTERS = /[ ,;{}()\t\n=]/;

/**
 * Checks a schema that is about to be committed (`PROTOCOL.md`, "Column Mapping", "Void Type", "Variant Type").
 * @throws DeltaError `Schema`, naming the column: a duplicate or empty name, a character that names may not hold
 * (only a line feed where column mapping is on), a type that this version does not know.
 */
export function checkSchemaForWrite(schema: StructType, options: { columnMapping: boolean }): void {
  checkDuplicates(schema, []);
  for (const { path, field } of allFields(schema)) {
    const column = columnPathToString(path);
    const banned = options.columnMapping ? /\n/.exec(field.name) : BANNED_CHARACTERS.exec(field.name);
    if (banned) {
      const advice = options.columnMapping
        ? ''
        : '; rename it or enable column mapping (delta.columnMapping.mode = name)';
      throw refuse(column, `the name may not hold ${JSON.stringify(banned[0])}${advice}`);
    }
    if (field.name === '') throw refuse(column, 'the name is empty');
    const opaque = opaqueWithin(field.type);
    if (opaque !== undefined) throw refuse(column, `type ${opaque} is not known to this version`);
    if (METADATA_KEYS.metadataColumn in field.metadata)
      throw refuse(column, 'a generated column cannot be stored');
  }
}

/**
 * Checks that data files can be written for a schema (`PROTOCOL.md`, "Void Type"): void is stored nowhere, so some
 * column must remain, in every struct, and arrays and maps may not be of void.
 * @throws DeltaError `Schema`, naming the column.
 */
export function checkSchemaForDataFiles(schema: StructType): void {
  if (schema.fields.length === 0) throw new DeltaError('Schema', 'a table without columns holds no data');
  if (schema.fields.every((field) => isVoid(field.type))) {
    throw new DeltaError('Schema', 'all columns are void: there is nothing to write');
  }
  for (const { path, field } of allFields(schema)) {
    const column = columnPathToString(path);
    if (field.type.kind === 'struct' && field.type.fields.every((child) => isVoid(child.type))) {
      throw refuse(column, 'a struct with nothing but void fields cannot be written');
    }
    if (voidInside(field.type)) throw refuse(column, 'arrays and maps of void cannot be written');
  }
}

function checkDuplicates(type: DataType, path: readonly string[]): void {
  if (type.kind === 'array') checkDuplicates(type.elementType, [...path, 'element']);
  if (type.kind === 'map') {
    checkDuplicates(type.keyType, [...path, 'key']);
    checkDuplicates(type.valueType, [...path, 'value']);
  }
  if (type.kind !== 'struct') return;
  const seen = new Map<string, string>();
  for (const field of type.fields) {
    const here = [...path, field.name];
    const other = seen.get(field.name.toLowerCase());
    if (other !== undefined) {
      throw refuse(columnPathToString(here), `"${other}" and "${field.name}" are one name, case aside`);
    }
    seen.set(field.name.toLowerCase(), field.name);
    checkDuplicates(field.type, here);
  }
}

function isVoid(type: DataType): boolean {
  return type.kind === 'primitive' && type.name === 'void';
}

/** Whether void stands anywhere below an array or map of this column; fields of nested structs are columns too. */
function voidInside(type: DataType, below = false): boolean {
  switch (type.kind) {
    case 'array':
      return voidInside(type.elementType, true);
    case 'map':
      return voidInside(type.keyType, true) || voidInside(type.valueType, true);
    case 'struct':
      return below && type.fields.some((field) => voidInside(field.type, true));
    default:
      return below && isVoid(type);
  }
}

function opaqueWithin(type: DataType): string | undefined {
  if (type.kind === 'opaque') return type.name;
  if (type.kind === 'array') return opaqueWithin(type.elementType);
  if (type.kind === 'map') return opaqueWithin(type.keyType) ?? opaqueWithin(type.valueType);
  return undefined;
}

function refuse(column: string, problem: string): DeltaError {
  return new DeltaError('Schema', `column ${column}: ${problem}`, { column });
}
