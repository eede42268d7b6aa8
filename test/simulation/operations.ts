/** What simulated writers do: operations as applications do them, each from what it reads of a version. */

import type { Committer } from '../../src/kernel/committer/committer.ts';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import type { Engine, Runtime } from '../../src/kernel/engine.ts';
import type { ScanFile } from '../../src/kernel/scan/scan-files.ts';
import type { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { isFeatureEnabled } from '../../src/kernel/table-features/protocol-support.ts';
import type { AddFile } from '../../src/kernel/transaction/file-actions.ts';
import type { Transaction } from '../../src/kernel/transaction/transaction.ts';
import { DOMAIN, fileKey, SETTING } from './model.ts';
import type { Chance } from './scheduler.ts';

export type Txn = Transaction<Snapshot>;

/** What an operation works with. */
export interface Workbench {
  readonly engine: Engine;
  readonly snapshot: Snapshot;
  readonly live: readonly ScanFile[];
  readonly committer: Committer;
  readonly runtime: Runtime;
  readonly chance: Chance;
  /** Which application the writer is a process of. */
  readonly appId: string;
}

/** Undefined where the version has nothing to do it with. */
type Operation = (bench: Workbench) => Txn | undefined | Promise<Txn | undefined>;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  blindAppend: (bench) =>
    started(bench, 'WRITE')
      .withBlindAppend()
      .addFiles(newFiles(bench, 1 + bench.chance.whole(2))),

  idempotentAppend: async (bench) => {
    const { snapshot, engine, appId } = bench;
    const newest = (await snapshot.getAppIdVersion(engine, appId)) ?? 0;
    return started(bench, 'STREAMING UPDATE')
      .withBlindAppend()
      .withTransactionId(appId, newest + 1)
      .addFiles(newFiles(bench, 1));
  },

  readAll: (bench) => {
    const read = bench.live.map(fileKey).sort();
    return started(bench, 'WRITE', { read }).withReadWholeTable().addFiles(newFiles(bench, 1));
  },

  remove: (bench) => {
    if (bench.live.length === 0) return undefined;
    const file = bench.chance.pick(bench.live);
    return started(bench, 'DELETE').withReadFiles([file.path]).removeFiles([file]);
  },

  deleteRow: (bench) => {
    const { protocol, metadata } = bench.snapshot;
    if (!isFeatureEnabled(protocol, metadata.configuration, 'deletionVectors')) return undefined;
    const files = bench.live.filter((file) => deletedOf(file) < rowsOf(file));
    if (files.length === 0) return undefined;
    const file = bench.chance.pick(files);
    const vector = {
      storageType: 'u' as const,
      pathOrInlineDv: 'ab^-aqEH.-t@S}K{vb[*k^',
      offset: bench.chance.whole(2 ** 31),
      sizeInBytes: 40,
      cardinality: deletedOf(file) + 1,
    };
    return started(bench, 'DELETE')
      .withReadFiles([file.path])
      .updateDeletionVectors(new Map([[file.path, vector]]), [file]);
  },

  compact: (bench) => {
    const files = bench.live.slice(0, 2);
    if (files.length < 2) return undefined;
    return started(bench, 'OPTIMIZE')
      .withDataChange(false)
      .withIsolationLevel('SnapshotIsolation')
      .withReadFiles(files.map(({ path }) => path))
      .removeFiles(files)
      .addFiles(newFiles(bench, 1));
  },

  changeSetting: async (bench) => {
    const { snapshot, committer, engine } = bench;
    const next = String(Number(settingOf(snapshot)) + 1);
    const alteration = snapshot.alterTable(committer).setProperties({ [SETTING]: next });
    return seen(await alteration.build(engine), bench);
  },

  changeDomain: async (bench) => {
    const value = await bench.snapshot.getDomainMetadata(bench.engine, DOMAIN);
    return started(bench, 'WRITE')
      .withReadFiles([])
      .withDomainMetadata(DOMAIN, String(Number(value ?? '0') + 1));
  },
};

function started(bench: Workbench, operation: string, what: { read?: readonly string[] } = {}): Txn {
  return seen(bench.snapshot.transaction(bench.committer).withOperation(operation), bench, what);
}

function seen(transaction: Txn, { snapshot }: Workbench, what: { read?: readonly string[] } = {}): Txn {
  return transaction.withCommitInfo({ sim: { setting: settingOf(snapshot), ...what } });
}

function settingOf({ metadata }: Snapshot): string {
  return metadata.configuration[SETTING] ?? '0';
}

function newFiles({ runtime, chance }: Workbench, count: number): AddFile[] {
  return Array.from({ length: count }, () => ({
    path: `${runtime.uuid()}.parquet`,
    partitionValues: {},
    size: 1 + chance.whole(1000),
    modificationTime: runtime.now(),
    stats: JSON.stringify({ numRecords: 1 + chance.whole(5) }),
  }));
}

function rowsOf({ stats }: ScanFile): number {
  return (JSON.parse(stats!) as { numRecords: number }).numRecords;
}

function deletedOf({ deletionVector }: ScanFile): number {
  return deletionVector?.cardinality ?? 0;
}

export const fileSystemCommitter: Committer = new FileSystemCommitter();
