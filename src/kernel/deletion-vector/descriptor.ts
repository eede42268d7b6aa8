/** Deletion vector descriptors (`PROTOCOL.md`, "Deletion Vector Descriptor Schema"). */
import { DeltaError } from '../../errors.ts';
import type { DeletionVectorDescriptor } from '../actions/types.ts';
import type { Column, EngineData } from '../engine-data.ts';
import { decodeZ85, encodeZ85 } from './z85.ts';

/** Characters of a Z85-encoded UUID. */
const UUID_LENGTH = 20;

/** The columns of a descriptor within a batch; `undefined` members are columns that the batch lacks. */
export interface DescriptorColumns {
  readonly storageType: Column | undefined;
  readonly pathOrInlineDv: Column | undefined;
  readonly offset: Column | undefined;
  readonly sizeInBytes: Column | undefined;
  readonly cardinality: Column | undefined;
}

/** The descriptor's columns below `path` (`['add', 'deletionVector']`); undefined where there are none. */
export function descriptorColumns(data: EngineData, path: readonly string[]): DescriptorColumns | undefined {
  const storageType = data.column([...path, 'storageType']);
  if (storageType === undefined) return undefined;
  return {
    storageType,
    pathOrInlineDv: data.column([...path, 'pathOrInlineDv']),
    offset: data.column([...path, 'offset']),
    sizeInBytes: data.column([...path, 'sizeInBytes']),
    cardinality: data.column([...path, 'cardinality']),
  };
}

/** The checked descriptor of a row, undefined where it has none. Throws `DeletionVector`, naming the data file. */
export function descriptorAt(
  columns: DescriptorColumns | undefined,
  row: number,
  dataFile?: string,
): DeletionVectorDescriptor | undefined {
  const storageType = columns?.storageType?.getString(row) ?? null;
  if (columns === undefined || storageType === null) return undefined;
  const offset = columns.offset?.getNumber(row) ?? null;
  return checkDescriptor(
    {
      storageType,
      pathOrInlineDv: columns.pathOrInlineDv?.getString(row) ?? null,
      sizeInBytes: columns.sizeInBytes?.getNumber(row) ?? null,
      cardinality: columns.cardinality?.getNumber(row) ?? null,
      ...(offset === null ? {} : { offset }),
    },
    dataFile,
  );
}

/** Checks a descriptor's fields. Throws `DeletionVector`, naming the data file. */
export function checkDescriptor(
  fields: Readonly<Record<string, unknown>>,
  dataFile?: string,
): DeletionVectorDescriptor {
  const fail = (message: string) => {
    const of = dataFile === undefined ? '' : ` of ${dataFile}`;
    return new DeltaError('DeletionVector', `deletion vector${of}: ${message}`, {
      ...(dataFile === undefined ? {} : { path: dataFile }),
    });
  };
  const { storageType, pathOrInlineDv, offset, sizeInBytes, cardinality } = fields;
  if (storageType !== 'u' && storageType !== 'p' && storageType !== 'i') {
    throw fail(`unknown storageType ${JSON.stringify(storageType)}`);
  }
  if (typeof pathOrInlineDv !== 'string' || pathOrInlineDv === '') throw fail('no pathOrInlineDv');
  if (!isCount(sizeInBytes)) throw fail(`sizeInBytes ${String(sizeInBytes)} is no size`);
  if (!isCount(cardinality)) throw fail(`cardinality ${String(cardinality)} is no count`);
  if (offset === undefined || offset === null)
    return { storageType, pathOrInlineDv, sizeInBytes, cardinality };
  if (!isCount(offset)) throw fail(`offset ${String(offset)} is no offset`);
  return { storageType, pathOrInlineDv, offset, sizeInBytes, cardinality };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** What tells deletion vectors of one data file apart: `PROTOCOL.md`, "Derived Fields" (`uniqueId`). */
export function deletionVectorId(
  storageType: string,
  pathOrInlineDv: string,
  offset: number | null | undefined,
): string {
  const id = storageType + pathOrInlineDv;
  return offset === null || offset === undefined ? id : `${id}@${offset}`;
}

/**
 * The path of a `u` vector relative to the table root, URI-encoded: `[prefix/]deletion_vector_<uuid>.bin`.
 * Throws `DeletionVector` where the text holds no UUID.
 */
export function relativeVectorPath(pathOrInlineDv: string): string {
  if (pathOrInlineDv.length < UUID_LENGTH) {
    throw new DeltaError('DeletionVector', `${JSON.stringify(pathOrInlineDv)} holds no encoded UUID`);
  }
  const prefix = pathOrInlineDv.slice(0, -UUID_LENGTH);
  const hex = Array.from(decodeZ85(pathOrInlineDv.slice(-UUID_LENGTH)), (byte) => {
    return byte.toString(16).padStart(2, '0');
  }).join('');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return `${prefix === '' ? '' : `${encodeURIComponent(prefix)}/`}deletion_vector_${uuid}.bin`;
}

/** `pathOrInlineDv` of a `u` vector in the file `[prefix/]deletion_vector_<uuid>.bin`. */
export function encodeVectorPath(uuid: string, prefix = ''): string {
  const hex = uuid.replaceAll('-', '');
  const bytes = Uint8Array.from({ length: 16 }, (_, index) => {
    return Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
  });
  return prefix + encodeZ85(bytes);
}
