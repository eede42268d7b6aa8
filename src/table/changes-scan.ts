/** The change feed of a table as Arrow batches. */
import type { RecordBatch } from 'apache-arrow';
import { toRecordBatch } from '../engine/arrow-engine-data.ts';
import type { CallOptions, Engine } from '../kernel/engine.ts';
import type { StructType } from '../kernel/schema/types.ts';
import {
  TableChanges,
  type TableChangesOptions,
  type TableChangesScan,
  type TableChangesScanOptions,
} from '../kernel/table-changes/table-changes.ts';

export type ChangesOptions = TableChangesOptions & Pick<TableChangesScanOptions, 'columns'>;

/**
 * Changed rows, version by version. Loads the range when first asked for anything; runs each time it is iterated.
 * Breaking off stops all reads.
 */
export class ChangesScan implements AsyncIterable<RecordBatch> {
  readonly #engine: Engine;
  readonly #load: () => Promise<TableChangesScan>;
  readonly #options: CallOptions;
  #loading: Promise<TableChangesScan> | undefined;

  constructor(engine: Engine, tableRoot: URL, { columns, ...options }: ChangesOptions) {
    this.#engine = engine;
    this.#options = { signal: options.signal };
    this.#load = async () => (await TableChanges.load(engine, tableRoot, options)).scan({ columns });
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
