/** DuckDB in a worker of its own: loading, asking, and what its errors say. */
import type { AsyncDuckDB, AsyncDuckDBConnection } from '@duckdb/duckdb-wasm';
import type { SqlMistake } from '../protocol-sql.ts';

/** Nothing comes from the network, and no file is read: a query sees the table, and that is all. */
const SETTINGS = [
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  'SET enable_external_access = false',
];

/** What is asked of DuckDB, wherever it runs. */
export interface SqlEngine {
  run(sql: string): Promise<void>;
  /** Rows of text, or null. */
  rows(sql: string): Promise<(string | null)[][]>;
  /** @param stream an Arrow IPC stream. */
  insert(stream: Uint8Array, into: { schema: string; name: string; create: boolean }): Promise<void>;
}

export class Duck implements SqlEngine {
  readonly #db: AsyncDuckDB;
  readonly #connection: AsyncDuckDBConnection;
  readonly version: string;

  private constructor(db: AsyncDuckDB, connection: AsyncDuckDBConnection, version: string) {
    this.#db = db;
    this.#connection = connection;
    this.version = version;
  }

  /** @param progress bytes that have come, and that there are. */
  static async start(signal: AbortSignal, progress: (loaded: number, total: number) => void): Promise<Duck> {
    const { AsyncDuckDB, VoidLogger } = await import('@duckdb/duckdb-wasm');
    signal.throwIfAborted();
    const db = new AsyncDuckDB(new VoidLogger(), await startWorker());
    const stop = () => void db.terminate();
    signal.addEventListener('abort', stop);
    try {
      const module = new URL('./sql/duckdb-eh.wasm', import.meta.url).href;
      await abortable(
        db.instantiate(module, null, ({ bytesLoaded, bytesTotal }) => progress(bytesLoaded, bytesTotal)),
        signal,
      );
      const connection = await db.connect();
      for (const setting of SETTINGS) await connection.query(setting);
      return new Duck(db, connection, await db.getVersion());
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async rows(sql: string): Promise<(string | null)[][]> {
    const table = await this.#connection.query(sql);
    const columns = table.schema.fields.map((_, at) => table.getChildAt(at)!);
    return Array.from({ length: table.numRows }, (_, row) =>
      columns.map((column) => {
        const value: unknown = column.get(row);
        return value === null ? null : String(value);
      }),
    );
  }

  /** Throws where the text is not one statement that can be run. Runs nothing. */
  async check(sql: string): Promise<void> {
    const statement = await this.#connection.prepare(sql);
    await statement.close();
  }

  async run(sql: string): Promise<void> {
    await this.#connection.query(sql);
  }

  insert(stream: Uint8Array, into: { schema: string; name: string; create: boolean }): Promise<void> {
    return this.#connection.insertArrowFromIPCStream(stream, into);
  }

  stop(): Promise<void> {
    return this.#db.terminate();
  }
}

/** A worker that starts from the page's own files, wherever the page lies. */
async function startWorker(): Promise<Worker> {
  return new Worker(new URL('./sql/duckdb-browser-eh.worker.js', import.meta.url));
}

/** DuckDB's calls take no signal: the worker is ended, and then they never answer. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let give: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    give = () => reject(signal.reason);
    signal.addEventListener('abort', give);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (give !== undefined) signal.removeEventListener('abort', give);
  }
}

/**
 * An error's words, and the place that its caret points at.
 * @param sql the text that was run, which ends in `query`.
 */
export function mistakeOf(error: unknown, sql: string, query: string): SqlMistake {
  const text = error instanceof Error ? error.message : String(error);
  const [message = text] = text.split(/\n\s*\nLINE \d+: /);
  const [, number, shown = '', indent = ''] = /LINE (\d+): (.*)\n( *)\^/.exec(text) ?? [];
  if (number === undefined) return { message: message.trim(), at: undefined };
  const lines = sql.split('\n');
  const line = lines[Number(number) - 1] ?? '';
  const column = indent.length - `LINE ${number}: `.length;
  // Long lines are shown in part, with dots in place of the rest.
  const part = shown.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
  const cut = shown.startsWith('...') ? line.indexOf(part) - 3 : 0;
  const before = lines.slice(0, Number(number) - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const at = before + cut + column - (sql.length - query.length);
  return { message: message.trim(), at: at >= 0 && at <= query.length ? at : undefined };
}
