/** NOT NULL at every depth (`PROTOCOL.md`, "Schema Serialization Format": `nullable`, `containsNull`, …). */
import type { Data } from 'apache-arrow';
import { isBitSet, validityOf } from '../../engine/arrow-data.ts';
import { DeltaError } from '../../errors.ts';
import type { DataType, StructType } from '../../kernel/schema/types.ts';

/** Whether a row counts: the struct, array or map around it is there. */
type Present = (row: number) => boolean;

/**
 * Throws `ConstraintViolation`, naming the column, for a null where the schema allows none.
 * @param children the columns of a batch, under `schema`.
 */
export function checkNotNull(children: readonly Data[], schema: StructType): void {
  checkFields(children, schema, [], () => true);
}

function checkFields(
  children: readonly Data[],
  { fields }: StructType,
  path: readonly string[],
  present: Present,
): void {
  for (const [index, { name, type, nullable }] of fields.entries()) {
    if (nullable && !hasRequired(type)) continue;
    check(children[index]!, type, nullable, [...path, name], present);
  }
}

function check(
  data: Data,
  type: DataType,
  nullable: boolean,
  path: readonly string[],
  present: Present,
): void {
  const validity = validityOf(data);
  const isVoid = type.kind === 'primitive' && type.name === 'void';
  const valid: Present = (row) => !isVoid && (!validity || isBitSet(validity.bits, validity.offset + row));
  if (!nullable && (validity || isVoid)) {
    for (let row = 0; row < data.length; row += 1)
      if (present(row) && !valid(row)) throw violation(path, row);
  }
  if (!hasRequired(type)) return;
  const within: Present = (row) => present(row) && valid(row);
  if (type.kind === 'struct') {
    checkFields(data.children, type, path, within);
    return;
  }
  const items = data.children[0]!;
  const counted = itemsWithin(data, items.length, within);
  if (type.kind === 'array') check(items, type.elementType, type.containsNull, [...path, 'element'], counted);
  if (type.kind === 'map') {
    check(items.children[0]!, type.keyType, false, [...path, 'key'], counted);
    check(items.children[1]!, type.valueType, type.valueContainsNull, [...path, 'value'], counted);
  }
}

/** Items of arrays and maps that count; those of null rows and outside a slice do not. */
function itemsWithin(data: Data, length: number, within: Present): Present {
  const counted = new Uint8Array(length);
  const offsets = data.valueOffsets as Int32Array;
  for (let row = 0; row < data.length; row += 1) {
    if (within(row)) counted.fill(1, offsets[row]!, offsets[row + 1]!);
  }
  return (item) => counted[item] === 1;
}

function hasRequired(type: DataType): boolean {
  switch (type.kind) {
    case 'struct':
      return type.fields.some((field) => !field.nullable || hasRequired(field.type));
    case 'array':
      return !type.containsNull || hasRequired(type.elementType);
    // Keys are never null.
    case 'map':
      return true;
    default:
      return false;
  }
}

function violation(path: readonly string[], row: number): DeltaError {
  const column = path.join('.');
  return new DeltaError(
    'ConstraintViolation',
    `column ${column} is NOT NULL, but has a null (row ${row} of a batch)`,
    {
      column,
    },
  );
}
