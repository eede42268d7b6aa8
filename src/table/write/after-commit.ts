/**
 * What follows a commit: checksum, checkpoint, log cleanup. The commit stands whatever happens here, so nothing of it is an
 * error of the write.
 */
import { DeltaError, type DeltaErrorCode, isDeltaError, shownUrl } from '../../errors.ts';
import { isCatalogManaged } from '../../kernel/committer/pairing.ts';
import type { CallOptions, Engine } from '../../kernel/engine.ts';
import { cleanUpLog } from '../../kernel/maintenance/cleanup-log.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';

/** Told of failures after which the write stands all the same. */
export type WarningListener = (warning: DeltaError) => void;

interface AfterCommitOptions extends CallOptions {
  readonly onWarning?: WarningListener | undefined;
}

/**
 * Writes the version's checksum, from the one of the version before where that suffices, and its checkpoint where
 * `delta.checkpointInterval` asks for one; after a checkpoint, expired log files are deleted unless
 * `delta.enableExpiredLogCleanup` is false. Never throws.
 * @returns the same version, knowing what was written.
 */
export async function afterCommit(
  engine: Engine,
  snapshot: Snapshot,
  { signal, onWarning }: AfterCommitOptions,
): Promise<Snapshot> {
  const { version, logSegment } = snapshot;
  let current = snapshot;
  const step = async (
    what: string,
    run: () => Promise<{ snapshot: Snapshot }>,
    expected?: DeltaErrorCode,
  ) => {
    try {
      ({ snapshot: current } = await run());
    } catch (error) {
      if (expected !== undefined && isDeltaError(error, expected)) return;
      warn(onWarning, `version ${version} is committed, but not its ${what}`, snapshot, error);
    }
  };
  const isDue = version > 0 && version % interval(snapshot, onWarning) === 0;
  // The whole log is read only where a checkpoint reads it anyway; other versions may do without a checksum.
  const recompute = version === 0 || isDue;
  await step(
    'checksum',
    () => current.writeChecksum(engine, { signal, recompute }),
    'ChecksumWriteUnsupported',
  );
  // Checkpoints are of published versions only: those of catalogs are published later.
  const isPublished = logSegment.maxPublishedVersion === version;
  if (!isDue || !isPublished) return current;
  await step('checkpoint', () => current.checkpoint(engine, { signal }));
  if (mayCleanUp(engine, current)) {
    await step('log cleanup', async () => {
      await cleanUpLog(engine, current, { signal });
      return { snapshot: current };
    });
  }
  return current;
}

/** Where there is a new checkpoint. What a catalog manages, it cleans up itself. */
function mayCleanUp({ storageHandler }: Engine, { logSegment, version, protocol }: Snapshot): boolean {
  const isCheckpoint = logSegment.checkpointVersion === version;
  return isCheckpoint && storageHandler.delete !== undefined && !isCatalogManaged(protocol);
}

/** A malformed property is no reason to fail a commit that is made. */
function interval(snapshot: Snapshot, onWarning: WarningListener | undefined): number {
  try {
    return snapshot.tableProperties.checkpointInterval;
  } catch (error) {
    warn(onWarning, 'the version is committed without a checkpoint', snapshot, error);
    return Number.POSITIVE_INFINITY;
  }
}

/** Reports a failure that is none of the write. */
export function warn(
  onWarning: WarningListener | undefined,
  what: string,
  { tableRoot, version }: Pick<Snapshot, 'tableRoot' | 'version'>,
  cause: unknown,
): void {
  const code = isDeltaError(cause) ? cause.code : 'Internal';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const warning = new DeltaError(code, `${what}: ${reason}`, { table: shownUrl(tableRoot), version, cause });
  if (onWarning) onWarning(warning);
  else console.warn(`${warning.code}: ${warning.message}`);
}
