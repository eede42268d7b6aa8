/** Rows of a local file: Parquet, told by its first bytes, or newline-delimited JSON. `-` is standard input. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { RecordBatch } from 'apache-arrow';
import { parse } from 'lossless-json';
import { toRecordBatch } from '../engine/arrow-engine-data.ts';
import { createEngine } from '../engine/default-engine.ts';
import { DeltaError } from '../errors.ts';
import { FileSystemStorageHandler } from '../storage/node.ts';
import type { Row, RowInput } from '../table/write/input.ts';

/** Errors: `FileNotFound`; while reading `MalformedJson` with path and line, `Parquet`. */
export async function rowsFromFile(path: string): Promise<RowInput> {
  if (path !== '-' && (await isParquet(path))) return parquetRows(path);
  return jsonRows(path);
}

async function isParquet(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0);
      return bytesRead === 4 && String.fromCharCode(...buffer) === 'PAR1';
    } finally {
      await file.close();
    }
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const code = missing ? 'FileNotFound' : 'IOError';
    throw new DeltaError(code, `cannot read ${path}: ${(cause as Error).message}`, { path, cause });
  }
}

async function* parquetRows(path: string): AsyncGenerator<RecordBatch, void, undefined> {
  const storage = new FileSystemStorageHandler();
  const { parquetHandler } = createEngine({ storage });
  const file = await storage.head(pathToFileURL(path));
  const { schema } = await parquetHandler.readParquetFooter(file);
  for await (const batch of parquetHandler.readParquetFiles([file], schema)) yield toRecordBatch(batch);
}

async function* jsonRows(path: string): AsyncGenerator<Row, void, undefined> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== '') yield rowOf(text, path, line);
  }
}

function rowOf(text: string, path: string, line: number): Row {
  try {
    const value = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  } catch (cause) {
    throw new DeltaError('MalformedJson', `line ${line} of ${path} is no JSON: ${(cause as Error).message}`, {
      path,
      line,
      cause,
    });
  }
  throw new DeltaError('MalformedJson', `line ${line} of ${path} is no JSON object`, { path, line });
}
