/**
 * Contract suites: what every implementation of a handler must do, as plain functions that need no test runner, so
 * that the same cases run in Node, in a browser and in a Worker.
 */

import type { Engine, FileMeta } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';

export { equal, failsWith } from '../../src/testing/assertions.ts';

export interface ContractContext {
  readonly engine: Engine;
  /** An empty directory of the engine's storage; its path ends in `/`. */
  readonly directory: URL;
}

export interface ContractCase {
  readonly name: string;
  run(context: ContractContext): Promise<void>;
}

/** The rows of a batch, each as its values in schema order. */
export function rowsOf(data: EngineData): ScalarValue[][] {
  const columns = data.schema.fields.map(({ name }) => data.column([name])!);
  return Array.from({ length: data.length }, (_, row) => columns.map((column) => column.getValue(row)));
}

/** The rows of all batches. */
export async function allRows(batches: AsyncIterable<EngineData>): Promise<ScalarValue[][]> {
  const rows: ScalarValue[][] = [];
  for await (const batch of batches) rows.push(...rowsOf(batch));
  return rows;
}

export async function putText(
  { engine, directory }: ContractContext,
  name: string,
  text: string,
): Promise<FileMeta> {
  const location = new URL(name, directory);
  await engine.storageHandler.put(location, new TextEncoder().encode(text), { overwrite: true });
  return engine.storageHandler.head(location);
}

export async function textAt({ engine, directory }: ContractContext, name: string): Promise<string> {
  for await (const bytes of engine.storageHandler.readFiles([{ location: new URL(name, directory) }])) {
    return new TextDecoder().decode(bytes);
  }
  throw new Error('the storage gave nothing');
}
