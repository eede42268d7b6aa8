/** Small tables in memory, and what their commits say. */
import type { DefaultEngine } from '../../../src/engine/default-engine.ts';
import { FileSystemCommitter } from '../../../src/kernel/committer/file-system-committer.ts';
import type { Runtime, StorageHandler } from '../../../src/kernel/engine.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot, type SnapshotOptions } from '../../../src/kernel/snapshot/snapshot.ts';
import type { AddFile } from '../../../src/kernel/transaction/file-actions.ts';
import type { CommittedTransaction } from '../../../src/kernel/transaction/results.ts';
import type { Transaction } from '../../../src/kernel/transaction/transaction.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { type Action, commitName, metadata, protocol } from '../../helpers/log-builder.ts';
import { testEngine } from '../../helpers/test-engine.ts';

export const ROOT = new URL('memory:///t/');
export const committer = new FileSystemCommitter();
export const NOW = 1_700_000_100_000;

/** A clock that stands still unless told otherwise, and UUIDs by number. */
export class TestRuntime implements Runtime {
  time = NOW;
  #next = 0;

  now(): number {
    return this.time;
  }

  uuid(): string {
    return `00000000-0000-4000-8000-${String(this.#next++).padStart(12, '0')}`;
  }
}

export const ID_SCHEMA = types.struct([field('id', types.long)]);
export const PARTITIONED_SCHEMA = types.struct([field('id', types.long), field('p', types.string)]);

export interface TestTable {
  readonly storage: MemoryStorageHandler;
  readonly engine: DefaultEngine;
  readonly runtime: TestRuntime;
  load(options?: SnapshotOptions): Promise<Snapshot>;
  /** A version as another writer made it. */
  put(version: number, ...actions: readonly Action[]): void;
  /** The actions of a version. */
  read(version: number): Promise<Action[]>;
}

/** Version 0 with the given actions; a file's time is a second after the one before. */
export function tableOf(...actions: readonly Action[]): TestTable {
  let time = NOW - 1_000_000;
  const storage = new MemoryStorageHandler({
    now: () => {
      time += 1000;
      return time;
    },
  });
  const engine = testEngine(storage);
  const runtime = new TestRuntime();
  const table: TestTable = {
    storage,
    engine,
    runtime,
    load: (options = {}) => Snapshot.load(engine, ROOT, { runtime, ...options }),
    put: (version, ...put) => {
      storage.set(
        new URL(commitName(version), ROOT),
        put.map((action) => `${JSON.stringify(action)}\n`).join(''),
      );
    },
    read: (version) => readActions(storage, version),
  };
  table.put(0, ...actions);
  return table;
}

export function simpleTable(
  schema: StructType = ID_SCHEMA,
  options: { partitionColumns?: readonly string[]; configuration?: Readonly<Record<string, string>> } = {},
): TestTable {
  return tableOf(protocol(), metadata(schema, options));
}

/** A table of writer version 7 with features that readers need not know. */
export function featureTable(
  features: { reader?: readonly string[]; writer?: readonly string[] },
  configuration: Readonly<Record<string, string>> = {},
  schema: StructType = ID_SCHEMA,
  partitionColumns: readonly string[] = [],
): TestTable {
  const { reader = [], writer = [] } = features;
  return tableOf(
    protocol(3, 7, { reader, writer: [...reader, ...writer] }),
    metadata(schema, { configuration, partitionColumns }),
  );
}

export async function readActions(storage: StorageHandler, version: number): Promise<Action[]> {
  const location = new URL(commitName(version), ROOT);
  for await (const bytes of storage.readFiles([{ location }])) {
    const lines = new TextDecoder().decode(bytes).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Action);
  }
  throw new Error('no bytes');
}

export function newFile(path: string, fields: Partial<AddFile> = {}): AddFile {
  return {
    path,
    partitionValues: {},
    size: 100,
    modificationTime: NOW,
    stats: '{"numRecords":10}',
    ...fields,
  };
}

export async function committed(
  transaction: Transaction<Snapshot>,
  table: TestTable,
): Promise<CommittedTransaction<Snapshot>> {
  const result = await transaction.commit(table.engine);
  if (result.status !== 'committed') throw new Error(`expected a commit, not ${result.status}`);
  return result;
}

/** Paths of live files, sorted. */
export async function livePaths(snapshot: Snapshot, table: TestTable): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of snapshot.scan().files(table.engine)) paths.push(file.path);
  return paths.sort();
}
