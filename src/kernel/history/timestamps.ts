/**
 * Versions by time (`PROTOCOL.md`, "In-Commit Timestamps").
 *
 * From the version that enabled them on, commits have their own timestamps, which ascend. Earlier commits have the
 * times of their files, made strictly ascending from the oldest that is left. The two ranges are searched apart: a
 * time at or after the enablement among the former, any other among the latter.
 */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { LogFile } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { readInCommitTimestamp } from './commit-info.ts';
import { listCommits } from './commit-listing.ts';
import { fileTimestamp } from './commit-times.ts';
import { inCommitTimestampEnablement } from './in-commit-timestamps.ts';

export interface TimestampOptions extends CallOptions {
  /**
   * `recreatable` (default): versions that can be loaded, so from version 0 or from the earliest complete checkpoint
   * on whose commit is there; none is `NoRecreatableCommit`. `published`: every commit that is there.
   */
  kind?: 'recreatable' | 'published' | undefined;
}

/**
 * The greatest version whose time is ≤ `timestamp`, up to the snapshot's.
 * @param timestamp ms since the Unix epoch, or a date.
 * Throws `TimestampOutOfRange` where every version is later.
 */
export async function latestVersionAsOf(
  engine: Engine,
  state: SnapshotState,
  timestamp: number | Date,
  options: TimestampOptions = {},
): Promise<number> {
  const wanted = toMillis(timestamp);
  const timeline = await Timeline.of(engine, state, options);
  const found = await timeline.lastAtOrBefore(wanted);
  if (found !== undefined) return found;
  throw outOfRange(state, wanted, `the earliest version left is ${timeline.first}, which is later`);
}

/** The least version whose time is ≥ `timestamp`. Otherwise as {@link latestVersionAsOf}. */
export async function firstVersionAfter(
  engine: Engine,
  state: SnapshotState,
  timestamp: number | Date,
  options: TimestampOptions = {},
): Promise<number> {
  const wanted = toMillis(timestamp);
  const timeline = await Timeline.of(engine, state, options);
  const found = await timeline.firstAtOrAfter(wanted);
  if (found !== undefined) return found;
  throw outOfRange(state, wanted, `the latest version is ${state.version}, which is earlier`);
}

/**
 * The versions from the first at or after `start` to the last at or before `end` (the snapshot's by default).
 * Throws `InvalidTimestampRange` for start > end, `EmptyTimestampRange` where no version lies between.
 */
export async function timestampRangeToVersions(
  engine: Engine,
  state: SnapshotState,
  start: number | Date,
  end?: number | Date,
  options: TimestampOptions = {},
): Promise<{ start: number; end: number }> {
  const [from, to] = [toMillis(start), end === undefined ? undefined : toMillis(end)];
  const table = shownUrl(state.tableRoot);
  if (to !== undefined && from > to) {
    const message = `the range starts at ${iso(from)}, after its end ${iso(to)}`;
    throw new DeltaError('InvalidTimestampRange', message, { table });
  }
  const first = await firstVersionAfter(engine, state, from, options);
  const last = to === undefined ? state.version : await latestVersionAsOf(engine, state, to, options);
  if (first <= last) return { start: first, end: last };
  throw new DeltaError('EmptyTimestampRange', `no version lies between ${iso(from)} and ${iso(to!)}`, {
    table,
  });
}

/** The commits of a table with their times, which are looked up as needed. */
class Timeline {
  /** The versions that may be the answer: from `first` to the snapshot's. */
  readonly first: number;
  readonly #last: number;
  /** First version with an in-commit timestamp; beyond the last where there is none. */
  readonly #enabledFrom: number;
  readonly #enabledAt: number;
  readonly #timeOf: (version: number) => Promise<number>;

  private constructor(
    first: number,
    last: number,
    enablement: { version: number; timestamp: number },
    timeOf: (version: number) => Promise<number>,
  ) {
    this.first = first;
    this.#last = last;
    this.#enabledFrom = enablement.version;
    this.#enabledAt = enablement.timestamp;
    this.#timeOf = timeOf;
  }

  static async of(engine: Engine, state: SnapshotState, options: TimestampOptions): Promise<Timeline> {
    const never = { version: Number.POSITIVE_INFINITY, timestamp: Number.POSITIVE_INFINITY };
    const enablement = inCommitTimestampEnablement(state) ?? never;
    const { commits, checkpoints } = await listCommits(engine, state, options);
    const first = floor(state, commits, checkpoints, options.kind ?? 'recreatable');
    const times = new CommitTimes(engine, state, commits, enablement.version, options);
    return new Timeline(first, state.version, enablement, (version) => times.of(version));
  }

  async lastAtOrBefore(wanted: number): Promise<number | undefined> {
    if (wanted >= (await this.#timeOf(this.#last))) return this.#last;
    const [from, to] = this.#rangeOf(wanted);
    // `after` is the first version that is too late.
    const after = await this.#search(from, to, (time) => time > wanted);
    if (after > from) return after - 1;
    // Nothing in its own range: the versions before, if any, are all earlier.
    return from > this.first ? from - 1 : undefined;
  }

  async firstAtOrAfter(wanted: number): Promise<number | undefined> {
    const [from, to] = this.#rangeOf(wanted);
    const found = await this.#search(from, to, (time) => time >= wanted);
    // None before the enablement: the version that enabled is the first after.
    return found <= this.#last ? found : undefined;
  }

  /** The versions [from, to) among which a time is to be searched. */
  #rangeOf(wanted: number): [number, number] {
    const end = this.#last + 1;
    if (this.#enabledFrom <= this.first) return [this.first, end];
    if (this.#enabledFrom > this.#last) return [this.first, end];
    return wanted >= this.#enabledAt ? [this.#enabledFrom, end] : [this.first, this.#enabledFrom];
  }

  /** The first version in [from, to) whose time is as asked, `to` where none is; times ascend. */
  async #search(from: number, to: number, test: (time: number) => boolean): Promise<number> {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      if (test(await this.#timeOf(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Times of commits: read from the commit from `enabledFrom` on, else of the files, made ascending. */
export class CommitTimes {
  readonly #engine: Engine;
  readonly #state: SnapshotState;
  readonly #commits: readonly LogFile[];
  readonly #enabledFrom: number;
  readonly #options: CallOptions;
  readonly #inCommit = new Map<number, number>();
  #ofFiles: Promise<readonly number[]> | undefined;

  constructor(
    engine: Engine,
    state: SnapshotState,
    commits: readonly LogFile[],
    enabledFrom: number,
    { signal }: CallOptions,
  ) {
    this.#engine = engine;
    this.#state = state;
    this.#commits = commits;
    this.#enabledFrom = enabledFrom;
    this.#options = { signal };
  }

  /** Of a version that is among the commits, in ms. */
  async of(version: number): Promise<number> {
    const index = version - this.#commits[0]!.version;
    if (version >= this.#enabledFrom) return this.#inCommitTime(this.#commits[index]!);
    this.#ofFiles ??= this.#fileTimes();
    return (await this.#ofFiles)[index]!;
  }

  async #inCommitTime(commit: LogFile): Promise<number> {
    const known = this.#inCommit.get(commit.version);
    if (known !== undefined) return known;
    const time = await readInCommitTimestamp(this.#engine, this.#state.tableRoot, commit, this.#options);
    this.#inCommit.set(commit.version, time);
    return time;
  }

  async #fileTimes(): Promise<readonly number[]> {
    const times: number[] = [];
    for (const commit of this.#commits) {
      if (commit.version >= this.#enabledFrom) break;
      const time = await fileTimestamp(this.#engine, this.#state.tableRoot, commit, this.#options);
      times.push(Math.max(time, (times.at(-1) ?? Number.NEGATIVE_INFINITY) + 1));
    }
    return times;
  }
}

/** The first version that may be the answer. */
function floor(
  state: SnapshotState,
  commits: readonly LogFile[],
  checkpoints: ReadonlySet<number>,
  kind: 'recreatable' | 'published',
): number {
  const found =
    kind === 'published'
      ? commits[0]
      : commits.find(({ version }) => version === 0 || checkpoints.has(version));
  if (found !== undefined) return found.version;
  const what =
    kind === 'published'
      ? 'the log has no commit'
      : 'the log has no commit from which a version can be built';
  throw new DeltaError('NoRecreatableCommit', `${what}, so no version can be found by its time`, {
    table: shownUrl(state.tableRoot),
    version: state.version,
  });
}

function toMillis(timestamp: number | Date): number {
  const millis = timestamp instanceof Date ? timestamp.getTime() : timestamp;
  if (Number.isFinite(millis)) return millis;
  throw new DeltaError('InvalidOption', `${String(timestamp)} is not a time`);
}

function iso(millis: number): string {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? `${millis} ms` : date.toISOString();
}

function outOfRange(state: SnapshotState, wanted: number, why: string): DeltaError {
  return new DeltaError('TimestampOutOfRange', `no version at ${iso(wanted)}: ${why}`, {
    table: shownUrl(state.tableRoot),
  });
}
