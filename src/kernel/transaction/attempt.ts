/** One attempt to commit: everything that depends on the version on which it builds. */
import { shownUrl, withContext } from '../../errors.ts';
import type { DomainMetadata, Metadata, Protocol } from '../actions/types.ts';
import { physicalPath } from '../column-mapping/resolve.ts';
import { CommitMetadata } from '../committer/commit-metadata.ts';
import { commitTypeOf } from '../committer/pairing.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { canonicalPath } from '../paths.ts';
import type { ScanFile } from '../scan/scan-files.ts';
import { findDomainMetadata } from '../snapshot/app-state.ts';
import { CLUSTERING_DOMAIN, parseClusteringColumns } from '../snapshot/clustering.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import type { CommitActions, LoggedAdd } from './action-batches.ts';
import type { ResolvedChanges } from './changes.ts';
import { type CommitTimes, commitInfoScalar } from './commit-info.ts';
import { commitTimes, withEnablement } from './commit-time.ts';
import { checkClusteringStats, withWideBounds } from './file-stats.ts';
import { assignRowIds, assignsRowIds, highWaterMarkDomain, rowIdHighWaterMark } from './row-tracking.ts';

/** Row ids that a commit which won gave to files that were in the table already. */
export type Backfill = ReadonlyMap<string, Pick<ScanFile, 'baseRowId' | 'defaultRowCommitVersion'>>;

export interface AttemptInput {
  readonly changes: ResolvedChanges;
  /** The version on which the commit builds; version −1 for a new table. */
  readonly base: SnapshotState;
  /** The same with the protocol and the metadata after the commit. */
  readonly after: SnapshotState;
  readonly txnId: string;
  readonly backfill: Backfill;
}

export interface Attempt {
  readonly metadata: CommitMetadata;
  readonly actions: CommitActions;
  readonly times: CommitTimes;
  readonly after: { readonly protocol: Protocol; readonly metadata: Metadata };
}

/** Reads what it must know of the base: its time, domains. Errors name table and version. */
export async function prepareAttempt(
  engine: Engine,
  input: AttemptInput,
  options: CallOptions,
): Promise<Attempt> {
  const { base, changes, txnId } = input;
  const version = base.version + 1;
  try {
    await checkClustering(engine, input, options);
    const times = await commitTimes(engine, base, input.after, options);
    const metadata = withEnablement(base, input.after, times);
    const tracked = await trackRows(engine, input, options);
    const domains = [
      ...(await userDomains(engine, input, options)),
      ...changes.systemDomains,
      ...tracked.domains,
    ];
    const isNew = base.version < 0;
    const newProtocol = isNew ? input.after.protocol : changes.newProtocol;
    const newMetadata = isNew || changes.newMetadata !== undefined ? metadata : undefined;
    const actions = commitActions(input, times, { newProtocol, newMetadata, domains, adds: tracked.adds });
    const commit = new CommitMetadata(
      {
        tableRoot: base.tableRoot,
        version,
        commitType: commitTypeOf(isNew ? undefined : base.protocol, input.after.protocol),
        inCommitTimestamp: times.timestamp,
        txnId,
        maxPublishedVersion: base.logSegment.maxPublishedVersion,
        ...(!isNew && { readProtocol: base.protocol, readMetadata: base.metadata }),
        newProtocol,
        newMetadata,
        domainMetadataChanges: domains,
      },
      base.runtime,
    );
    return { metadata: commit, actions, times, after: { protocol: input.after.protocol, metadata } };
  } catch (error) {
    throw withContext(error, { table: shownUrl(base.tableRoot), version });
  }
}

interface CommitParts {
  readonly newProtocol: Protocol | undefined;
  readonly newMetadata: Metadata | undefined;
  readonly domains: readonly DomainMetadata[];
  readonly adds: readonly LoggedAdd[];
}

function commitActions(
  { changes, txnId, backfill }: AttemptInput,
  times: CommitTimes,
  { newProtocol, newMetadata, domains, adds }: CommitParts,
): CommitActions {
  const { dataChange } = changes;
  const deletionTimestamp = times.timestamp;
  const logged = (file: ScanFile) => ({ file: withBackfill(file, backfill), deletionTimestamp, dataChange });
  return {
    commitInfo: commitInfoScalar(changes, txnId, times),
    protocol: newProtocol,
    metadata: newMetadata,
    adds,
    cdc: changes.cdc,
    transactions: Array.from(changes.transactionIds, ([appId, version]) => {
      return { appId, version, lastUpdated: times.timestamp };
    }),
    domains,
    removes: changes.removes.map(logged),
    vectorPairs: changes.vectorUpdates.map(({ file, deletionVector }) => {
      const remove = logged(file);
      // The rest of the file's action stays: row ids above all.
      const add = { ...remove.file, dataChange, deletionVector, stats: withWideBounds(file.stats!) };
      return { remove, add };
    }),
  };
}

function withBackfill<T extends { readonly path: string }>(file: T, backfill: Backfill): T {
  const ids = backfill.get(canonicalPath(file.path));
  return ids === undefined ? file : { ...file, ...ids };
}

async function trackRows(
  engine: Engine,
  { changes, base, after, backfill }: AttemptInput,
  options: CallOptions,
): Promise<{ readonly adds: readonly LoggedAdd[]; readonly domains: readonly DomainMetadata[] }> {
  const adds = changes.adds.map((add) => ({
    ...withBackfill(add, backfill),
    dataChange: changes.dataChange,
  }));
  if (!assignsRowIds(after) || (adds.length === 0 && base.version >= 0)) return { adds, domains: [] };
  const before = await rowIdHighWaterMark(engine, base, options);
  const assigned = assignRowIds(adds, before, base.version + 1);
  const isUnchanged = base.version >= 0 && assigned.highWaterMark === before;
  return { adds: assigned.adds, domains: isUnchanged ? [] : [highWaterMarkDomain(assigned.highWaterMark)] };
}

/** The removal of a domain that is not there is nothing; a tombstone keeps the last configuration. */
async function userDomains(
  engine: Engine,
  { changes, base }: AttemptInput,
  options: CallOptions,
): Promise<DomainMetadata[]> {
  const result: DomainMetadata[] = [];
  for (const [domain, configuration] of changes.domains) {
    if (configuration !== null) {
      result.push({ domain, configuration, removed: false });
      continue;
    }
    const { logSegment, checksum } = base;
    const found =
      base.version < 0 ? undefined : await findDomainMetadata(engine, logSegment, checksum, domain, options);
    if (found !== undefined) result.push({ ...found, removed: true });
  }
  return result;
}

async function checkClustering(
  engine: Engine,
  { changes, base, after }: AttemptInput,
  options: CallOptions,
): Promise<void> {
  if (changes.adds.length === 0 || !isFeatureSupported(after.protocol, 'clustering')) return;
  const { logSegment, checksum } = base;
  const domain =
    changes.systemDomains.find((each) => each.domain === CLUSTERING_DOMAIN) ??
    (base.version < 0
      ? undefined
      : await findDomainMetadata(engine, logSegment, checksum, CLUSTERING_DOMAIN, options));
  if (domain === undefined) return;
  const mode = after.tableProperties.columnMappingMode;
  const logical = parseClusteringColumns(domain.configuration, after.schema, mode);
  const columns = logical.map((path) => physicalPath(after.schema, path, mode));
  for (const { stats, path } of changes.adds) checkClusteringStats(stats, path, columns);
}
