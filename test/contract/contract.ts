/**
 * Contract suites: what every implementation of a handler must do, as plain functions that need no test runner, so
 * that the same cases run in Node, in a browser and in a Worker.
 */

import type { Engine, FileMeta } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';

export interface ContractContext {
  readonly engine: Engine;
  /** An empty directory of the engine's storage; its path ends in `/`. */
  readonly directory: URL;
}

export interface ContractCase {
  readonly name: string;
  run(context: ContractContext): Promise<void>;
}

/** Throws, with both values, unless they are deeply equal (bigints, bytes, NaN and −0 told apart). */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [a, b] = [show(actual), show(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

/** Throws unless `run` fails with a DeltaError of that code, and returns the error. */
export async function failsWith(
  code: string,
  run: () => unknown,
): Promise<{ message: string; path?: string; line?: number; column?: string }> {
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    const found = error as { name?: string; code?: string; message: string };
    if (found.name === 'DeltaError' && found.code === code) return found;
    throw new Error(`expected a DeltaError ${code}, got ${found.name} ${found.code}: ${found.message}`, {
      cause: error,
    });
  }
  throw new Error(`expected a DeltaError ${code}, got ${show(result)}`);
}

/** A value as text that tells every value from every other. */
function show(value: unknown): string {
  return JSON.stringify(value, (_, v) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (v === undefined) return 'undefined';
    if (typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0)))
      return `number ${Object.is(v, -0) ? '-0' : v}`;
    if (ArrayBuffer.isView(v)) return `bytes ${[...(v as Uint8Array)].join(' ')}`;
    return v;
  });
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
