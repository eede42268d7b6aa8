/**
 * Shredded variants (Apache Parquet, "Variant Shredding"): files that keep parts of a variant in typed columns beside
 * it. They are read as the struct that they are and put together again, so that nobody above sees a difference.
 */
import type { RecordBatch } from 'apache-arrow';
import { DeltaError } from '../errors.ts';
import type { ScalarValue } from '../kernel/expressions/types.ts';
import { typeToString } from '../kernel/schema/schema.ts';
import {
  type DataType,
  field,
  METADATA_KEYS,
  type StructField,
  type StructType,
  types,
} from '../kernel/schema/types.ts';
import { buildColumn } from './arrow-build.ts';
import { ArrowColumn } from './arrow-column.ts';
import { makeBatch } from './arrow-engine-data.ts';
import { toArrowSchema } from './arrow-schema.ts';
import { STORED_AS, storedType } from './stored-types.ts';
import {
  encodeArray,
  encodeObject,
  encodePrimitive,
  malformedVariant,
  objectFields,
  VARIANT_NULL,
  VariantDictionary,
} from './variant-encoding.ts';
import type { ParquetFileCore } from './wasm/core.ts';

const METADATA = 'metadata';
const VALUE = 'value';
const TYPED = 'typed_value';

/** How a file with shredded variants is read. */
export interface Unshredding {
  /** What to decode instead of the schema that is wanted. */
  readonly readSchema: StructType;
  /** A batch of that as one of the wanted schema. */
  restore(batch: RecordBatch): RecordBatch;
}

/**
 * Undefined where no variant of `wanted` is shredded in the file. `Unsupported` for a typed column of a type that
 * variants do not have.
 */
export function unshredding(wanted: StructType, file: ParquetFileCore): Unshredding | undefined {
  if (!hasVariant(wanted)) return undefined;
  const stored = file.footer.schema;
  const widening = new Widening(hasFieldId(stored));
  const widened = wanted.fields.map((each) => {
    const found = widening.find(stored, each);
    const type = found && widening.widen(each.type, found.type, [found.name]);
    return type && { ...each, type };
  });
  if (widened.every((each) => each === undefined)) return undefined;
  const readSchema = types.struct(widened.map((each, i) => each ?? wanted.fields[i]!));
  const arrowSchema = toArrowSchema(wanted);
  return {
    readSchema,
    restore(batch) {
      const columns = batch.data.children.map((child, i) => {
        const from = widened[i];
        if (from === undefined) return child;
        const column = new ArrowColumn(from.name, from.type, child);
        const { type } = wanted.fields[i]!;
        const rows = Array.from({ length: batch.numRows }, (_, row) => {
          return restored(column.getValue(row), type, from.type);
        });
        return buildColumn(type, rows);
      });
      return makeBatch(arrowSchema, batch.numRows, columns);
    },
  };
}

function hasVariant(type: DataType): boolean {
  switch (type.kind) {
    case 'variant':
      return true;
    case 'struct':
      return type.fields.some((each) => hasVariant(each.type));
    case 'array':
      return hasVariant(type.elementType);
    case 'map':
      return hasVariant(type.keyType) || hasVariant(type.valueType);
    default:
      return false;
  }
}

function idOf({ metadata }: StructField): unknown {
  const id = metadata[METADATA_KEYS.parquetFieldId];
  return id === undefined ? undefined : Number(String(id));
}

function hasFieldId(type: DataType): boolean {
  switch (type.kind) {
    case 'struct':
      return type.fields.some((each) => idOf(each) !== undefined || hasFieldId(each.type));
    case 'array':
      return hasFieldId(type.elementType);
    case 'map':
      return hasFieldId(type.keyType) || hasFieldId(type.valueType);
    default:
      return false;
  }
}

/** Wanted types with what a file has of shredded variants in them. */
class Widening {
  readonly #byId: boolean;

  constructor(byId: boolean) {
    this.#byId = byId;
  }

  /** As `ParquetHandler` resolves columns. */
  find({ fields }: StructType, wanted: StructField): StructField | undefined {
    const id = this.#byId ? idOf(wanted) : undefined;
    return fields.find((each) => (id === undefined ? each.name === wanted.name : idOf(each) === id));
  }

  /** Undefined where nothing is shredded. */
  widen(wanted: DataType, stored: DataType, path: string[]): DataType | undefined {
    if (wanted.kind === 'variant') return this.#variant(stored, path);
    if (wanted.kind === 'struct' && stored.kind === 'struct') {
      const fields = wanted.fields.map((each) => {
        const found = this.find(stored, each);
        const type = found && this.widen(each.type, found.type, [...path, found.name]);
        return type ? { ...each, type } : each;
      });
      return fields.some((each, i) => each !== wanted.fields[i]) ? types.struct(fields) : undefined;
    }
    if (wanted.kind === 'array' && stored.kind === 'array') {
      const elementType = this.widen(wanted.elementType, stored.elementType, [...path, 'list', 'element']);
      return elementType && { ...wanted, elementType };
    }
    if (wanted.kind === 'map' && stored.kind === 'map') {
      const valueType = this.widen(wanted.valueType, stored.valueType, [...path, 'key_value', 'value']);
      return valueType && { ...wanted, valueType };
    }
    return undefined;
  }

  #variant(stored: DataType, path: string[]): DataType | undefined {
    const typed = stored.kind === 'struct' ? fieldOf(stored, TYPED) : undefined;
    if (typed === undefined) return undefined;
    return types.struct([
      field(METADATA, types.binary),
      field(VALUE, types.binary),
      field(TYPED, this.#typed(typed, [...path, TYPED])),
    ]);
  }

  /** The type of a `typed_value`: a primitive one, a list of variants, or a struct of them by field. */
  #typed(stored: StructField, path: string[]): DataType {
    const { type } = stored;
    const only = storedType(stored);
    if (only !== undefined) return only;
    if (STORED_AS in stored.metadata) throw unsupported(path, String(stored.metadata[STORED_AS]));
    if (type.kind === 'decimal' || (type.kind === 'primitive' && type.name !== 'void')) return type;
    if (type.kind === 'array') return types.array(this.#part(type.elementType, [...path, 'list', 'element']));
    if (type.kind === 'struct') {
      return types.struct(
        type.fields.map((each) => field(each.name, this.#part(each.type, [...path, each.name]))),
      );
    }
    throw unsupported(path, typeToString(type));
  }

  /** An element or a field: `value`, `typed_value` or both. */
  #part(type: DataType, path: string[]): DataType {
    if (type.kind !== 'struct') throw unsupported(path, typeToString(type));
    const typed = fieldOf(type, TYPED);
    if (typed === undefined && fieldOf(type, VALUE) === undefined)
      throw unsupported(path, typeToString(type));
    const fields = [field(VALUE, types.binary)];
    if (typed !== undefined) fields.push(field(TYPED, this.#typed(typed, [...path, TYPED])));
    return types.struct(fields);
  }
}

function fieldOf({ fields }: StructType, name: string): StructField | undefined {
  return fields.find((each) => each.name === name);
}

function unsupported(path: readonly string[], type: string): DeltaError {
  const column = path.join('.');
  return new DeltaError('Unsupported', `a shredded variant with ${column} of type ${type}`, {
    column,
    feature: 'variantShredding',
  });
}

/** A value of the widened type as one of the wanted type. */
function restored(value: ScalarValue, wanted: DataType, read: DataType): ScalarValue {
  if (value === null || wanted === read) return value;
  const parts = value as readonly ScalarValue[];
  switch (wanted.kind) {
    case 'variant':
      return variant(parts, (read as StructType).fields[2]!.type);
    case 'struct':
      return wanted.fields.map((each, i) =>
        restored(parts[i]!, each.type, (read as StructType).fields[i]!.type),
      );
    case 'array': {
      const { elementType } = read as typeof wanted;
      return parts.map((element) => restored(element, wanted.elementType, elementType));
    }
    case 'map': {
      const { valueType } = read as typeof wanted;
      return parts.map((entry) => {
        const [key, item] = entry as [ScalarValue, ScalarValue];
        return [key, restored(item, wanted.valueType, valueType)];
      });
    }
    default:
      return value;
  }
}

/** `metadata`, `value` and `typed_value` as `metadata` and `value`. */
function variant([metadata, value, typed]: readonly ScalarValue[], type: DataType): ScalarValue {
  if (!(metadata instanceof Uint8Array)) throw malformedVariant('it has no metadata');
  // Without a typed part there is nothing to put together, and the dictionary need not be read.
  if (typed === null || typed === undefined) return [metadata, value ?? VARIANT_NULL];
  const dictionary = new VariantDictionary(metadata);
  return [metadata, assembled(value as Uint8Array | null, typed, type, dictionary)!];
}

/** Undefined where there is neither part: a field that is missing. */
function assembled(
  value: Uint8Array | null,
  typed: ScalarValue,
  type: DataType,
  dictionary: VariantDictionary,
): Uint8Array | undefined {
  if (typed === null) return value ?? undefined;
  if (type.kind === 'struct') return object(value, typed as readonly ScalarValue[], type, dictionary);
  if (value !== null) throw malformedVariant('it has both a value and a typed_value that is no object');
  if (type.kind !== 'array') return encodePrimitive(type, typed);
  const elements = (typed as readonly ScalarValue[]).map((element) => {
    return part(element, type.elementType, dictionary) ?? VARIANT_NULL;
  });
  return encodeArray(elements);
}

function part(group: ScalarValue, type: DataType, dictionary: VariantDictionary): Uint8Array | undefined {
  if (group === null) return undefined;
  const [value, typed = null] = group as [Uint8Array | null, ScalarValue?];
  const typedType = (type as StructType).fields[1]?.type ?? types.void;
  return assembled(value, typed, typedType, dictionary);
}

/** Shredded fields, and those of `value`; a field that is in both is taken from its own columns. */
function object(
  value: Uint8Array | null,
  groups: readonly ScalarValue[],
  { fields }: StructType,
  dictionary: VariantDictionary,
): Uint8Array {
  const others = value === null ? new Map<string, Uint8Array>() : objectFields(value, dictionary);
  if (others === undefined) throw malformedVariant('it has fields beside a value that is no object');
  for (const [i, { name, type }] of fields.entries()) {
    others.delete(name);
    const bytes = part(groups[i]!, type, dictionary);
    if (bytes !== undefined) others.set(name, bytes);
  }
  return encodeObject(others, dictionary);
}
