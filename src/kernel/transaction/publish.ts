/** From ratified to published commits (Delta Kernel, "Writing: the commit and publish flow"). */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { CatalogCommit, Committer } from '../committer/committer.ts';
import { checkPairing, isCatalogManaged } from '../committer/pairing.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { commitFileName } from '../log/log-path.ts';
import type { LogFile, LogSegment } from '../log/types.ts';
import { joinPath } from '../paths.ts';
import type { SnapshotFactory, SnapshotState } from '../snapshot/state.ts';

/**
 * The same version with all its commits published; the same object where they are, without asking the committer.
 * Throws `CommitterMismatch`, `InvalidLog` where commits that are not published do not end at this version, and what
 * the committer throws: some may be published then, and publishing again goes on.
 */
export async function publish<S extends SnapshotState>(
  engine: Engine,
  snapshot: S,
  committer: Committer,
  makeSnapshot: SnapshotFactory<S>,
  options: CallOptions,
): Promise<S> {
  const { logSegment, tableRoot, version, protocol } = snapshot;
  const commitsToPublish = unpublished(logSegment);
  if (commitsToPublish.length === 0) return snapshot;
  checkPairing(committer, isCatalogManaged(protocol), tableRoot);
  checkContiguous(commitsToPublish, logSegment);
  await committer.publish(engine, { tableRoot, commitsToPublish, publishVersion: version }, options);
  const commits = logSegment.commits.map((commit) => published(logSegment, commit));
  const latestCommit = logSegment.latestCommit && published(logSegment, logSegment.latestCommit);
  return makeSnapshot({
    ...snapshot,
    logSegment: {
      ...logSegment,
      commits,
      ...(latestCommit && { latestCommit }),
      maxPublishedVersion: version,
    },
  });
}

function unpublished(segment: LogSegment): CatalogCommit[] {
  const { commits, maxPublishedVersion = -1 } = segment;
  return commits
    .filter(({ kind, version }) => kind === 'stagedCommit' && version > maxPublishedVersion)
    .map(({ version, file }) => ({
      version,
      location: file.location,
      size: file.size,
      publishedLocation: publishedLocation(segment, version),
    }));
}

function publishedLocation({ logRoot }: LogSegment, version: number): URL {
  return joinPath(logRoot, commitFileName(version));
}

function checkContiguous(commits: readonly CatalogCommit[], segment: LogSegment): void {
  const { maxPublishedVersion = -1, version, tableRoot } = segment;
  const isRun = commits.every((commit, index) => commit.version === maxPublishedVersion + 1 + index);
  if (isRun && commits.at(-1)!.version === version) return;
  const versions = commits.map((commit) => commit.version).join(', ');
  throw new DeltaError(
    'InvalidLog',
    `the commits to publish (${versions}) are not those from ${maxPublishedVersion + 1} to ${version}`,
    { table: shownUrl(tableRoot), version },
  );
}

function published(segment: LogSegment, commit: LogFile): LogFile {
  if (commit.kind !== 'stagedCommit') return commit;
  const location = publishedLocation(segment, commit.version);
  return { ...commit, kind: 'commit', file: { ...commit.file, location } };
}
