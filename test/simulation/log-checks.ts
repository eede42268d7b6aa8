/** What must be true of a log, whatever happened. */
import type { Model, ModelVersion } from './model.ts';
import { holds, same } from './same.ts';
import type { Outcome } from './writer.ts';

export function checkLog({ versions, isSerializable }: Model, outcomes: readonly Outcome[]): void {
  checkOutcomes(versions, outcomes);
  checkTimes(versions);
  checkRowIds(versions);
  checkReaders(versions, isSerializable);
}

/** Each effect once or not at all, and as its writer believes. */
function checkOutcomes(versions: readonly ModelVersion[], outcomes: readonly Outcome[]): void {
  const made = new Map<string, ModelVersion>();
  for (const version of versions) {
    const { txnId } = version.info;
    holds(!made.has(txnId), `the transaction ${txnId} has two commits`);
    made.set(txnId, version);
  }
  for (const { txnId, operation, end, version, live } of outcomes) {
    const commit = made.get(txnId);
    if (end === 'never') same(commit?.version, undefined, `${operation} ${txnId} is said not to be made`);
    if (end !== 'committed') continue;
    same(commit?.version, version, `${operation} ${txnId} is said to be made`);
    same(live, keysOf(commit!), 'the post-commit snapshot');
  }
  const known = new Set(outcomes.map(({ txnId }) => txnId));
  const unknown = versions.slice(1).filter(({ info }) => !known.has(info.txnId));
  same(unknown, [], 'commits without a writer');
}

export function keysOf({ live }: ModelVersion): string[] {
  return [...live.keys()].sort();
}

function checkTimes(versions: readonly ModelVersion[]): void {
  const times = versions.map(({ info }) => info.inCommitTimestamp);
  if (times[0] === undefined) {
    same(
      times.filter((time) => time !== undefined),
      [],
      'in-commit timestamps',
    );
    return;
  }
  for (let index = 1; index < times.length; index++) {
    holds(times[index]! > times[index - 1]!, `the in-commit timestamp of version ${index}`);
  }
}

/** Ids are given without gap or overlap, in the order of versions; files that only get a deletion vector keep theirs. */
function checkRowIds(versions: readonly ModelVersion[]): void {
  if (!versions[0]!.domains.has('delta.rowTracking')) return;
  let next = 0;
  for (const { version, adds, removes, domains } of versions) {
    const before = new Map(removes.map((file) => [file.path, file]));
    for (const { baseRowId, defaultRowCommitVersion, stats, path } of adds) {
      const known = before.get(path);
      same(baseRowId, known ? known.baseRowId : next, `the base row id of ${path} in version ${version}`);
      same(
        defaultRowCommitVersion,
        known ? known.defaultRowCommitVersion : version,
        `the row commit version of ${path} in version ${version}`,
      );
      if (!known) next += (JSON.parse(stats) as { numRecords: number }).numRecords;
    }
    const { rowIdHighWaterMark } = JSON.parse(domains.get('delta.rowTracking')!) as Record<string, number>;
    same(rowIdHighWaterMark, next - 1, `the high watermark of version ${version}`);
  }
}

/** Who read the whole table saw exactly the version before its own; blind appends may be passed where the table says so. */
function checkReaders(versions: readonly ModelVersion[], isSerializable: boolean): void {
  const appended = new Set(
    versions.flatMap(({ info, adds }) => (info.isBlindAppend ? adds.map(({ path }) => path) : [])),
  );
  for (const { version, info } of versions) {
    const read = info.sim?.read;
    if (read === undefined) continue;
    const before = keysOf(versions[version - 1]!);
    const mayMiss = (key: string) => !isSerializable && appended.has(key);
    same(
      read.filter((key) => !before.includes(key)),
      [],
      `files that version ${version} read and that are gone`,
    );
    same(
      before.filter((key) => !read.includes(key) && !mayMiss(key)),
      [],
      `files that version ${version} did not read`,
    );
  }
}
