/** Queries of the open table, by DuckDB. */
import type { DeltaTable } from 'delta-kernel-web';
import { attempt, type Work, type WorkerContext } from './context.ts';
import type { SqlAnswer, SqlCalls, SqlColumn, SqlMistake, SqlStart } from './protocol-sql.ts';
import type { Duck } from './sql/duck.ts';
import type { LoadedRows } from './sql/loaded.ts';
import type { Plans } from './sql/plan.ts';

/** Characters of a cell; nobody reads more in a grid. */
const MAX_CELL = 2000;

const NO_QUERY = 'Only queries can be run here: SELECT, FROM, VALUES, DESCRIBE, SUMMARIZE.';

export function sqlCalls(context: WorkerContext): SqlCalls {
  let runner: Promise<Runner> | undefined;
  const stop = () => {
    const ending = runner;
    runner = undefined;
    ending?.then((each) => each.stop()).catch(() => undefined); // it never started
  };
  context.onClose(stop);
  const start = (work: Work) => {
    if (runner !== undefined) return runner;
    const started = Runner.start(work).catch((error: unknown) => {
      if (runner === started) runner = undefined;
      throw error;
    });
    runner = started;
    return started;
  };
  return {
    startSql: (task) => context.run(task, async (work) => (await start(work)).start()),
    checkSql: (sql) => attempt(async () => (await runner)?.check(sql)),
    runSql: (task, sql) =>
      context.run(task, async (work) => {
        const { signal } = work;
        // A query under way cannot be stopped otherwise.
        signal.addEventListener('abort', stop);
        try {
          return await (await start(work)).run(sql, work);
        } finally {
          signal.removeEventListener('abort', stop);
        }
      }),
    sqlRows: (from, to) =>
      attempt(async () => {
        if (runner === undefined) throw new Error('the result is gone: run the query again');
        return (await runner).rows(from, to);
      }),
    stopSql: async () => stop(),
  };
}

class Runner {
  readonly #duck: Duck;
  readonly #table: DeltaTable;
  readonly #names: readonly string[];
  readonly #loaded: LoadedRows;
  #columns: SqlColumn[] = [];
  /** Calls follow each other: they change what `t` is. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(duck: Duck, table: DeltaTable, names: readonly string[], loaded: LoadedRows) {
    this.#duck = duck;
    this.#table = table;
    this.#names = names;
    this.#loaded = loaded;
  }

  static async start({ table, signal, report }: Work): Promise<Runner> {
    const [{ Duck }, { declare, LoadedRows }] = await Promise.all([
      import('./sql/duck.ts'),
      import('./sql/loaded.ts'),
    ]);
    const duck = await Duck.start(signal, (loaded, total) =>
      report({ done: loaded, ...(total > 0 && { total }), unit: 'bytes' }),
    );
    const names = namesOf(table);
    await declare(duck, table, names);
    return new Runner(duck, table, names, new LoadedRows(duck, table));
  }

  async start(): Promise<SqlStart> {
    const { duckType } = await import('./sql/types.ts');
    return {
      engine: `DuckDB ${this.#duck.version}`,
      tables: [...this.#names],
      columns: this.#table.schema.fields.map(({ name, type }) => ({ name, type: duckType(type) })),
    };
  }

  check(sql: string): Promise<SqlMistake | undefined> {
    const query = trimmed(sql);
    if (query === '') return Promise.resolve(undefined);
    return this.#inTurn(async () => {
      const planned = await this.#plan(query);
      return 'message' in planned ? planned : undefined;
    });
  }

  /** An aborted query is not waited for: its DuckDB is ended, and never answers. */
  async run(sql: string, work: Work): Promise<SqlAnswer> {
    const { abortable } = await import('./sql/duck.ts');
    return abortable(
      this.#inTurn(() => this.#answer(trimmed(sql), work)),
      work.signal,
    );
  }

  rows(start: number, end: number): Promise<(string | null)[][]> {
    const cells = this.#columns.map((_, at) => `left(CAST(#${at + 1} AS VARCHAR), ${MAX_CELL})`).join(', ');
    return this.#inTurn(() =>
      this.#duck.rows(
        `SELECT ${cells} FROM delta.result WHERE rowid >= ${start} AND rowid < ${end} ORDER BY rowid`,
      ),
    );
  }

  stop(): Promise<void> {
    return this.#duck.stop();
  }

  async #answer(query: string, work: Work): Promise<SqlAnswer> {
    const { mistakeOf } = await import('./sql/duck.ts');
    const { showShape } = await import('./sql/loaded.ts');
    const begin = performance.now();
    await showShape(this.#duck);
    const planned = await this.#plan(query);
    if ('message' in planned) return { kind: 'wrong', ...planned };
    const { needOf } = await import('./sql/plan.ts');
    const need = needOf(this.#table, query, planned);
    const load = need.isRead ? await this.#loaded.provide(need, work) : undefined;
    work.report({ done: load?.rows ?? 0, unit: 'rows queried' });
    const sql = `CREATE OR REPLACE TABLE delta.result AS FROM (\n${query}\n)`;
    try {
      await this.#duck.run(sql);
    } catch (error) {
      return { kind: 'wrong', ...mistakeOf(error, sql.slice(0, -2), query) };
    }
    this.#columns = (
      await this.#duck.rows('SELECT column_name, column_type FROM (DESCRIBE delta.result)')
    ).map(([name, type]) => ({ name: name!, type: type!, numeric: isNumeric(type!) }));
    const total = Number((await this.#duck.rows('SELECT count(*)::VARCHAR FROM delta.result'))[0]![0]);
    return { kind: 'rows', columns: this.#columns, total, load, ms: Math.round(performance.now() - begin) };
  }

  /** Both plans, or what is wrong with the query. */
  async #plan(query: string): Promise<Plans | SqlMistake> {
    const [{ mistakeOf }, { plansOf }] = await Promise.all([
      import('./sql/duck.ts'),
      import('./sql/plan.ts'),
    ]);
    try {
      await this.#duck.check(query);
    } catch (error) {
      return mistakeOf(error, query, query);
    }
    try {
      return await plansOf(this.#duck, query);
    } catch (error) {
      const { message } = mistakeOf(error, query, query);
      // It can be run, and yet its rows cannot be taken.
      return { message: message.startsWith('Parser Error') ? NO_QUERY : message, at: undefined };
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined); // whoever asked hears of it
    return next;
  }
}

/** The open table as `t`, and by its own name. */
function namesOf({ metadata, url }: DeltaTable): string[] {
  const folder = decodeURIComponent(url.pathname)
    .split('/')
    .findLast((part) => part !== '');
  const name = metadata.name ?? folder ?? 't';
  return name.toLowerCase() === 't' ? ['t'] : ['t', name];
}

/** Without what follows the last statement. */
function trimmed(sql: string): string {
  return sql.replace(/[\s;]+$/, '');
}

function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|UINTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/.test(type);
}
