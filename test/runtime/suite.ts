/**
 * What must work on every runtime, written without any: each runner (`node`, `chromium`, `workerd`) imports the built
 * package its own way, serves `test/fixtures/spark-4.2/` over HTTP, and runs these cases.
 *
 * Expected rows are those that Spark read (`rows.ndjson`).
 */
import type * as Delta from '../../src/index.ts';
import { readRows, same } from './suite-helpers.ts';
import { type NewPlace, writeSuite } from './write-suite.ts';

export interface RuntimeContext {
  /** The package as this runtime resolves it. */
  readonly delta: typeof Delta;
  /** URL of the fixture tables, ending in `/`. */
  readonly fixtures: string;
  /** Where tables are written: in the runtime's own storage. */
  readonly newPlace: NewPlace;
}

export interface RuntimeCase {
  readonly name: string;
  /** Rejects where the runtime does not do what it should. */
  run(context: RuntimeContext): Promise<void>;
}

const TABLES = ['basic_partitioned', 'dv_delete', 'cm_id', 'types_all', 'ckpt_multipart', 'v2ckpt_json'];

export const suite: readonly RuntimeCase[] = [
  ...TABLES.map((name) => ({
    name: `reads ${name} over HTTP`,
    run: async ({ delta, fixtures }: RuntimeContext) => {
      const table = await delta.DeltaTable.open(`${fixtures}${name}/delta/`);
      same(await readRows(table), await expectedRows(fixtures, `${name}/rows.ndjson`));
    },
  })),
  {
    name: 'reads an earlier version',
    run: async ({ delta, fixtures }) => {
      const table = await delta.DeltaTable.open(`${fixtures}dv_delete/delta/`, { version: 3 });
      same(table.version, 3);
      same(await readRows(table), await expectedRows(fixtures, 'dv_delete/rows@3.ndjson'));
    },
  },
  {
    name: 'projects, filters and limits',
    run: async ({ delta, fixtures }) => {
      const table = await delta.DeltaTable.open(`${fixtures}basic_partitioned/delta/`);
      const expected = (await expectedRows(fixtures, 'basic_partitioned/rows.ndjson'))
        .map((line) => JSON.parse(line) as { id: number; k: number | null })
        .filter(({ id, k }) => k === 2 && id >= 50)
        .map(({ id }) => id);
      same(
        await readIds(table, 'k = 2 AND id >= 50'),
        expected.sort((a, b) => a - b),
      );
    },
  },
  {
    name: 'reads a table in memory',
    run: async ({ delta, fixtures }) => {
      const storage = new delta.MemoryStorageHandler();
      const url = 'memory:///types/';
      for (const file of await filesOf(`${fixtures}types_all/delta/`)) {
        const bytes = await fetchBytes(`${fixtures}types_all/delta/${file}`);
        await storage.put(new URL(file, url), bytes, { overwrite: false });
      }
      const table = await delta.DeltaTable.open({ storage, url });
      same(await readRows(table), await expectedRows(fixtures, 'types_all/rows.ndjson'));
    },
  },
  {
    name: 'stops a scan that is left early',
    run: async ({ delta, fixtures }) => {
      const table = await delta.DeltaTable.open(`${fixtures}dv_delete/delta/`);
      for await (const batch of table.scan()) {
        same(batch.numRows > 0, true);
        break;
      }
      same((await readRows(table)).length, 109);
    },
  },
  {
    name: 'rejects with the reason of an abort',
    run: async ({ delta, fixtures }) => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      same(await failure(delta.DeltaTable.open(`${fixtures}dv_delete/delta/`, { signal })), reason);
    },
  },
  {
    name: 'names what is not a table',
    run: async ({ delta, fixtures }) => {
      const error = await failure(delta.DeltaTable.open(`${fixtures}nothing-here/`));
      same(delta.isDeltaError(error, 'TableNotFound'), true);
    },
  },
  ...writeSuite,
];

type Table = Awaited<ReturnType<typeof Delta.DeltaTable.open>>;

async function readIds(table: Table, where: string): Promise<number[]> {
  const ids: number[] = [];
  for await (const batch of table.scan({ columns: ['id'], where })) {
    same(batch.numCols, 1);
    for (const id of batch.getChildAt(0) ?? []) ids.push(Number(id));
  }
  return ids.sort((a, b) => a - b);
}

async function expectedRows(fixtures: string, file: string): Promise<string[]> {
  const text = new TextDecoder().decode(await fetchBytes(`${fixtures}${encodeURI(file)}`));
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** The commits of a table without checkpoints, and the data files that they add. */
async function filesOf(table: string): Promise<string[]> {
  const files: string[] = [];
  for (let version = 0; ; version++) {
    const commit = `_delta_log/${String(version).padStart(20, '0')}.json`;
    const response = await fetch(`${table}${commit}`);
    const text = await response.text();
    if (!response.ok) return files;
    files.push(commit);
    for (const line of text.split('\n').filter((line) => line.startsWith('{"add"'))) {
      files.push((JSON.parse(line) as { add: { path: string } }).add.path);
    }
  }
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );
}
