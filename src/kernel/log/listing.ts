/**
 * Finding the files of `_delta_log` that matter for a version, in few requests.
 *
 * The listing and `_last_checkpoint` are asked for side by side. A log of up to one page needs nothing more; for a
 * longer one a second listing starts at the hint, or, for an older version without a usable hint, goes backwards
 * from that version. A storage that cannot list is probed (`probing.ts`).
 */
import { isDeltaError } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { joinPath } from '../paths.ts';
import { newestCompleteCheckpoint } from './checkpoint-choice.ts';
import { type LastCheckpointHint, readLastCheckpointHint } from './last-checkpoint-hint.ts';
import { fileNameOf, padVersion, parseLogFile } from './log-path.ts';
import { probeLog } from './probing.ts';
import type { LogFile, LogListing } from './types.ts';

/** Entries of the first listing before the hint is looked at: what object stores give in one page. */
const PAGE = 1000;
/** Versions per step when a checkpoint is searched backwards. */
const BACKWARD_WINDOW = 1000;

export interface ListingOptions extends CallOptions {
  /** Newest version of interest. */
  target?: number | undefined;
  /** First version of interest, where it is known: no hint is read then. */
  start?: number | undefined;
}

/** The log files up to `target`, from a complete checkpoint on or from the log's start. */
export async function listLog(
  engine: Engine,
  logRoot: URL,
  options: ListingOptions = {},
): Promise<LogListing> {
  const { start, target, signal } = options;
  if (start !== undefined) return listVersions(engine, logRoot, { start, target, signal });
  const hintRead = readLastCheckpointHint(engine, logRoot, { signal });
  // Its failure is reported below; until then it must not count as unhandled.
  hintRead.catch(() => undefined);
  let page: Listed;
  try {
    page = await listVersions(engine, logRoot, { start: 0, target, signal, limit: PAGE });
  } catch (error) {
    if (!isDeltaError(error, 'Unsupported')) throw error;
    return probeLog(engine, logRoot, await hintRead, options);
  }
  const hint = await hintRead;
  if (page.ended) return page;
  return (
    (await listFromCheckpoint(engine, logRoot, page, hint, options)) ??
    listRest(engine, logRoot, page, options)
  );
}

interface Listed extends LogListing {
  readonly ended: boolean;
  readonly last?: URL;
}

interface ListVersions extends CallOptions {
  readonly start: number;
  readonly target?: number | undefined;
  readonly limit?: number;
  readonly after?: URL | undefined;
}

async function listVersions(engine: Engine, logRoot: URL, options: ListVersions): Promise<Listed> {
  const { start, target = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY, signal } = options;
  const from = options.after ?? joinPath(logRoot, padVersion(start));
  const files: LogFile[] = [];
  let count = 0;
  let last: URL | undefined;
  for await (const file of engine.storageHandler.listFrom(from, { signal })) {
    // Names of log files start with digits; `_staged_commits/`, `_sidecars/` and `_last_checkpoint` come later.
    if (fileNameOf(file.location) > ':') break;
    const logFile = parseLogFile(file);
    if (logFile !== undefined && logFile.version > target) return { files, newerExist: true, ended: true };
    if (logFile !== undefined) files.push(logFile);
    last = file.location;
    if (++count >= limit) return { files, newerExist: false, ended: false, last };
  }
  return { files, newerExist: false, ended: true };
}

/** A listing that starts late, undefined where that finds no complete checkpoint. */
async function listFromCheckpoint(
  engine: Engine,
  logRoot: URL,
  page: Listed,
  hint: LastCheckpointHint | undefined,
  { target, signal }: ListingOptions,
): Promise<LogListing | undefined> {
  const listed = page.files.at(-1)?.version ?? 0;
  if (hint !== undefined && hint.version > listed && (target === undefined || hint.version <= target)) {
    const listing = await listVersions(engine, logRoot, { start: hint.version, target, signal });
    return newestCompleteCheckpoint(listing.files) === undefined ? undefined : listing;
  }
  if (target === undefined || target <= listed) return undefined;
  return listBackwards(engine, logRoot, target, { signal });
}

async function listBackwards(
  engine: Engine,
  logRoot: URL,
  target: number,
  options: CallOptions,
): Promise<LogListing | undefined> {
  let files: readonly LogFile[] = [];
  let newerExist = false;
  for (let end = target; end >= 0; end -= BACKWARD_WINDOW) {
    const start = Math.max(0, end - BACKWARD_WINDOW + 1);
    const window = await listVersions(engine, logRoot, { start, target: end, ...options });
    if (end === target) newerExist = window.newerExist;
    // A hole of a whole window: the version is not there, or the log is broken. The full listing tells.
    if (window.files.length === 0) return undefined;
    files = [...window.files, ...files];
    if (newestCompleteCheckpoint(window.files) !== undefined) return { files, newerExist };
  }
  return { files, newerExist };
}

async function listRest(
  engine: Engine,
  logRoot: URL,
  page: Listed,
  { target, signal }: ListingOptions,
): Promise<LogListing> {
  const rest = await listVersions(engine, logRoot, { start: 0, after: page.last, target, signal });
  return { files: [...page.files, ...rest.files], newerExist: rest.newerExist };
}
