/** Which files, and which of their row groups, a scan with a predicate reads, and why not the others. */
import type { ExplainedFile, ExplainTotals, RowGroupVerdict, SkipReason } from 'delta-kernel-web';
import { breathe } from '../breathe.ts';
import { ColumnNames } from '../columns.ts';
import type { Work } from '../context.ts';
import type { Explanation, FileVerdict, RowGroupTotals, Totals } from '../protocol-files.ts';
import type { FileStore } from './store.ts';

/** Files between two looks at the messages. */
const BREATHE_EVERY = 5000;
let made = 0;

export class Verdicts {
  /** Differs between explanations. */
  readonly id: number;
  readonly where: string;
  readonly #store: FileStore;
  readonly #names: ColumnNames;
  readonly #reasonOf: Int32Array;
  readonly #values: string[];
  readonly #reasons: (Totals & { rule: string; condition: string })[] = [];
  readonly #ids = new Map<string, number>();
  #totals: ExplainTotals | undefined;
  #rowGroups: Map<number, { read: number; total: number }> | undefined;

  private constructor(store: FileStore, where: string) {
    made += 1;
    this.id = made;
    this.where = where;
    this.#store = store;
    this.#names = new ColumnNames(store.table);
    this.#reasonOf = new Int32Array(store.length).fill(-1);
    this.#values = new Array(store.length).fill('');
  }

  static async make(store: FileStore, where: string, { signal, report }: Reporting): Promise<Verdicts> {
    const verdicts = new Verdicts(store, where);
    const explanation = store.table.explain({ where, signal });
    let index = 0;
    for await (const explained of explanation) {
      // The list and the explanation read the same log in the same order.
      if (explained.file.path !== store.paths[index])
        throw new Error('the log has changed while it was read');
      if (explained.reason !== undefined) verdicts.#skip(index, explained.reason);
      index += 1;
      if (index % BREATHE_EVERY === 0) {
        report({ done: index, total: store.length, unit: 'files' });
        await breathe();
      }
    }
    signal.throwIfAborted();
    verdicts.#totals = explanation.totals;
    return verdicts;
  }

  #skip(index: number, { rule, condition, values }: SkipReason): void {
    const key = `${rule} ${condition}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#reasons.length;
      this.#ids.set(key, id);
      this.#reasons.push({ rule, condition, files: 0, bytes: 0, rows: 0 });
    }
    const reason = this.#reasons[id]!;
    const rows = this.#store.rows[index]!;
    reason.files += 1;
    reason.bytes += this.#store.sizes[index]!;
    reason.rows = reason.rows === null || Number.isNaN(rows) ? null : reason.rows + rows;
    this.#reasonOf[index] = id;
    this.#values[index] = valuesText(values, this.#names);
  }

  isRead(index: number): boolean {
    return this.#reasonOf[index] === -1;
  }

  /** That no row of the file meets; undefined for a file that is read. */
  conditionOf(index: number): string | undefined {
    return this.#reasons[this.#reasonOf[index]!]?.condition;
  }

  of(index: number): FileVerdict {
    const reason = this.#reasons[this.#reasonOf[index]!];
    if (reason === undefined) return { read: true, rowGroups: this.#rowGroups?.get(index) };
    const { rule, condition } = reason;
    return { read: false, why: { rule, condition, values: this.#values[index]! } };
  }

  explanation(): Explanation {
    const { kept, skipped } = this.#totals!;
    const reasons = this.#reasons.map((reason, id) => ({ ...reason, id }));
    return { read: kept, skipped, reasons: reasons.sort((a, b) => b.bytes - a.bytes) };
  }

  async explainRowGroups({ signal, report }: Reporting): Promise<RowGroupTotals> {
    const totals: RowGroupTotals = { read: none(), skipped: none(), missing: 0 };
    const found = new Map<number, { read: number; total: number }>();
    const files = this.#totals!.kept.files;
    let index = 0;
    for await (const explained of this.#store.table.explain({ where: this.where, signal, rowGroups: true })) {
      if (explained.kept) {
        const counts = countRowGroups(explained, totals);
        if (counts !== undefined) found.set(index, counts);
        report({ done: found.size + totals.missing, total: files, unit: 'footers' });
      }
      index += 1;
      if (index % BREATHE_EVERY === 0) await breathe();
    }
    signal.throwIfAborted();
    this.#rowGroups = found;
    return totals;
  }
}

type Reporting = Pick<Work, 'signal' | 'report'>;

function countRowGroups({ rowGroups }: ExplainedFile, totals: RowGroupTotals) {
  if (rowGroups === undefined) {
    totals.missing += 1;
    return undefined;
  }
  for (const { kept, numRows, totalByteSize } of rowGroups) {
    const into = kept ? totals.read : totals.skipped;
    into.rowGroups += 1;
    into.rows += numRows;
    into.bytes += totalByteSize;
  }
  return { read: rowGroups.filter(({ kept }: RowGroupVerdict) => kept).length, total: rowGroups.length };
}

function none(): RowGroupTotals['read'] {
  return { rowGroups: 0, rows: 0, bytes: 0 };
}

/** `minValues.fare = 2.5, maxValues.fare = 80` */
export function valuesText(values: SkipReason['values'], names: ColumnNames): string {
  return values.map(({ statistic, value }) => `${names.statistic(statistic)} = ${value}`).join(', ');
}
