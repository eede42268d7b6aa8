/** What a transaction read: the measure of whether a commit of another writer is in its way. */
import type { Predicate } from '../expressions/types.ts';
import { canonicalPath } from '../paths.ts';
import { FileSkipping } from '../scan/file-skipping.ts';
import type { SnapshotState } from '../snapshot/state.ts';

export class ReadSet {
  /** Bound to the schema at the time of the read. */
  readonly predicates: FileSkipping[] = [];
  /** In one spelling: {@link canonicalPath}. */
  readonly files = new Set<string>();
  readonly appIds = new Set<string>();
  #wholeTable = false;
  #declared = false;

  /** Throws `InvalidExpression` for a predicate that does not fit the table. */
  addPredicate(snapshot: SnapshotState, predicate: Predicate): void {
    this.predicates.push(new FileSkipping(snapshot, predicate));
    this.#declared = true;
  }

  /** Declares that these files, and no others unless they are declared too, were read. None at all is a declaration. */
  addFiles(paths: Iterable<string>): void {
    this.touch(paths);
    this.#declared = true;
  }

  /** Files that count as read because the transaction changes them. */
  touch(paths: Iterable<string>): void {
    for (const path of paths) this.files.add(canonicalPath(path));
  }

  addWholeTable(): void {
    this.#wholeTable = true;
  }

  /** Whether every row counts as read: said so, or nothing said at all. Blind appends read nothing. */
  isWholeTable(isBlindAppend: boolean): boolean {
    return this.#wholeTable || !(this.#declared || isBlindAppend);
  }
}
