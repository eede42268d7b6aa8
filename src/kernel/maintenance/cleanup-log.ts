/**
 * Deleting the part of a log that no kept version needs (`PROTOCOL.md`, "Metadata Cleanup"): what lies before the
 * newest checkpoint that is old enough.
 */
import { isDeltaError, shownUrl, withContext } from '../../errors.ts';
import { checkRowlessWriteSupport } from '../checkpoint/support.ts';
import { type CallOptions, type Engine, type FileMeta, pathOf } from '../engine.ts';
import { latestVersionAsOf } from '../history/timestamps.ts';
import { newestCompleteCheckpoint } from '../log/checkpoint-choice.ts';
import { listLog } from '../log/listing.ts';
import { fileNameOf } from '../log/log-path.ts';
import type { LogFile } from '../log/types.ts';
import { joinPath } from '../paths.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { type CatalogGrant, checkGrant, type GrantOptions } from './catalog-grant.ts';
import { deleteInOrder, deletingStorage } from './delete-files.ts';
import { sidecarsOf } from './sidecar-references.ts';

export interface CleanupOptions extends GrantOptions {
  /** Whether only to tell what would be deleted. Default false. */
  readonly dryRun?: boolean | undefined;
}

export interface CleanupResult {
  /** The checkpoint from which the log is kept; undefined: nothing is old enough, or nothing may be deleted. */
  readonly keptFrom: number | undefined;
  /** Names in `_delta_log/`, in the order of deletion. */
  readonly files: readonly string[];
}

const DAY = 24 * 60 * 60 * 1000;
const NOTHING: CleanupResult = { keptFrom: undefined, files: [] };

/**
 * Deletes log files of versions whose time is past `delta.logRetentionDuration`, as far as a complete checkpoint takes
 * their place; nothing where `delta.enableExpiredLogCleanup` is false. All is listed and read before the first file is
 * deleted, oldest versions first.
 *
 * Errors: `Unsupported` for a catalog-managed table without its catalog's `grant`, a feature that stands in the way, a storage that cannot delete;
 * those of reading the log; storage's own.
 */
export async function cleanUpLog(
  engine: Engine,
  snapshot: SnapshotState,
  { dryRun = false, grant, signal }: CleanupOptions = {},
): Promise<CleanupResult> {
  const { tableRoot, logSegment, tableProperties } = snapshot;
  checkGrant(snapshot, 'cleaning up the log', grant);
  checkRowlessWriteSupport(snapshot);
  const storage = deletingStorage(engine, tableRoot, 'cleaning up the log');
  if (!tableProperties.enableExpiredLogCleanup) return NOTHING;
  try {
    const expired = await lastExpiredVersion(engine, snapshot, { signal });
    if (expired === undefined) return NOTHING;
    const { files } = await listLog(engine, logSegment.logRoot, { start: 0, signal });
    const kept = await newestUsableCheckpoint(engine, snapshot, files, expired, { signal });
    if (kept === undefined) return NOTHING;
    const locations = [
      ...oldLogFiles(files, kept),
      ...(await oldStagedCommits(engine, snapshot, kept, grant, { signal })),
      ...(await unusedSidecars(engine, snapshot, files, kept, { signal })),
    ];
    if (!dryRun) await deleteInOrder(storage, locations, { signal });
    const root = pathOf(logSegment.logRoot);
    return { keptFrom: kept, files: locations.map((location) => pathOf(location).slice(root.length)) };
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot) });
  }
}

/** The newest version that was made before the cutoff, which is a midnight (UTC), so that a day's runs agree. */
async function lastExpiredVersion(
  engine: Engine,
  snapshot: SnapshotState,
  options: CallOptions,
): Promise<number | undefined> {
  const { runtime, tableProperties } = snapshot;
  const cutoff = Math.floor((runtime.now() - tableProperties.logRetentionDuration) / DAY) * DAY;
  try {
    return await latestVersionAsOf(engine, snapshot, cutoff, { ...options, kind: 'published' });
  } catch (error) {
    if (isDeltaError(error, 'TimestampOutOfRange', 'NoRecreatableCommit')) return undefined;
    throw error;
  }
}

/** The newest checkpoint up to a version of which every file is there, sidecars among them. */
async function newestUsableCheckpoint(
  engine: Engine,
  snapshot: SnapshotState,
  files: readonly LogFile[],
  upTo: number,
  options: CallOptions,
): Promise<number | undefined> {
  let candidates = files.filter(({ version }) => version <= upTo);
  for (;;) {
    const checkpoint = newestCompleteCheckpoint(candidates);
    if (checkpoint === undefined) return undefined;
    if (await hasItsSidecars(engine, snapshot, checkpoint.files, options)) return checkpoint.version;
    candidates = candidates.filter((file) => !checkpoint.files.includes(file));
  }
}

async function hasItsSidecars(
  engine: Engine,
  { logSegment }: SnapshotState,
  files: readonly LogFile[],
  options: CallOptions,
): Promise<boolean> {
  for (const file of files) {
    for (const { location } of await sidecarsOf(engine, logSegment, file, options)) {
      try {
        await engine.storageHandler.head(location, options);
      } catch (error) {
        if (isDeltaError(error, 'FileNotFound')) return false;
        throw error;
      }
    }
  }
  return true;
}

/** Everything of versions before the kept one, and compactions that begin at or before it. The commit itself stays. */
function oldLogFiles(files: readonly LogFile[], kept: number): URL[] {
  return files
    .filter(({ kind, version }) => version < kept || (kind === 'compactedCommit' && version === kept))
    .sort((a, b) => a.version - b.version)
    .map(({ file }) => file.location);
}

/** But for those that the catalog still lists, which readers may be sent to. */
async function oldStagedCommits(
  engine: Engine,
  { logSegment }: SnapshotState,
  kept: number,
  grant: CatalogGrant | undefined,
  options: CallOptions,
): Promise<URL[]> {
  const listed = new Set(grant?.logTail.map(({ file }) => pathOf(file.location)));
  const staged: URL[] = [];
  for await (const { location } of listDirectory(engine, logSegment.logRoot, '_staged_commits/', options)) {
    const version = /^(\d{20})\.[^./]{36}\.json$/.exec(fileNameOf(location))?.[1];
    if (version === undefined || Number(version) > kept || listed.has(pathOf(location))) continue;
    staged.push(location);
  }
  return staged;
}

/** Sidecars that no remaining checkpoint names; young ones may belong to a checkpoint that is being written. */
async function unusedSidecars(
  engine: Engine,
  { logSegment, runtime }: SnapshotState,
  files: readonly LogFile[],
  kept: number,
  options: CallOptions,
): Promise<URL[]> {
  const all: FileMeta[] = [];
  for await (const file of listDirectory(engine, logSegment.logRoot, '_sidecars/', options)) all.push(file);
  const cutoff = runtime.now() - DAY;
  const old = all.filter(({ lastModified }) => lastModified > 0 && lastModified < cutoff);
  if (old.length === 0) return [];
  const used = new Set<string>();
  for (const file of files) {
    if (file.version < kept || file.file.size === 0 || !CAN_HAVE_SIDECARS.has(file.kind)) continue;
    for (const { location } of await sidecarsOf(engine, logSegment, file, options))
      used.add(pathOf(location));
  }
  return old.map(({ location }) => location).filter((location) => !used.has(pathOf(location)));
}

const CAN_HAVE_SIDECARS: ReadonlySet<LogFile['kind']> = new Set(['classicCheckpoint', 'uuidCheckpoint']);

function listDirectory(
  engine: Engine,
  logRoot: URL,
  name: string,
  options: CallOptions,
): AsyncIterable<FileMeta> {
  return engine.storageHandler.listFrom(joinPath(logRoot, name), options);
}
