/** The rows of one live file: read, without deleted rows, as logical batches. */
import { loadDeletionVector } from '../deletion-vector/load.ts';
import type { Engine, ExpressionEvaluator, RowIndexSet } from '../engine.ts';
import type { EngineData, SelectionVector } from '../engine-data.ts';
import type { Predicate } from '../expressions/types.ts';
import type { StructType } from '../schema/types.ts';
import { dataFileMeta, type ScanFile } from './scan-files.ts';
import { relaxedSchema, type ScanSchema, withRowIndex } from './scan-schema.ts';
import { isFileIndependent, transformOf } from './transform.ts';

export interface FileReaderOptions {
  readonly signal: AbortSignal | undefined;
  /** On physical names: a hint. */
  readonly predicate: Predicate | undefined;
}

/** Reads the files of one scan. */
export class FileReader {
  readonly #engine: Engine;
  readonly #tableRoot: URL;
  readonly #schema: ScanSchema;
  readonly #outputSchema: StructType;
  readonly #options: FileReaderOptions;
  /** The evaluator of all files, by the schema of their batches, where it depends on nothing of the file. */
  readonly #shared = new Map<StructType, ExpressionEvaluator>();
  readonly #schemaWithRowIndex: StructType;

  constructor(engine: Engine, tableRoot: URL, schema: ScanSchema, options: FileReaderOptions) {
    this.#engine = engine;
    this.#tableRoot = tableRoot;
    this.#schema = schema;
    this.#outputSchema = relaxedSchema(schema.logicalSchema);
    this.#options = options;
    this.#schemaWithRowIndex = withRowIndex(schema);
  }

  /**
   * Logical batches in row order, without empty ones. Breaking off ends the read. Rows before position `firstRow` of the
   * file may be left out.
   */
  async *read(file: ScanFile, firstRow = 0): AsyncGenerator<EngineData, void, undefined> {
    const { signal, predicate } = this.#options;
    const { deletionVector } = file;
    // The constants first: a partition value that does not parse needs no read.
    const schema = deletionVector === undefined ? this.#schema.physicalSchema : this.#schemaWithRowIndex;
    const transform = this.#transform(file, schema);
    const meta = dataFileMeta(this.#tableRoot, file);
    const options = { signal, predicate, firstRow };
    const batches = this.#engine.parquetHandler.readParquetFiles([meta], schema, options);
    if (deletionVector === undefined) {
      for await (const batch of batches) if (batch.length > 0) yield await transform(batch);
      return;
    }
    const loading = loadDeletionVector(this.#engine, this.#tableRoot, deletionVector, signal);
    // A failure is seen where the vector is awaited: until then it must not count as unhandled.
    loading.catch(() => undefined);
    try {
      for await (const batch of batches) {
        const live = batch.select(undeleted(batch, await loading, this.#schema.rowIndexName));
        if (live.length > 0) yield await transform(live);
      }
      await loading;
    } finally {
      // Where the read failed or was broken off, the vector may still be on its way.
      loading.then(
        (deleted) => deleted.free(),
        () => undefined,
      );
    }
  }

  #transform(
    file: ScanFile,
    inputSchema: StructType,
  ): (batch: EngineData) => EngineData | Promise<EngineData> {
    const shared = this.#shared.get(inputSchema);
    if (shared !== undefined) return (batch) => shared.evaluate(batch);
    const expression = transformOf(this.#schema, file) ?? identity(this.#schema);
    const evaluator = this.#engine.evaluationHandler.newExpressionEvaluator(
      inputSchema,
      expression,
      this.#outputSchema,
    );
    if (isFileIndependent(this.#schema)) this.#shared.set(inputSchema, evaluator);
    return (batch) => evaluator.evaluate(batch);
  }
}

/** Also without a transform a file's batch may hold a row index that the output lacks. */
function identity({ logicalSchema }: ScanSchema) {
  return {
    kind: 'struct',
    fields: logicalSchema.fields.map(({ name }) => ({ kind: 'column', path: [name] }) as const),
  } as const;
}

/**
 * The rows of a batch that are not deleted, by their positions in the file, whatever was pruned before them
 * (`PROTOCOL.md`, "Deletion Vector Format").
 */
export function undeleted(batch: EngineData, deleted: RowIndexSet, rowIndexName: string): SelectionVector {
  const { length } = batch;
  if (length === 0) return new Uint8Array(0);
  const positions = batch.column([rowIndexName])!;
  const at = (row: number) => positions.getNumber(row)!;
  // Positions ascend, so equal distances mean that none was left out.
  if (at(length - 1) - at(0) === length - 1) return deleted.selection(at(0), length);
  const selection = new Uint8Array(length);
  for (let start = 0; start < length; ) {
    let end = start + 1;
    while (end < length && at(end) === at(end - 1) + 1) end += 1;
    selection.set(deleted.selection(at(start), end - start), start);
    start = end;
  }
  return selection;
}
