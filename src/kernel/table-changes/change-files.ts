/** From a commit's actions to the files whose rows are its changes. */
import { canonicalPath } from '../paths.ts';
import type { CommitActions, FileAction } from './commit-actions.ts';

/**
 * Rows of one data file that are changes of one kind.
 * `cdc`: all rows, each with its `_change_type`. `insert`, `delete`: the rows that are in the table; where
 * `otherVector` is given, only rows that one vector of the file deletes and the other does not.
 */
export interface ChangeFile {
  readonly changeType: 'cdc' | 'insert' | 'delete';
  readonly file: FileAction;
  readonly rows: 'all' | 'undeleted' | { readonly deletedBy: FileAction; readonly butNotBy: FileAction };
}

/**
 * Change files win over the others (`PROTOCOL.md`, "Add CDC File": readers use them where there are any). Otherwise
 * adds are inserts and removes deletes; a file that is both was given another deletion vector: its rows that are
 * newly deleted are deletes, those restored inserts.
 */
export function changeFiles({ adds, removes, cdc }: CommitActions): ChangeFile[] {
  if (cdc.length > 0) return cdc.map((file) => ({ changeType: 'cdc', file, rows: 'all' }));
  const removed = new Map(removes.map((file) => [canonicalPath(file.path), file]));
  const added = new Map(adds.map((file) => [canonicalPath(file.path), file]));
  const deletes: ChangeFile[] = [];
  for (const [path, file] of removed) {
    if (!added.has(path)) deletes.push({ changeType: 'delete', file, rows: 'undeleted' });
  }
  const inserts: ChangeFile[] = [];
  for (const [path, file] of added) {
    const before = removed.get(path);
    if (before === undefined) {
      inserts.push({ changeType: 'insert', file, rows: 'undeleted' });
      continue;
    }
    // A vector that neither has deletes nothing and is not read.
    if (file.deletionVector !== undefined) {
      deletes.push({ changeType: 'delete', file, rows: { deletedBy: file, butNotBy: before } });
    }
    if (before.deletionVector !== undefined) {
      inserts.push({ changeType: 'insert', file, rows: { deletedBy: before, butNotBy: file } });
    }
  }
  return [...deletes, ...inserts];
}
