/** What can be done to a table. */
import type { DeltaTable } from 'delta-kernel-web';
import type { WriteState } from '../protocol-write.ts';

export function writeState(table: DeltaTable): WriteState {
  const { protocol, properties, snapshot, url } = table;
  const { logSegment } = snapshot;
  const { maxPublishedVersion = -1, checkpointVersion } = logSegment;
  const below = (location: URL) => location.pathname.slice(url.pathname.length);
  return {
    version: table.version,
    isCatalogManaged: (protocol.writerFeatures ?? []).some((name) =>
      /^catalog(Managed|Owned-preview)$/.test(name),
    ),
    unpublished: logSegment.commits
      .filter(({ kind, version }) => kind === 'stagedCommit' && version > maxPublishedVersion)
      .map(({ version, file }) => ({
        version,
        staged: below(file.location),
        published: `_delta_log/${String(version).padStart(20, '0')}.json`,
        size: file.size,
      })),
    checkpointVersion,
    usesDeletionVectors: properties.raw['delta.enableDeletionVectors']?.toLowerCase() === 'true',
    isAppendOnly: properties.raw['delta.appendOnly']?.toLowerCase() === 'true',
    retainHours: properties.deletedFileRetentionDuration / 3_600_000,
  };
}
