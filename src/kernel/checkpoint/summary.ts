/** What a checksum says of a version, counted from its whole log or from the checksum before and one commit. */
import { type CommitInfo, findCommitInfoText, parseCommitInfo } from '../actions/commit-info.ts';
import { actionField, actionsSchema } from '../actions/schemas.ts';
import type { DomainMetadata, SetTransaction } from '../actions/types.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { KeySet } from '../key-set.ts';
import type { Checksum } from '../log/checksum.ts';
import { asSafeInteger } from '../log/json.ts';
import { inFile } from '../log/place.ts';
import { readActions } from '../log/read-actions.ts';
import type { LogFile } from '../log/types.ts';
import { FileKeys } from '../scan/log-replay.ts';
import { types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import { AppState } from './app-state.ts';
import { emptyHistogram, parseHistogram } from './histogram.ts';
import { replayFileActions } from './replay.ts';
import { FileCounter, type FileTotals } from './totals.ts';

export interface VersionSummary {
  readonly totals: FileTotals;
  /** Undefined: unknown. */
  readonly transactions: readonly SetTransaction[] | undefined;
  /** Without removed ones. Undefined: unknown. */
  readonly domains: readonly DomainMetadata[] | undefined;
}

const COUNTED = ['path', 'size', 'deletionVector'] as const;

/** Replays the whole log. */
export async function summaryOfLog(
  engine: Engine,
  snapshot: SnapshotState,
  options: CallOptions,
): Promise<VersionSummary> {
  const appState = new AppState();
  const hasVectors = isFeatureSupported(snapshot.protocol, 'deletionVectors');
  const counter = new FileCounter({
    numFiles: 0,
    sizeInBytes: 0,
    numDeletionVectors: hasVectors ? 0 : undefined,
    numDeletedRecords: hasVectors ? 0 : undefined,
    histogram: emptyHistogram(),
  });
  const actions = replayFileActions(engine, snapshot, appState, {
    ...options,
    fileActions: [actionField('add', ...COUNTED), actionField('remove', 'path', 'deletionVector')],
    stats: false,
  });
  for await (const { action, data, selection } of actions) counter.count(data, action, selection, 1);
  // Sums of what was read, which are numbers ≥ 0.
  return { totals: counter.totals!, transactions: appState.transactions, domains: appState.domains };
}

/**
 * Operations that remove exactly what was live and add what was not, so that counting their actions is enough
 * (`PROTOCOL.md` leaves this to writers; Delta Kernel has this list).
 */
const COUNTABLE: ReadonlySet<string> = new Set([
  'WRITE',
  'STREAMING UPDATE',
  'MERGE',
  'UPDATE',
  'DELETE',
  'OPTIMIZE',
  'CREATE TABLE',
  'REPLACE TABLE',
  'CREATE TABLE AS SELECT',
  'REPLACE TABLE AS SELECT',
  'CREATE OR REPLACE TABLE',
  'CREATE OR REPLACE TABLE AS SELECT',
]);

/**
 * The checksum of the version before with the actions of `commit`; undefined where those do not tell: an operation
 * that may do more, a file without a size, counts that come out below zero.
 */
export async function summaryOfCommit(
  engine: Engine,
  snapshot: SnapshotState,
  commit: LogFile,
  before: Checksum,
  { signal }: CallOptions,
): Promise<VersionSummary | undefined> {
  const counter = counterFrom(before);
  if (counter === undefined) return undefined;
  const changed = new AppState();
  const removed = new KeySet();
  let info: CommitInfo | undefined;
  const { checkpointVersion: _none, ...segment } = snapshot.logSegment;
  const only = { ...segment, commits: [commit], checkpoint: [], compactions: [] };
  for await (const { data, file } of readActions(engine, only, COMMIT_COLUMNS, {
    signal,
    commitsOnly: true,
  })) {
    try {
      const text = info === undefined ? findCommitInfoText(data) : undefined;
      if (text !== undefined) info = parseCommitInfo(text);
      changed.collect(data);
      if (!countRows(data, counter, removed)) return undefined;
    } catch (error) {
      throw inFile(error, only, file, commit.version);
    }
  }
  if (!COUNTABLE.has(info?.operation ?? '')) return undefined;
  const { totals } = counter;
  return (
    totals && {
      totals,
      transactions: merged(before.setTransactions, changed.transactions, ({ appId }) => appId),
      domains: merged(before.domainMetadata, changed.allDomains, ({ domain }) => domain)?.filter(
        (domain) => !domain.removed,
      ),
    }
  );
}

const COMMIT_COLUMNS = types.struct([
  ...actionsSchema('commitInfo').fields,
  actionField('add', ...COUNTED),
  actionField('remove', ...COUNTED),
  ...actionsSchema('txn', 'domainMetadata').fields,
]);

/** What a checksum does not say stays unknown. */
function counterFrom({ numFiles, tableSizeBytes, raw }: Checksum): FileCounter | undefined {
  if (numFiles === undefined || tableSizeBytes === undefined) return undefined;
  return new FileCounter({
    numFiles,
    sizeInBytes: tableSizeBytes,
    numDeletionVectors: asSafeInteger(raw.numDeletionVectorsOpt),
    numDeletedRecords: asSafeInteger(raw.numDeletedRecordsOpt),
    histogram: parseHistogram(raw.fileSizeHistogram),
  });
}

/** False where a row has no size. A file that is removed twice goes once. */
function countRows(data: EngineData, counter: FileCounter, removed: KeySet): boolean {
  for (const action of ['add', 'remove'] as const) {
    const keys = FileKeys.of(data, action);
    const size = data.column([action, 'size']);
    if (keys === undefined || size === undefined) continue;
    const selection = new Uint8Array(data.length);
    for (let row = 0; row < data.length; row += 1) {
      if (!keys.has(row)) continue;
      if (size.isNull(row)) return false;
      selection[row] = action === 'add' || removed.add(keys.at(row)) ? 1 : 0;
    }
    counter.count(data, action, selection, action === 'add' ? 1 : -1);
  }
  return true;
}

function merged<T>(
  before: readonly T[] | undefined,
  changes: readonly T[],
  keyOf: (item: T) => string,
): T[] | undefined {
  if (before === undefined) return undefined;
  const byKey = new Map(before.map((item) => [keyOf(item), item]));
  for (const change of changes) byKey.set(keyOf(change), change);
  return [...byKey.values()];
}
