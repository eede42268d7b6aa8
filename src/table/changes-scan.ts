/** The change feed of a table as Arrow batches. */
import type { RecordBatch } from 'apache-arrow';
import { toRecordBatch } from '../engine/arrow-engine-data.ts';
import type { Engine } from '../kernel/engine.ts';
import type { Condition } from '../kernel/expressions/builders.ts';
import type { StructType } from '../kernel/schema/types.ts';
import {
  type ExecuteChangesOptions,
  TableChanges,
  type TableChangesOptions,
  type TableChangesScan,
  type TableChangesScanOptions,
} from '../kernel/table-changes/table-changes.ts';

export type ChangesOptions = TableChangesOptions &
  Pick<TableChangesScanOptions, 'columns'> & {
    /** A filter as text or made by builders, on the table's columns and the feed's own. */
    where?: string | Condition | undefined;
  };

type ChangesScanOptions = TableChangesOptions & TableChangesScanOptions;

/**
 * Changed rows, version by version, exactly those for which a predicate is true. Loads the range when first asked for anything; runs each time it is iterated.
 * Breaking off stops all reads.
 */
export class ChangesScan implements AsyncIterable<RecordBatch> {
  readonly #engine: Engine;
  readonly #load: () => Promise<TableChangesScan>;
  readonly #options: ExecuteChangesOptions;
  #loading: Promise<TableChangesScan> | undefined;

  constructor(engine: Engine, tableRoot: URL, { columns, predicate, ...options }: ChangesScanOptions) {
    this.#engine = engine;
    this.#options = { signal: options.signal, exact: true };
    this.#load = async () =>
      (await TableChanges.load(engine, tableRoot, options)).scan({ columns, predicate });
  }

  /** Delta types of the columns of every batch: the table's, then what the feed says of each row. */
  async schema(): Promise<StructType> {
    return (await this.scan()).logicalSchema;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecordBatch, void, undefined> {
    const scan = await this.scan();
    for await (const data of scan.execute(this.#engine, this.#options)) yield toRecordBatch(data);
  }

  /** The range, found and checked: throws what `TableChanges.load` throws. */
  scan(): Promise<TableChangesScan> {
    this.#loading ??= this.#load();
    return this.#loading;
  }
}
