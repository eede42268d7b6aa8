/**
 * The data files of an append. They are written once, and used again after a conflict for as long as they are what the
 * table would have them be: rows that can be iterated only once survive a change of the table that does not concern
 * them.
 */
import type { ArrowEngineData } from '../../engine/arrow-engine-data.ts';
import { isArrow } from '../../engine/arrow-input.ts';
import { DeltaError } from '../../errors.ts';
import { schemaToJson } from '../../kernel/schema/schema-json.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import type { AddFile } from '../../kernel/transaction/file-actions.ts';
import type { Transaction } from '../../kernel/transaction/transaction.ts';
import type { WriteOptions, WriteTarget } from './commit.ts';
import { constraintsOf } from './constraints.ts';
import { DataFileWriter } from './data-files.ts';
import { checkedBatches, type RowInput } from './input.ts';
import { NewFiles } from './new-files.ts';
import { targetFileSizeOf } from './settings.ts';
import { dataFileTable } from './table.ts';

export interface RowFilesOptions extends WriteOptions {
  readonly targetFileSize?: number | undefined;
}

export interface WrittenRows {
  readonly files: readonly AddFile[];
  readonly rows: number;
}

export class RowFiles {
  readonly newFiles: NewFiles;
  readonly #input: RowInput;
  readonly #options: RowFilesOptions;
  #written: (WrittenRows & { readonly form: string }) | undefined;

  constructor({ engine, snapshot }: WriteTarget, input: RowInput, options: RowFilesOptions) {
    this.newFiles = new NewFiles(engine.storageHandler, snapshot);
    this.#input = input;
    this.#options = options;
  }

  /**
   * The files for a version of the table. Throws what is wrong with the rows, before the first file where they are in
   * memory; `MetadataChanged` where files for another form of the table were written and the rows are gone.
   */
  async filesFor(target: WriteTarget, transaction: Transaction<Snapshot>): Promise<WrittenRows> {
    const form = await formOf(target, this.#options);
    if (this.#written?.form === form) return this.#written;
    if (this.#written !== undefined) await this.#startAnew(target);
    const written = await this.#write(target, transaction);
    this.#written = { ...written, form };
    return written;
  }

  async #startAnew({ snapshot }: WriteTarget): Promise<void> {
    if (!isInMemory(this.#input)) {
      throw new DeltaError(
        'MetadataChanged',
        'another writer changed the columns, the partitioning or the constraints of the table, so the files that were ' +
          'written do not fit it, and the rows, which come from an iterable, cannot be read again: append them anew',
        { version: snapshot.version },
      );
    }
    await this.newFiles.discard(this.#options.onWarning);
    this.#written = undefined;
  }

  async #write({ engine, snapshot }: WriteTarget, transaction: Transaction<Snapshot>): Promise<WrittenRows> {
    const { signal, targetFileSize = targetFileSizeOf(snapshot.tableProperties) } = this.#options;
    const batches = checkedBatches(engine, snapshot, this.#input, signal);
    // Rows in memory are all checked before the first file is written.
    const checked = isInMemory(this.#input) ? await collected(batches) : batches;
    const table = await dataFileTable(engine, snapshot, transaction, { signal });
    const { newFiles } = this;
    const writer = new DataFileWriter(engine, table, { signal, newFiles, targetFileSize });
    let rows = 0;
    for await (const batch of checked) {
      rows += batch.length;
      await writer.add(batch);
    }
    return { files: await writer.finish(), rows };
  }
}

/** Everything of a table that rows are checked against, and that says what a file holds. Equal texts: the same form. */
async function formOf({ engine, snapshot }: WriteTarget, { signal }: WriteOptions): Promise<string> {
  const { schema, metadata, tableProperties } = snapshot;
  return JSON.stringify([
    schemaToJson(schema),
    metadata.partitionColumns,
    tableProperties.columnMappingMode,
    constraintsOf(snapshot)
      .map(({ name, sql }) => `${name}: ${sql}`)
      .sort(),
    // Their statistics must be there.
    await snapshot.clusteringColumns(engine, { signal }),
  ]);
}

async function collected(batches: AsyncIterable<ArrowEngineData>): Promise<ArrowEngineData[]> {
  const all: ArrowEngineData[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

function isInMemory(input: RowInput): boolean {
  return Array.isArray(input) || isArrow(input);
}
