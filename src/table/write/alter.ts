/** Altering a table: its columns, properties, constraints and features. */
import { withContext } from '../../errors.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { TableAlteration } from '../../kernel/transaction/alter-table.ts';
import {
  commitUntilDecided,
  place,
  repeatOnConflict,
  type WriteOptions,
  type WriteTarget,
} from './commit.ts';
import { ENFORCED_FEATURES } from './constraints.ts';

/** Says what is to change; asked again where another writer was in the way. */
export type Alter = (alteration: TableAlteration<Snapshot>) => unknown;

/** Commits the changes, anew on a newer version after a conflict. */
export function alter(target: WriteTarget, change: Alter, options: WriteOptions): Promise<Snapshot> {
  const { signal, engineInfo, commitInfo } = options;
  return repeatOnConflict(target, options, async (snapshot) => {
    const alteration = snapshot.alterTable(target.committer, { enforcedFeatures: ENFORCED_FEATURES });
    change(alteration);
    const transaction = await alteration.build(target.engine, { signal });
    if (engineInfo !== undefined) transaction.withEngineInfo(engineInfo);
    if (commitInfo !== undefined) transaction.withCommitInfo(commitInfo);
    try {
      return await commitUntilDecided({ ...target, snapshot }, transaction, options);
    } catch (error) {
      throw withContext(error, place(snapshot));
    }
  });
}
