/**
 * `commitInfo` (`PROTOCOL.md`, "Commit Provenance Information"): free form, so nothing in it ever stops a read, and
 * fields of a type that nobody expects are left out.
 */
import { DeltaError } from '../../errors.ts';
import type { EngineData } from '../engine-data.ts';
import {
  asSafeInteger,
  asString,
  isObject,
  type JsonObject,
  parseJsonObject,
  plainJson,
} from '../log/json.ts';

export interface CommitInfo {
  /** Milliseconds since the Unix epoch, by the writer's clock. */
  readonly timestamp?: number;
  readonly inCommitTimestamp?: number;
  readonly operation?: string;
  /** JSON values; whole numbers beyond 2^53 are `bigint`. */
  readonly operationParameters?: Readonly<Record<string, unknown>>;
  readonly operationMetrics?: Readonly<Record<string, unknown>>;
  readonly userId?: string;
  readonly userName?: string;
  readonly isolationLevel?: string;
  readonly isBlindAppend?: boolean;
  readonly engineInfo?: string;
  readonly txnId?: string;
  readonly readVersion?: number;
  /** The whole action. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The JSON text of a batch's first `commitInfo`, undefined where it has none. */
export function findCommitInfoText(data: EngineData): string | undefined {
  const column = data.column(['commitInfo']);
  if (column === undefined) return undefined;
  for (let row = 0; row < data.length; row++) {
    const text = column.getString(row);
    if (text !== null) return text;
  }
  return undefined;
}

/** Throws `MalformedJson` where the text is no JSON object. */
export function parseCommitInfo(text: string): CommitInfo {
  const json = parseJsonObject(text);
  if (json === undefined) throw new DeltaError('MalformedJson', 'commitInfo is not a JSON object');
  const { isBlindAppend } = json;
  const fields = {
    timestamp: asSafeInteger(json.timestamp),
    inCommitTimestamp: asSafeInteger(json.inCommitTimestamp),
    operation: asString(json.operation),
    operationParameters: asRecord(json.operationParameters),
    operationMetrics: asRecord(json.operationMetrics),
    userId: asString(json.userId),
    userName: asString(json.userName),
    isolationLevel: asString(json.isolationLevel),
    isBlindAppend: typeof isBlindAppend === 'boolean' ? isBlindAppend : undefined,
    engineInfo: asString(json.engineInfo),
    txnId: asString(json.txnId),
    readVersion: asSafeInteger(json.readVersion),
  };
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(present), raw: plainJson(json) as JsonObject };
}

function asRecord(value: unknown): JsonObject | undefined {
  return isObject(value) ? (plainJson(value) as JsonObject) : undefined;
}
