/** A log read in the plainest way, without any code of the kernel, and what must be true of it. */
import { expect } from 'vitest';
import type { MemoryStorageHandler } from '../../src/storage/memory.ts';
import type { Outcome } from './writer.ts';

interface FileAction {
  readonly path: string;
  readonly size: number;
  readonly stats: string;
  readonly baseRowId?: number;
  readonly defaultRowCommitVersion?: number;
}

interface CommitInfo {
  readonly txnId: string;
  readonly operation: string;
  readonly inCommitTimestamp?: number;
  /** The live files that a whole-table reader has read. */
  readonly read?: readonly string[];
}

export interface ModelVersion {
  readonly version: number;
  readonly info: CommitInfo;
  readonly adds: readonly FileAction[];
  readonly removes: readonly FileAction[];
  /** `rowIdHighWaterMark`, where the commit says it. */
  readonly highWaterMark: number | undefined;
  /** Sorted paths after the commit. */
  readonly live: readonly string[];
}

export interface Model {
  /** Whether whole-table readers must have seen everything; else they may have missed blind appends. */
  readonly isSerializable: boolean;
  readonly versions: readonly ModelVersion[];
  /** Other files below the table. */
  readonly strays: readonly string[];
}

/** Throws where a commit adds what is there or removes what is not. */
export async function replay(storage: MemoryStorageHandler, root: URL): Promise<Model> {
  const commits = storage.paths().filter((path) => /\/_delta_log\/\d{20}\.json$/.test(path));
  const strays = storage.paths().filter((path) => !commits.includes(path));
  const live = new Set<string>();
  const versions: ModelVersion[] = [];
  for (const [index, path] of commits.entries()) {
    expect(Number(path.slice(-25, -5)), 'versions are dense').toBe(index);
    const actions = await linesOf(storage, new URL(path, root));
    expect(Object.keys(actions[0]!), 'commitInfo comes first').toEqual(['commitInfo']);
    const of = <T>(kind: string) => actions.flatMap((action) => (kind in action ? [action[kind] as T] : []));
    const [adds, removes] = [of<FileAction>('add'), of<FileAction>('remove')];
    for (const { path: removed } of removes) {
      expect(live.delete(removed), `version ${index} removes ${removed}, which is live`).toBe(true);
    }
    for (const { path: added } of adds) {
      expect(live.has(added), `version ${index} adds ${added}, which is live`).toBe(false);
      live.add(added);
    }
    const domain = of<{ domain: string; configuration: string }>('domainMetadata').at(-1);
    versions.push({
      version: index,
      info: actions[0]!.commitInfo as CommitInfo,
      adds,
      removes,
      highWaterMark:
        domain && (JSON.parse(domain.configuration) as { rowIdHighWaterMark: number }).rowIdHighWaterMark,
      live: [...live].sort(),
    });
  }
  const [created] = await linesOf(storage, new URL(commits[0]!, root)).then((actions) =>
    actions.flatMap((action) =>
      'metaData' in action ? [action.metaData as { configuration: Record<string, string> }] : [],
    ),
  );
  const isSerializable = created!.configuration['delta.isolationLevel'] !== 'WriteSerializable';
  return { versions, strays, isSerializable };
}

async function linesOf(storage: MemoryStorageHandler, location: URL): Promise<Record<string, unknown>[]> {
  for await (const bytes of storage.readFiles([{ location }])) {
    const lines = new TextDecoder().decode(bytes).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
  throw new Error('no bytes');
}

export function checkLog({ versions, strays, isSerializable }: Model, outcomes: readonly Outcome[]): void {
  expect(strays, 'nothing but commits is written').toEqual([]);
  checkOutcomes(versions, outcomes);
  checkTimes(versions);
  checkRowIds(versions);
  checkReaders(versions, isSerializable);
}

/** Each effect once or not at all, and as its writer believes. */
function checkOutcomes(versions: readonly ModelVersion[], outcomes: readonly Outcome[]): void {
  const found = new Map<string, ModelVersion[]>();
  for (const version of versions) {
    found.set(version.info.txnId, [...(found.get(version.info.txnId) ?? []), version]);
  }
  for (const [txnId, made] of found) expect(made.length, `commits of the transaction ${txnId}`).toBe(1);
  for (const { txnId, operation, end, version, live } of outcomes) {
    const made = found.get(txnId)?.[0];
    if (end === 'never') expect(made, `${operation} ${txnId} is said not to be made`).toBeUndefined();
    if (end !== 'committed') continue;
    expect(made?.version, `${operation} ${txnId} is said to be made`).toBe(version);
    expect(live, 'the post-commit snapshot').toEqual(made?.live);
  }
  const known = new Set(outcomes.map(({ txnId }) => txnId));
  const unknown = versions.slice(1).filter(({ info }) => !known.has(info.txnId));
  expect(unknown, 'every commit has a writer').toEqual([]);
}

function checkTimes(versions: readonly ModelVersion[]): void {
  const times = versions.map(({ info }) => info.inCommitTimestamp);
  if (times[0] === undefined) {
    expect(times.filter((time) => time !== undefined)).toEqual([]);
    return;
  }
  for (let index = 1; index < times.length; index++) {
    expect(times[index], `in-commit timestamp of version ${index}`).toBeGreaterThan(times[index - 1]!);
  }
}

/** Ids are given without gap or overlap, in the order of versions. */
function checkRowIds(versions: readonly ModelVersion[]): void {
  const first = versions[0]!.highWaterMark;
  if (first === undefined) return;
  let next = first + 1;
  for (const { version, adds, highWaterMark } of versions) {
    for (const { baseRowId, defaultRowCommitVersion, stats, path } of adds) {
      expect(baseRowId, `base row id of ${path} in version ${version}`).toBe(next);
      expect(defaultRowCommitVersion).toBe(version);
      next += (JSON.parse(stats) as { numRecords: number }).numRecords;
    }
    if (adds.length > 0) expect(highWaterMark, `high watermark of version ${version}`).toBe(next - 1);
  }
}

/** Who read the whole table saw exactly the version before its own; blind appends may be passed where the table says so. */
function checkReaders(versions: readonly ModelVersion[], isSerializable: boolean): void {
  for (const { version, info } of versions) {
    if (info.read === undefined) continue;
    const before = versions[version - 1]!.live;
    const unread = before.filter((path) => !info.read!.includes(path));
    const gone = info.read.filter((path) => !before.includes(path));
    expect(gone, `files that version ${version} read and that are gone`).toEqual([]);
    const mayBeMissed = new Set(
      versions.flatMap((other) =>
        other.info.operation.endsWith('Append') ? other.adds.map(({ path }) => path) : [],
      ),
    );
    expect(
      unread.filter((path) => isSerializable || !mayBeMissed.has(path)),
      `files that version ${version} did not read`,
    ).toEqual([]);
  }
}
