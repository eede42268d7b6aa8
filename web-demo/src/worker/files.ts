/** Live files of the files tab: the list, and why a scan reads some of them. */
import type { ParquetLayout } from 'delta-kernel-web';
import { ColumnNames } from './columns.ts';
import { attempt, type Work, type WorkerContext } from './context.ts';
import { detailOf } from './files/detail.ts';
import { FileOrder } from './files/order.ts';
import { type PartitionTotals, partitionTotals, sortedPartitions } from './files/partition-rows.ts';
import { fileSizes } from './files/sizes.ts';
import { FileStore } from './files/store.ts';
import { Verdicts } from './files/verdicts.ts';
import { chunkRows, insideOf, readLayout, readVerdicts } from './layout.ts';
import type { FileDetail, FilesCalls, Window } from './protocol-files.ts';

export function filesCalls(context: WorkerContext): FilesCalls {
  let held: HeldFiles | undefined;
  context.onClose(() => {
    held = undefined;
  });
  const load = async (work: Work): Promise<HeldFiles> => {
    if (held?.store.snapshot !== work.table.snapshot) held = new HeldFiles(await FileStore.load(work));
    return held;
  };
  const now = (): HeldFiles => {
    if (held === undefined) throw new Error('the list of files is not loaded');
    return held;
  };
  return {
    loadFiles: (task) => context.run(task, async (work) => (await load(work)).store.summary()),
    explainFiles: (task, where) =>
      context.run(task, async (work) => (await (await load(work)).explain(where, work)).explanation()),
    explainRowGroups: (task, where) =>
      context.run(task, async (work) =>
        (await (await load(work)).explain(where, work)).explainRowGroups(work),
      ),
    fileRows: (query, start, end) => attempt(async () => now().rows(query, start, end)),
    partitionRows: (query, start, end) =>
      attempt(async () => {
        const { store, partitions, verdictsOf } = now();
        return windowOf(sortedPartitions(store, partitions, query, verdictsOf(query.where)), start, end);
      }),
    fileSizes: (where) =>
      attempt(async () => fileSizes(now().store, now().partitions, now().verdictsOf(where))),
    file: (task, path, where) =>
      context.run(task, async (work) => (await load(work)).detail(path, where, work)),
    fileInside: (task, path, where) =>
      context.run(task, async (work) => {
        const files = await load(work);
        const file = await files.store.file(files.indexOf(path), work);
        const layout = await readLayout(work.table, file, work);
        files.layout = { path, layout };
        const names = new ColumnNames(work.table);
        const verdicts = await readVerdicts(work.table, file, where, { names, signal: work.signal });
        return insideOf(layout, verdicts, names);
      }),
    rowGroup: (task, path, rowGroup, pagesOf) =>
      context.run(task, async (work) => {
        const files = await load(work);
        const names = new ColumnNames(work.table);
        if (pagesOf === undefined && files.layout?.path === path)
          return chunkRows(files.layout.layout, rowGroup, names);
        const file = await files.store.file(files.indexOf(path), work);
        const layout = await readLayout(work.table, file, { signal: work.signal, pagesOf });
        return chunkRows(layout, rowGroup, names);
      }),
  };
}

/** The files of the open table and the last that was found out about them. */
class HeldFiles {
  readonly store: FileStore;
  readonly partitions: readonly PartitionTotals[];
  /** Of the file that was looked at last. */
  layout: { path: string; layout: ParquetLayout } | undefined;
  readonly #order: FileOrder;
  #verdicts: Verdicts | undefined;

  constructor(store: FileStore) {
    this.store = store;
    this.partitions = partitionTotals(store);
    this.#order = new FileOrder(store);
  }

  async explain(where: string, work: Work): Promise<Verdicts> {
    if (this.#verdicts?.where !== where) this.#verdicts = await Verdicts.make(this.store, where, work);
    return this.#verdicts;
  }

  readonly verdictsOf = (where: string): Verdicts | undefined =>
    where !== '' && this.#verdicts?.where === where ? this.#verdicts : undefined;

  rows(query: Parameters<FilesCalls['fileRows']>[0], start: number, end: number) {
    const verdicts = this.verdictsOf(query.where);
    const { rows, ...window } = windowOf(this.#order.of(query, verdicts), start, end);
    return {
      ...window,
      rows: Array.from(rows, (index) => ({ ...this.store.row(index), verdict: verdicts?.of(index) })),
    };
  }

  indexOf(path: string): number {
    const index = this.store.indexOf(path);
    if (index === undefined) throw new Error(`no live file of this version has the path ${path}`);
    return index;
  }

  async detail(path: string, where: string, work: Work): Promise<FileDetail> {
    const index = this.indexOf(path);
    if (where !== '') await this.explain(where, work);
    const file = await this.store.file(index, work);
    const row = { ...this.store.row(index), verdict: this.verdictsOf(where)?.of(index) };
    return { row, ...detailOf(work.table, file, row.vector) };
  }
}

function windowOf<T>(
  all: { slice(start: number, end: number): T; length: number },
  start: number,
  end: number,
) {
  return { start, rows: all.slice(start, end), total: all.length } satisfies Omit<Window<unknown>, 'rows'> & {
    rows: T;
  };
}
