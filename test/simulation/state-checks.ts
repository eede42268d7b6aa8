/** What the kernel reads at every version, from checkpoints and checksums too, against a plain replay of the commits. */
import type { Engine } from '../../src/kernel/engine.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import type { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { keysOf } from './log-checks.ts';
import { fileKey, type Model, type ModelVersion, textOf } from './model.ts';
import { holds, same } from './same.ts';

export interface Written {
  readonly checkpoints: number;
  readonly checksums: number;
}

/** @returns how many checkpoints and checksums there were to check. */
export async function checkState(
  engine: Engine,
  storage: MemoryStorageHandler,
  root: URL,
  { versions, others }: Model,
): Promise<Written> {
  const log = new URL('_delta_log/', root).pathname;
  const checkpoints = new Set<number>();
  const checksums = new Set<number>();
  for (const path of others) {
    const [, version, kind] = new RegExp(`^${log}(\\d{20})\\.(checkpoint\\.parquet|crc)$`).exec(path) ?? [];
    if (kind === 'crc') checksums.add(Number(version));
    else if (kind !== undefined) checkpoints.add(Number(version));
    else holds(isSideFile(path.slice(log.length)), `nothing else is written, such as ${path}`);
  }
  for (const model of versions) {
    const snapshot = await checkVersion(engine, root, model, checkpoints);
    const { version } = model;
    // Versions in between read the same as those.
    const isSpecial = checkpoints.has(version) || checksums.has(version) || version === versions.length - 1;
    if (isSpecial) await checkAppState(engine, snapshot, model);
  }
  for (const version of checksums) {
    const text = await textOf(storage, new URL(`${log}${String(version).padStart(20, '0')}.crc`, root));
    checkChecksum(versions[version]!, JSON.parse(text) as Record<string, unknown>);
  }
  const hint = others.find((path) => path === `${log}_last_checkpoint`);
  if (hint !== undefined) {
    const { version } = JSON.parse(await textOf(storage, new URL(hint, root))) as { version: number };
    holds(checkpoints.has(version), `the hint names version ${version}, which has a checkpoint`);
  }
  return { checkpoints: checkpoints.size, checksums: checksums.size };
}

function isSideFile(name: string): boolean {
  return (
    name === '_last_checkpoint' ||
    /^_staged_commits\/[^/]+\.json$/.test(name) ||
    /^_sidecars\/[^/]+\.parquet$/.test(name)
  );
}

async function checkVersion(
  engine: Engine,
  root: URL,
  model: ModelVersion,
  checkpoints: ReadonlySet<number>,
): Promise<Snapshot> {
  const { version } = model;
  const snapshot = await Snapshot.load(engine, root, { version });
  const newest = Math.max(-1, ...[...checkpoints].filter((each) => each <= version));
  same(snapshot.logSegment.checkpointVersion ?? -1, newest, `the checkpoint that version ${version} reads`);
  same(await liveKeys(engine, snapshot), keysOf(model), `the files of version ${version}`);
  same(snapshot.metadata.configuration, model.configuration, `the configuration of version ${version}`);
  return snapshot;
}

async function checkAppState(
  engine: Engine,
  snapshot: Snapshot,
  { version, apps, domains }: ModelVersion,
): Promise<void> {
  for (const [appId, newest] of apps) {
    same(await snapshot.getAppIdVersion(engine, appId), newest, `${appId} in version ${version}`);
  }
  for (const [domain, configuration] of domains) {
    const found = await snapshot.getSystemDomainMetadata(engine, domain);
    same(found, configuration, `the domain ${domain} in version ${version}`);
  }
}

export async function liveKeys(engine: Engine, snapshot: Snapshot): Promise<string[]> {
  const keys: string[] = [];
  for await (const file of snapshot.scan().files(engine)) keys.push(fileKey(file));
  return keys.sort();
}

/** Fields that a checksum may leave out are checked where they are there. */
function checkChecksum(model: ModelVersion, checksum: Record<string, unknown>): void {
  const files = [...model.live.values()];
  const vectors = files.flatMap(({ deletionVector }) => deletionVector ?? []);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const { version, info } = model;
  const is = (field: string, expected: unknown, optional = false) => {
    if (optional && checksum[field] === undefined) return;
    same(checksum[field], expected, `${field} of the checksum of version ${version}`);
  };
  is('txnId', info.txnId);
  is('numFiles', files.length);
  is('tableSizeBytes', sum(files.map(({ size }) => size)));
  is('numDeletionVectorsOpt', vectors.length, true);
  is('numDeletedRecordsOpt', sum(vectors.map(({ cardinality }) => cardinality)), true);
  is('inCommitTimestampOpt', info.inCommitTimestamp);
  is('metadata', model.metaData);
  is('protocol', model.protocol);
  const { setTransactions, domainMetadata } = checksum as {
    setTransactions?: { appId: string; version: number }[];
    domainMetadata?: { domain: string; configuration: string }[];
  };
  if (setTransactions !== undefined) {
    const apps = new Map(setTransactions.map((txn) => [txn.appId, txn.version]));
    same(apps, model.apps, `setTransactions of the checksum of version ${version}`);
  }
  if (domainMetadata !== undefined) {
    const domains = new Map(domainMetadata.map(({ domain, configuration }) => [domain, configuration]));
    same(domains, model.domains, `domainMetadata of the checksum of version ${version}`);
  }
  const histogram = checksum.fileSizeHistogram as { fileCounts: number[]; totalBytes: number[] } | undefined;
  if (histogram === undefined) return;
  same(sum(histogram.fileCounts), files.length, `files in the histogram of version ${version}`);
  same(sum(histogram.totalBytes), checksum.tableSizeBytes, `bytes in the histogram of version ${version}`);
}
