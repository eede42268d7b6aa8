/** Rows of a table as Arrow batches, filtered exactly. */
import type { RecordBatch } from 'apache-arrow';
import { toRecordBatch } from '../engine/arrow-engine-data.ts';
import type { Engine } from '../kernel/engine.ts';
import type { ExecuteOptions, Scan } from '../kernel/scan/scan.ts';
import type { StructType } from '../kernel/schema/types.ts';

/**
 * A scan that runs each time it is iterated. Breaking off, or reaching the limit, stops all reads; aborting the
 * signal makes the iteration reject with the signal's reason.
 */
export class TableScan implements AsyncIterable<RecordBatch> {
  readonly scan: Scan;
  readonly #engine: Engine;
  readonly #options: ExecuteOptions;

  constructor(engine: Engine, scan: Scan, options: ExecuteOptions) {
    this.scan = scan;
    this.#engine = engine;
    this.#options = options;
  }

  /** Delta types of the columns of every batch. */
  get schema(): StructType {
    return this.scan.logicalSchema;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecordBatch, void, undefined> {
    for await (const data of this.scan.execute(this.#engine, { ...this.#options, exact: true })) {
      yield toRecordBatch(data);
    }
  }
}
