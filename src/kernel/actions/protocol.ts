/** Reading the `protocol` action (`PROTOCOL.md`, "Protocol Evolution"). */
import { DeltaError } from '../../errors.ts';
import type { Column, EngineData } from '../engine-data.ts';
import { asSafeInteger, asStrings, type JsonObject } from '../log/json.ts';
import type { Protocol } from './types.ts';

/** The newest protocol of a batch that has one action per commit: the first row that holds one. */
export function findProtocol(data: EngineData): Protocol | undefined {
  const minReaderVersion = data.column(['protocol', 'minReaderVersion']);
  const minWriterVersion = data.column(['protocol', 'minWriterVersion']);
  if (minReaderVersion === undefined || minWriterVersion === undefined) return undefined;
  for (let row = 0; row < data.length; row++) {
    const reader = minReaderVersion.getNumber(row);
    const writer = minWriterVersion.getNumber(row);
    if (reader === null && writer === null) continue;
    if (reader === null || writer === null) {
      throw new DeltaError('InvalidProtocol', 'the protocol lacks minReaderVersion or minWriterVersion');
    }
    return newProtocol(
      reader,
      writer,
      listAt(data, 'readerFeatures', row),
      listAt(data, 'writerFeatures', row),
    );
  }
  return undefined;
}

/** The protocol of a checksum, undefined where it is malformed. */
export function protocolFromJson(json: JsonObject): Protocol | undefined {
  const reader = asSafeInteger(json.minReaderVersion);
  const writer = asSafeInteger(json.minWriterVersion);
  if (reader === undefined || writer === undefined) return undefined;
  const lists = [json.readerFeatures, json.writerFeatures].map((list) =>
    list === undefined || list === null ? null : asStrings(list),
  );
  if (lists.includes(undefined)) return undefined;
  return newProtocol(reader, writer, lists[0] ?? null, lists[1] ?? null);
}

function newProtocol(
  minReaderVersion: number,
  minWriterVersion: number,
  readerFeatures: readonly string[] | null,
  writerFeatures: readonly string[] | null,
): Protocol {
  return {
    minReaderVersion,
    minWriterVersion,
    ...(readerFeatures && { readerFeatures }),
    ...(writerFeatures && { writerFeatures }),
  };
}

function listAt(data: EngineData, name: string, row: number): readonly string[] | null {
  const column: Column | undefined = data.column(['protocol', name]);
  const value = column?.getValue(row) ?? null;
  if (value === null) return null;
  const list = asStrings(value);
  if (list === undefined) throw new DeltaError('InvalidProtocol', `the protocol's ${name} hold a null`);
  return list;
}
