/** Type widening (`PROTOCOL.md`, "Type Widening"): which changes of a column's type a reader takes. */
import { DeltaError } from '../errors.ts';
import { type DataType, METADATA_KEYS, type StructField, type StructType } from './schema/types.ts';

const INTEGERS = ['byte', 'short', 'integer', 'long'];
/** Digits that a decimal needs before its point to hold every value of an integer type. */
const INTEGER_DIGITS: Readonly<Record<string, number>> = { byte: 10, short: 10, integer: 10, long: 20 };
const DECIMAL = /^decimal\((\d+),\s*(-?\d+)\)$/;

/** Whether values of type `from` read as type `to` (names as in the schema JSON) without loss; equal types do. */
export function isWidening(from: string, to: string): boolean {
  if (from === to) return true;
  const target = decimalOf(to);
  if (target !== undefined) return widensToDecimal(from, target);
  switch (to) {
    case 'short':
    case 'integer':
    case 'long':
      return INTEGERS.includes(from) && INTEGERS.indexOf(from) < INTEGERS.indexOf(to);
    case 'double':
      return ['byte', 'short', 'integer', 'float'].includes(from);
    case 'timestamp_ntz':
      return from === 'date';
    default:
      return false;
  }
}

function widensToDecimal(from: string, to: { precision: number; scale: number }): boolean {
  const source =
    decimalOf(from) ?? (from in INTEGER_DIGITS && { precision: INTEGER_DIGITS[from]!, scale: 0 });
  if (!source) return false;
  const scaleGrowth = to.scale - source.scale;
  return scaleGrowth >= 0 && to.precision - source.precision >= scaleGrowth;
}

function decimalOf(name: string): { precision: number; scale: number } | undefined {
  const match = DECIMAL.exec(name);
  return match === null ? undefined : { precision: Number(match[1]), scale: Number(match[2]) };
}

/**
 * Refuses (`Unsupported`, naming the column) a schema whose `delta.typeChanges` hold a change that we do not know:
 * old files might be read wrongly. Columns of opaque types are left alone, as they are not read.
 */
export function checkTypeChanges(schema: StructType): void {
  for (const field of schema.fields) checkField(field, [field.name]);
}

function checkField(field: StructField, path: readonly string[]): void {
  const changes = field.metadata[METADATA_KEYS.typeChanges];
  if (changes !== undefined && changes !== null) checkChanges(changes, path.join('.'));
  checkNested(field.type, path);
}

function checkNested(type: DataType, path: readonly string[]): void {
  if (type.kind === 'struct') {
    for (const field of type.fields) checkField(field, [...path, field.name]);
  } else if (type.kind === 'array') {
    checkNested(type.elementType, [...path, 'element']);
  } else if (type.kind === 'map') {
    checkNested(type.keyType, [...path, 'key']);
    checkNested(type.valueType, [...path, 'value']);
  }
}

function checkChanges(changes: unknown, column: string): void {
  if (!Array.isArray(changes)) {
    throw new DeltaError('Schema', `${METADATA_KEYS.typeChanges} of column ${column} is not a list`, {
      column,
    });
  }
  for (const change of changes as { fromType?: unknown; toType?: unknown }[]) {
    const { fromType, toType } = change ?? {};
    if (typeof fromType === 'string' && typeof toType === 'string' && isWidening(fromType, toType)) continue;
    throw new DeltaError(
      'Unsupported',
      `column ${column} was changed from ${String(fromType)} to ${String(toType)}, which this version cannot read`,
      { column, feature: 'typeWidening' },
    );
  }
}
