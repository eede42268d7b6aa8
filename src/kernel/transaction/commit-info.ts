/** Writing `commitInfo` (`PROTOCOL.md`, "Commit Provenance Information"): free-form JSON as one typed value. */
import { DeltaError } from '../../errors.ts';
import type { Scalar } from '../expressions/types.ts';
import { dataTypesEqual } from '../schema/schema.ts';
import { type DataType, field, types } from '../schema/types.ts';
import type { Changes } from './changes.ts';

/** `commitInfo.kernelVersion`. */
export const KERNEL_VERSION = 'delta-kernel-web/0.1.0';

export interface CommitTimes {
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** Undefined where in-commit timestamps are off. */
  readonly inCommitTimestamp: number | undefined;
}

/** The action's value. What the kernel says of the commit goes before what the caller says under the same keys. */
export function commitInfoScalar(changes: Changes, txnId: string, times: CommitTimes): Scalar {
  const own: Record<string, unknown> = {
    timestamp: times.timestamp,
    inCommitTimestamp: times.inCommitTimestamp,
    operation: changes.operation,
    operationParameters: new Map(Object.entries(changes.operationParameters)),
    kernelVersion: KERNEL_VERSION,
    isBlindAppend: changes.blindAppend ? true : undefined,
    engineInfo: changes.engineInfo,
    txnId,
  };
  const extra = Object.entries(changes.commitInfo).filter(([key]) => !(key in own));
  return jsonScalar({ ...own, ...Object.fromEntries(extra) }, []);
}

/**
 * A JSON value with the Delta type that writes as the same JSON. Whole numbers become longs, other numbers doubles,
 * `bigint` longs, a `Map` of strings a map; nulls are left out of objects.
 * Throws `InvalidOption` for what JSON or a typed array cannot hold.
 */
export function jsonScalar(value: unknown, path: readonly string[]): Scalar {
  switch (typeof value) {
    case 'string':
      return { type: types.string, value };
    case 'boolean':
      return { type: types.boolean, value };
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) throw invalid(path, 'is beyond 64 bits');
      return { type: types.long, value };
    case 'number':
      if (!Number.isFinite(value)) throw invalid(path, 'is not a finite number');
      return Number.isSafeInteger(value)
        ? { type: types.long, value: BigInt(value) }
        : { type: types.double, value };
    case 'object':
      if (value instanceof Map) return mapScalar(value, path);
      if (Array.isArray(value)) return arrayScalar(value, path);
      if (value !== null && isPlain(value)) return structScalar(value, path);
  }
  throw invalid(path, 'is no JSON value');
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype as object) === null;
}

function mapScalar(map: ReadonlyMap<unknown, unknown>, path: readonly string[]): Scalar {
  const entries = Array.from(map, ([key, value]) => {
    if (typeof key !== 'string' || typeof value !== 'string') throw invalid(path, 'is no map of strings');
    return [key, value];
  });
  return { type: types.map(types.string, types.string), value: entries };
}

function arrayScalar(items: readonly unknown[], path: readonly string[]): Scalar {
  const scalars = items.map((item) => jsonScalar(item, path));
  const type: DataType = scalars[0]?.type ?? types.string;
  if (!scalars.every((scalar) => dataTypesEqual(scalar.type, type))) {
    throw invalid(path, 'is an array of values of different types');
  }
  return { type: types.array(type), value: scalars.map((scalar) => scalar.value) };
}

function structScalar(object: object, path: readonly string[]): Scalar {
  const entries = Object.entries(object)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => [key, jsonScalar(value, [...path, key])] as const);
  return {
    type: types.struct(entries.map(([key, { type }]) => field(key, type))),
    value: entries.map(([, { value }]) => value),
  };
}

function invalid(path: readonly string[], problem: string): DeltaError {
  return new DeltaError('InvalidOption', `commit info: ${path.join('.') || 'the value'} ${problem}`);
}
