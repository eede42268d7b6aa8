/** Failures beside a write that are none of the write. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';

/** Told of failures after which the write stands all the same. */
export type WarningListener = (warning: DeltaError) => void;

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
