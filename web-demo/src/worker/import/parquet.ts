/** Parquet files of the person's, read by the package's engine. */
import {
  createEngine,
  type DataType,
  type Engine,
  type FileMeta,
  type RowInput,
  type StructType,
  toRecordBatch,
  typeToString,
} from 'delta-kernel-web';
import { DirectoryStorageHandler } from 'delta-kernel-web/directory';
import type { ImportColumn } from '../protocol-write.ts';

export type Batch = ReturnType<typeof toRecordBatch>;

export interface ParquetInput {
  readonly schema: StructType;
  readonly rows: number;
  readonly batches: (signal: AbortSignal) => AsyncIterable<Batch>;
}

export async function openParquet(file: File, signal: AbortSignal): Promise<ParquetInput> {
  const named = Object.defineProperty(new File([file], file.name), 'webkitRelativePath', {
    value: `import/${file.name}`,
  });
  const storage = new DirectoryStorageHandler([named]);
  const engine = createEngine({ storage });
  const location = new URL(encodeURIComponent(file.name), storage.root);
  const meta = await storage.head(location, { signal });
  const { schema, numRows } = await engine.parquetHandler.readParquetFooter(meta, { signal });
  return { schema, rows: numRows, batches: (abort) => read(engine, meta, schema, abort) };
}

async function* read(engine: Engine, meta: FileMeta, schema: StructType, signal: AbortSignal) {
  for await (const data of engine.parquetHandler.readParquetFiles([meta], schema, { signal })) {
    yield toRecordBatch(data);
  }
}

/** In memory: an append that is repeated reads its rows again. */
export async function allRows(input: ParquetInput, signal: AbortSignal): Promise<RowInput> {
  const batches: Batch[] = [];
  for await (const batch of input.batches(signal)) batches.push(batch);
  return batches;
}

const NUMERIC = new Set(['byte', 'short', 'integer', 'long', 'float', 'double']);

/** Whether a column of the file goes into one of the table, as the append will judge it. */
export function fitTypes(from: DataType, to: DataType): Pick<ImportColumn, 'note' | 'problem'> {
  const [given, wanted] = [typeToString(from), typeToString(to)];
  if (given === wanted) return { note: undefined, problem: undefined };
  if (isNumeric(from) && isNumeric(to))
    return {
      note: 'converted value by value; one that does not fit exactly is an error',
      problem: undefined,
    };
  if (from.kind === to.kind && from.kind !== 'primitive')
    return { note: 'nested: compared when the commit is prepared', problem: undefined };
  if (from.kind === 'struct' && to.kind === 'variant')
    return { note: 'taken as an encoded variant', problem: undefined };
  return { note: undefined, problem: `the file has ${given}, the table ${wanted}` };
}

function isNumeric(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && NUMERIC.has(type.name));
}
