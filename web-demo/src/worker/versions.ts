/** Which versions the open table has. */
import { type DeltaTable, isDeltaError } from 'delta-kernel-web';
import type { OpenTable } from './context.ts';
import type { VersionRange } from './protocol-open.ts';
import { openSource } from './sources.ts';

/** Looks for newer commits than those of the version that is open. */
export async function versionRange(table: DeltaTable, signal: AbortSignal): Promise<VersionRange> {
  const [first, newest] = await Promise.all([firstVersion(table, signal), table.refresh({ signal })]);
  return { first: Math.min(first, newest.version), last: newest.version };
}

/** Errors: `TimestampOutOfRange` and others of opening. */
export async function versionAt(
  { source }: OpenTable,
  timestamp: number,
  signal: AbortSignal,
): Promise<number> {
  return (await openSource(source, { timestamp, signal })).version;
}

/** Version 0, or that of a checkpoint: nothing before can be opened (`PROTOCOL.md`, "Checkpoints"). */
const START = /\/(?:(0{20})\.json|(\d{20})\.checkpoint\.[^/]+)$/;

async function firstVersion({ engine, url }: DeltaTable, signal: AbortSignal): Promise<number> {
  const log = new URL('_delta_log/', url);
  log.search = '';
  try {
    for await (const { location } of engine.storageHandler.listFrom(log, { signal })) {
      const [, zero, checkpoint] = START.exec(location.pathname) ?? [];
      const version = zero ?? checkpoint;
      if (version !== undefined) return Number(version);
    }
  } catch (error) {
    if (!isDeltaError(error, 'Unsupported')) throw error;
  }
  return 0;
}
