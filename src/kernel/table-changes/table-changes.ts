/**
 * The change feed of a table between two versions: every row that a commit inserted, deleted or updated, with how,
 * in which version and when (`PROTOCOL.md`, "Change Data Files").
 *
 * @example
 * const changes = await TableChanges.load(engine, tableRoot, { start: 3 });
 * for await (const batch of changes.scan({ columns: ['id', '_change_type'] }).execute(engine)) …
 */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import type { CallOptions, Engine, Runtime } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { bindPredicate } from '../expressions/bind.ts';
import type { Predicate } from '../expressions/types.ts';
import { inCommitTimestampOf } from '../history/commit-info.ts';
import { listCommits } from '../history/commit-listing.ts';
import { fileTimestamp } from '../history/commit-times.ts';
import { inCommitTimestampEnablement } from '../history/in-commit-timestamps.ts';
import type { LogPath } from '../log/log-path.ts';
import { prefetchInOrder } from '../log/prefetch.ts';
import type { LogFile } from '../log/types.ts';
import { rowFilter, withPredicateColumns } from '../scan/exact-filter.ts';
import { readAhead } from '../scan/read-ahead.ts';
import { dataTypesEqual, typeToString } from '../schema/schema.ts';
import type { StructType } from '../schema/types.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { checkReadSupport } from '../table-features/protocol-support.ts';
import { tableProperties } from '../table-properties.ts';
import { type ChangeFile, changeFiles } from './change-files.ts';
import { keptChanges } from './change-skipping.ts';
import {
  type ChangesProjection,
  changesSchema,
  projectChanges,
  projectionOf,
  relaxedChanges,
} from './changes-schema.ts';
import { type CommitActions, readCommitActions } from './commit-actions.ts';
import { type CommitChange, type CommitReading, commitReading, readChange } from './read-changes.ts';

export interface TableChangesOptions extends CallOptions {
  /** First version whose changes are wanted. */
  start: number;
  /** Last version, the latest by default. */
  end?: number | undefined;
  /** Commits that a catalog ratified: as for `Snapshot.load`. */
  logTail?: readonly LogPath[] | undefined;
  maxCatalogVersion?: number | undefined;
  runtime?: Runtime | undefined;
}

export interface TableChangesScanOptions {
  /** Columns in the order wanted, those of the feed among them; all by default. */
  readonly columns?: readonly (string | readonly string[])[] | undefined;
  /** On the columns of the feed: a hint, rows that provably do not match may be left out. See `exact` of `execute`. */
  readonly predicate?: Predicate | undefined;
}

export interface ExecuteChangesOptions extends CallOptions {
  /** Only rows for which the predicate is true come back. Default false. */
  readonly exact?: boolean | undefined;
}

/** Files in work at a time, and commits read ahead. */
const FILES_AHEAD = { items: 4, bytes: 32 << 20 };
const COMMITS_AHEAD = { sources: 8, bytes: 16 << 20 };

export class TableChanges {
  readonly tableRoot: URL;
  readonly start: number;
  readonly end: number;
  /** The table's columns at `end`, then `_change_type`, `_commit_version` and `_commit_timestamp`. */
  readonly schema: StructType;
  readonly #startSnapshot: Snapshot;
  readonly #endSnapshot: Snapshot;
  readonly #commits: readonly LogFile[];

  private constructor(start: Snapshot, end: Snapshot, commits: readonly LogFile[]) {
    this.tableRoot = end.tableRoot;
    this.start = start.version;
    this.end = end.version;
    this.schema = changesSchema(end.schema);
    this.#startSnapshot = start;
    this.#endSnapshot = end;
    this.#commits = commits;
  }

  /**
   * Finds the commits of the range and checks its ends: the feed is enabled at both, with one schema. Commits in
   * between are checked as they are read.
   *
   * Errors: those of `Snapshot.load`; `InvalidOption` for a range that ends before it starts; `MissingVersion` where
   * a commit of it is no longer in the log; `ChangeDataFeedUnsupported`; `ChangeDataFeedIncompatibleSchema`.
   */
  static async load(
    engine: Engine,
    tableRoot: URL | string,
    options: TableChangesOptions,
  ): Promise<TableChanges> {
    const { start, end, ...rest } = options;
    if (end !== undefined && start > end) {
      throw new DeltaError(
        'InvalidOption',
        `the range of changes starts at version ${start} and ends at ${end}`,
      );
    }
    const [endSnapshot, startSnapshot] = await Promise.all([
      Snapshot.load(engine, tableRoot, { ...rest, version: end }),
      Snapshot.load(engine, tableRoot, { ...rest, version: start }),
    ]);
    for (const snapshot of [startSnapshot, endSnapshot]) checkEnabled(snapshot);
    checkSchema(startSnapshot, endSnapshot.schema);
    const listing = await listCommits(engine, endSnapshot, { from: start, signal: options.signal });
    const commits = listing.commits.filter(({ version }) => version >= start);
    if (commits[0]?.version !== start) throw missingCommit(endSnapshot, start, commits[0]?.version);
    return new TableChanges(startSnapshot, endSnapshot, commits);
  }

  /** Throws `Schema` for unknown columns and `InvalidExpression` for a predicate that does not fit. */
  scan(options: TableChangesScanOptions = {}): TableChangesScan {
    return new TableChangesScan(this, options, (...asked) => this.#changes(...asked));
  }

  /** Files of the range in the order of commits; each commit is checked before its files come. */
  async *#changes(
    engine: Engine,
    projection: ChangesProjection,
    predicate: Predicate | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<CommitChange, void, undefined> {
    const { tableRoot } = this;
    const commits = prefetchInOrder(
      this.#commits.map((commit) => ({
        bytes: commit.file.size,
        open: async function* () {
          yield await readCommitActions(engine, tableRoot, commit, {
            signal,
            stats: predicate !== undefined,
          });
        },
      })),
      COMMITS_AHEAD,
    );
    let state: SnapshotState = this.#startSnapshot;
    for await (const actions of commits) {
      state = this.#stateAfter(state, actions);
      const files = changeFiles(actions);
      if (files.length === 0) continue;
      const timestamp = await commitTimestamp(engine, state, actions, { signal });
      const reading = commitReading(state, BigInt(timestamp) * 1000n, projection, predicate);
      const kept = predicate === undefined ? files : await this.#kept(engine, reading, files, predicate);
      for (const change of kept) yield { change, reading };
    }
  }

  async #kept(
    engine: Engine,
    reading: CommitReading,
    files: readonly ChangeFile[],
    predicate: Predicate,
  ): Promise<readonly ChangeFile[]> {
    try {
      return await keptChanges(engine, reading, files, predicate);
    } catch (error) {
      throw withContext(error, { table: shownUrl(this.tableRoot), version: reading.state.version });
    }
  }

  /** The table as of a commit, checked where it changes protocol or metadata. */
  #stateAfter(before: SnapshotState, { commit, protocol, metadata }: CommitActions): SnapshotState {
    const { version } = commit;
    try {
      if (protocol !== undefined) checkReadSupport(protocol);
      const state = stateOf(before, version, protocol ?? before.protocol, metadata ?? before.metadata);
      if (metadata !== undefined || protocol !== undefined) checkEnabled(state);
      if (metadata !== undefined) checkSchema(state, this.#endSnapshot.schema);
      return state;
    } catch (error) {
      throw withContext(error, { table: shownUrl(this.tableRoot), version });
    }
  }
}

/** `predicate` is bound. */
type OpenChanges = (
  engine: Engine,
  projection: ChangesProjection,
  predicate: Predicate | undefined,
  signal: AbortSignal | undefined,
) => AsyncIterable<CommitChange>;

/** A projection of a change feed. */
export class TableChangesScan {
  readonly changes: TableChanges;
  /** The columns that come out. */
  readonly logicalSchema: StructType;
  readonly #projection: ChangesProjection;
  readonly #predicate: Predicate | undefined;
  readonly #open: OpenChanges;

  constructor(changes: TableChanges, { columns, predicate }: TableChangesScanOptions, open: OpenChanges) {
    this.changes = changes;
    this.#projection = projectChanges(changes.schema, columns);
    this.logicalSchema = this.#projection.logicalSchema;
    this.#open = open;
    this.#predicate = predicate && bindPredicate(predicate, changes.schema);
  }

  /**
   * The changed rows, version by version ascending; within one, deletes come before inserts. Breaking off stops all
   * reads. Errors beside those of reading a table: `ChangeDataFeedUnsupported` for a version without the feed,
   * `ChangeDataFeedIncompatibleSchema` for one with another schema, `FileNotFound` for files that were vacuumed.
   */
  async *execute(
    engine: Engine,
    { signal, exact = false }: ExecuteChangesOptions = {},
  ): AsyncGenerator<EngineData, void, undefined> {
    const predicate = this.#predicate;
    if (predicate === undefined || !exact) {
      yield* this.#read(engine, this.#projection, signal);
      return;
    }
    const read = withPredicateColumns(this.changes.schema, this.logicalSchema, predicate);
    const [input, output] = [read, this.logicalSchema].map(relaxedChanges);
    const filter = rowFilter(engine, predicate, input!, output!);
    for await (const batch of this.#read(engine, projectionOf(read), signal)) {
      const rows = await filter(batch);
      if (rows.length > 0) yield rows;
    }
  }

  #read(
    engine: Engine,
    projection: ChangesProjection,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<EngineData, void, undefined> {
    return readAhead(
      this.#open(engine, projection, this.#predicate, signal),
      (change) => inCommit(readChange(engine, change, projection, signal), this.changes.tableRoot, change),
      ({ change }) => change.file.size ?? 0,
      FILES_AHEAD,
    );
  }
}

async function* inCommit<T>(
  rows: AsyncIterable<T>,
  tableRoot: URL,
  { change, reading }: CommitChange,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* rows;
  } catch (error) {
    const { version } = reading.state;
    throw withContext(error, { table: shownUrl(tableRoot), version, path: change.file.path });
  }
}

function stateOf(
  before: SnapshotState,
  version: number,
  protocol: Protocol,
  metadata: Metadata,
): SnapshotState {
  const { tableRoot, logSegment, runtime } = before;
  return {
    version,
    tableRoot,
    logSegment,
    runtime,
    protocol,
    metadata,
    schema: metadata.schema,
    tableProperties: tableProperties(protocol, metadata),
  };
}

/** The in-commit timestamp where those are enabled as of the commit, else the file's time; in ms. */
function commitTimestamp(
  engine: Engine,
  state: SnapshotState,
  { commit, commitInfo }: CommitActions,
  options: CallOptions,
): Promise<number> | number {
  const enablement = inCommitTimestampEnablement(state);
  return enablement === undefined || commit.version < enablement.version
    ? fileTimestamp(engine, state.tableRoot, commit, options)
    : inCommitTimestampOf(state.tableRoot, commit, commitInfo);
}

function checkEnabled({ tableProperties: properties, tableRoot, version }: SnapshotState): void {
  if (properties.enableChangeDataFeed) return;
  throw new DeltaError(
    'ChangeDataFeedUnsupported',
    `version ${version} has no change feed: delta.enableChangeDataFeed is not true there. Choose a range of versions ` +
      'that have it throughout',
    { table: shownUrl(tableRoot), version },
  );
}

function checkSchema({ schema, tableRoot, version }: SnapshotState, wanted: StructType): void {
  if (dataTypesEqual(schema, wanted)) return;
  throw new DeltaError(
    'ChangeDataFeedIncompatibleSchema',
    `version ${version} has the schema ${typeToString(schema)}, which differs (perhaps in NOT NULL alone) from ` +
      `${typeToString(wanted)} at the end of the range. Choose a range of one schema`,
    { table: shownUrl(tableRoot), version },
  );
}

function missingCommit({ tableRoot }: Snapshot, start: number, found: number | undefined): DeltaError {
  const earliest = found === undefined ? 'none of the range is there' : `the earliest is version ${found}`;
  return new DeltaError(
    'MissingVersion',
    `the commit of version ${start} is no longer in the log: ${earliest}`,
    {
      table: shownUrl(tableRoot),
      version: start,
    },
  );
}
