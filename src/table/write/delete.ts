/**
 * Deleting rows: whole files are removed, other rows are marked in deletion vectors where the table has them, else
 * their files are rewritten without them (`PROTOCOL.md`, "Deletion Vectors", "Add CDC File", "Row Tracking").
 */
import { DeltaError, withContext } from '../../errors.ts';
import { bindPredicate } from '../../kernel/expressions/bind.ts';
import { predicateToString } from '../../kernel/expressions/print.ts';
import type { Predicate } from '../../kernel/expressions/types.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import { isFeatureEnabled } from '../../kernel/table-features/protocol-support.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import {
  commitUntilDecided,
  place,
  repeatOnConflict,
  type WriteOptions,
  type WriteTarget,
} from './commit.ts';
import { ENFORCED_FEATURES } from './constraints.ts';
import { writeDeletionVectors } from './deletion-vectors.ts';
import { type FileMatch, matchFiles } from './match.ts';
import { NewFiles, type NewFilesOptions } from './new-files.ts';
import { type Rewritten, rewriteFiles, writeDeletedRows } from './rewrite.ts';

/** What a deletion did. */
export interface DeleteResult {
  /** The version after it; the one that was read where no row matched, and nothing was committed. */
  readonly version: number;
  readonly deletedRows: number;
  /** Files removed whole or rewritten. */
  readonly removedFiles: number;
  /** Files written in place of rewritten ones. */
  readonly addedFiles: number;
  /** Files that stay, with a deletion vector. */
  readonly updatedFiles: number;
}

export interface DeleteOutcome {
  readonly result: DeleteResult;
  readonly snapshot: Snapshot;
}

/** Deletes the rows for which a predicate is true, redone on a newer version where another writer was in the way. */
export function deleteRows(
  target: WriteTarget,
  predicate: Predicate,
  options: WriteOptions,
): Promise<DeleteOutcome> {
  return repeatOnConflict(target, options, async (snapshot) => {
    const newFiles = new NewFiles(target.engine.storageHandler, snapshot);
    try {
      return await deleteOnce({ ...target, snapshot }, predicate, { ...options, newFiles });
    } catch (error) {
      await newFiles.discard(options.onWarning);
      throw withContext(error, place(snapshot));
    }
  });
}

async function deleteOnce(
  target: WriteTarget,
  where: Predicate,
  options: WriteOptions & NewFilesOptions,
): Promise<DeleteOutcome> {
  const { snapshot, committer } = target;
  const { signal, engineInfo, commitInfo, newFiles } = options;
  const predicate = bindPredicate(where, snapshot.schema);
  const transaction = snapshot
    .transaction(committer, { enforcedFeatures: ENFORCED_FEATURES })
    .withOperation('DELETE', { predicate: JSON.stringify([predicateToString(where)]) });
  checkNotAppendOnly(snapshot);
  const matches = await matchFiles(target, transaction.scan({ predicate }), predicate, { signal });
  if (matches.length === 0) return { snapshot, result: resultOf(snapshot.version, [], [], []) };
  const whole = matches.filter((match) => match.isWhole);
  const partial = matches.filter((match) => !match.isWhole);
  const usesVectors = isEnabled(snapshot, 'deletionVectors');
  const [marked, rewritten] = usesVectors ? [partial, []] : [[], partial];
  transaction.removeFiles([...whole, ...rewritten].map(({ file }) => file));
  if (marked.length > 0) await markRows(target, transaction, marked, { signal, newFiles });
  const replaced = { whole, rewritten, predicate };
  const added = await replaceFiles(target, transaction, replaced, { signal, newFiles });
  const result = resultOf(snapshot.version, matches, marked, added);
  if (engineInfo !== undefined) transaction.withEngineInfo(engineInfo);
  transaction.withCommitInfo({ operationMetrics: metricsOf(result), ...commitInfo });
  const counts = {
    numFilesAdded: result.addedFiles,
    numFilesRemoved: result.removedFiles,
    numRowsRemoved: result.deletedRows,
  };
  const after = await commitUntilDecided(target, transaction, { ...options, counts });
  return { snapshot: after, result: { ...result, version: after.version } };
}

async function markRows(
  { engine, snapshot }: WriteTarget,
  transaction: Transaction<Snapshot>,
  marked: readonly FileMatch[],
  options: NewFilesOptions,
): Promise<void> {
  const vectors = await writeDeletionVectors(engine, snapshot, marked, options);
  transaction.updateDeletionVectors(
    vectors,
    marked.map(({ file }) => file),
  );
}

/** Rewrites files; with a change feed also writes the deleted rows of the whole commit (see `rewrite.ts`). */
async function replaceFiles(
  target: WriteTarget,
  transaction: Transaction<Snapshot>,
  { whole, rewritten, predicate }: { whole: FileMatch[]; rewritten: FileMatch[]; predicate: Predicate },
  options: NewFilesOptions,
): Promise<readonly unknown[]> {
  if (rewritten.length === 0) return [];
  const { added, preservesRowIds }: Rewritten = await rewriteFiles(
    target,
    transaction,
    rewritten,
    predicate,
    options,
  );
  transaction.addFiles(added);
  if (preservesRowIds) transaction.withCommitInfo({ tags: { 'delta.rowTracking.preserved': 'true' } });
  if (isEnabled(target.snapshot, 'changeDataFeed')) {
    const files = [...whole, ...rewritten];
    transaction.addCdcFiles(await writeDeletedRows(target, transaction, files, predicate, options));
  }
  return added;
}

/** Before anything is read or written. */
function checkNotAppendOnly(snapshot: Snapshot): void {
  if (!isEnabled(snapshot, 'appendOnly')) return;
  throw new DeltaError('Unsupported', 'rows cannot be deleted: the table is append-only (delta.appendOnly)', {
    feature: 'appendOnly',
  });
}

function isEnabled({ protocol, metadata }: Snapshot, feature: string): boolean {
  return isFeatureEnabled(protocol, metadata.configuration, feature);
}

function resultOf(
  version: number,
  matches: readonly FileMatch[],
  marked: readonly FileMatch[],
  added: readonly unknown[],
): DeleteResult {
  return {
    version,
    deletedRows: matches.reduce((sum, { rows }) => sum + rows.length, 0),
    removedFiles: matches.length - marked.length,
    addedFiles: added.length,
    updatedFiles: marked.length,
  };
}

function metricsOf({
  deletedRows,
  removedFiles,
  addedFiles,
  updatedFiles,
}: DeleteResult): Map<string, string> {
  return new Map([
    ['numDeletedRows', String(deletedRows)],
    ['numRemovedFiles', String(removedFiles)],
    ['numAddedFiles', String(addedFiles)],
    ['numDeletionVectorsAdded', String(updatedFiles)],
  ]);
}
