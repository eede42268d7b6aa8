/**
 * A log on a storage that cannot list (a plain web server): `_last_checkpoint`, the files that it names, then
 * commits one after the other until one is not there.
 */
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import { joinPath } from '../paths.ts';
import { newestCompleteCheckpoint } from './checkpoint-choice.ts';
import type { LastCheckpointHint } from './last-checkpoint-hint.ts';
import {
  classicCheckpointFileName,
  commitFileName,
  multipartCheckpointFileName,
  parseLogFile,
} from './log-path.ts';
import type { LogFile, LogListing } from './types.ts';

/** Commits asked for at a time: few at first, since most logs end soon after their checkpoint. */
const FIRST_WINDOW = 4;
const LAST_WINDOW = 64;

interface ProbeOptions extends CallOptions {
  target?: number | undefined;
}

/** Throws `Unsupported` where the host says of every file that it exists. */
export async function probeLog(
  engine: Engine,
  logRoot: URL,
  hint: LastCheckpointHint | undefined,
  options: ProbeOptions,
): Promise<LogListing> {
  const { target } = options;
  const honest = checkHonest(engine, logRoot, options);
  if (hint !== undefined && (target === undefined || hint.version <= target)) {
    const names = [...checkpointNames(hint), commitFileName(hint.version)];
    const [checkpoint, commits] = await Promise.all([
      probe(engine, logRoot, names, options),
      honest.then(() => probeCommits(engine, logRoot, hint.version + 1, options)),
    ]);
    const files = [...checkpoint, ...commits];
    if (newestCompleteCheckpoint(files) !== undefined) return { files, newerExist: false };
  }
  await honest;
  return { files: await probeCommits(engine, logRoot, 0, options), newerExist: false };
}

/** The commits from `start` to the first that is missing; those beyond it in the same window too (a gap). */
export async function probeCommits(
  engine: Engine,
  logRoot: URL,
  start: number,
  { target = Number.MAX_SAFE_INTEGER - 1, signal }: ProbeOptions,
): Promise<LogFile[]> {
  const commits: LogFile[] = [];
  let size = FIRST_WINDOW;
  for (let version = start; version <= target; ) {
    const count = Math.min(size, target - version + 1);
    const names = Array.from({ length: count }, (_, index) => commitFileName(version + index));
    const found = await probe(engine, logRoot, names, { signal });
    commits.push(...found);
    if (found.length < count) break;
    version += count;
    size = Math.min(size * 2, LAST_WINDOW);
  }
  return commits;
}

/** The commits from `end` down to the first that is missing, in any order. */
export async function probeCommitsBackwards(
  engine: Engine,
  logRoot: URL,
  end: number,
  options: CallOptions,
): Promise<LogFile[]> {
  const commits: LogFile[] = [];
  let size = FIRST_WINDOW;
  for (let version = end; version >= 0; ) {
    const count = Math.min(size, version + 1);
    const names = Array.from({ length: count }, (_, index) => commitFileName(version - index));
    const found = await probe(engine, logRoot, names, options);
    commits.push(...found);
    if (found.length < count) break;
    version -= count;
    size = Math.min(size * 2, LAST_WINDOW);
  }
  return commits;
}

function checkpointNames({ version, parts, v2Path }: LastCheckpointHint): string[] {
  if (v2Path !== undefined) return [v2Path.slice(v2Path.lastIndexOf('/') + 1)];
  if (parts === undefined) return [classicCheckpointFileName(version)];
  return Array.from({ length: parts }, (_, index) => multipartCheckpointFileName(version, index + 1, parts));
}

async function probe(
  engine: Engine,
  logRoot: URL,
  names: readonly string[],
  options: CallOptions,
): Promise<LogFile[]> {
  const metas = await Promise.all(
    names.map((name) => headIfExists(engine, joinPath(logRoot, name), options)),
  );
  return metas.flatMap((meta) => (meta === undefined ? [] : (parseLogFile(meta) ?? [])));
}

async function headIfExists(
  engine: Engine,
  location: URL,
  options: CallOptions,
): Promise<FileMeta | undefined> {
  try {
    return await engine.storageHandler.head(location, options);
  } catch (error) {
    if (isDeltaError(error, 'FileNotFound')) return undefined;
    throw error;
  }
}

/** Some servers answer a path that they do not know with a start page: probing them would never end. */
async function checkHonest(engine: Engine, logRoot: URL, options: CallOptions): Promise<void> {
  const name = commitFileName(Number.MAX_SAFE_INTEGER);
  if ((await headIfExists(engine, joinPath(logRoot, name), options)) === undefined) return;
  throw new DeltaError(
    'Unsupported',
    'the server cannot list files and answers requests for files that do not exist as if they did, so the versions ' +
      'of a table cannot be found there; serve the table from a host that answers 404 for missing files',
    { path: `_delta_log/${name}` },
  );
}
