/**
 * The Durable Object through which all appends to one table go, so that they can share commits wherever in the world
 * their requests came in. Other writers are welcome all the same: it is the catalog that orders commits.
 */
import type { DeltaTable } from 'delta-kernel-web';
import { Batcher } from './batcher.ts';
import { type Environment, numberOf } from './environment.ts';
import { errorResponse, isRowError, RequestError } from './failures.ts';
import { tableNameOf } from './routes.ts';
import { rowsOf } from './rows.ts';
import { tablesOf } from './tables.ts';

export class TableWriter {
  readonly #env: Environment;
  #table: Promise<DeltaTable> | undefined;
  #batcher: Batcher | undefined;

  constructor(_state: unknown, env: Environment) {
    this.#env = env;
  }

  /** `POST /tables/:name/rows` */
  async fetch(request: Request): Promise<Response> {
    try {
      const rows = await rowsOf(request, numberOf(this.#env.MAX_BODY_BYTES, 'MAX_BODY_BYTES', 8 << 20, 1));
      const appended = this.#batches(tableNameOf(request)).add(rows);
      if (appended === undefined) throw busy();
      return Response.json(await appended);
    } catch (error) {
      return errorResponse(error);
    }
  }

  #batches(name: string): Batcher {
    const { BATCH_MS, BATCH_ROWS } = this.#env;
    const maxRows = numberOf(BATCH_ROWS, 'BATCH_ROWS', 10_000, 1);
    this.#batcher ??= new Batcher({
      write: (rows) => this.#append(name, rows),
      isRowError,
      limits: { waitMs: numberOf(BATCH_MS, 'BATCH_MS', 200), maxRows, maxWaiting: 10 * maxRows },
    });
    return this.#batcher;
  }

  async #append(name: string, rows: readonly Record<string, unknown>[]): Promise<number> {
    try {
      this.#table ??= tablesOf(this.#env).then((tables) => tables.open(name));
      return await (await this.#table).append(rows);
    } catch (error) {
      // Opened anew next time: it may have been replaced, or what was opened is no good.
      if (!isRowError(error)) this.#table = undefined;
      throw error;
    }
  }
}

function busy(): RequestError {
  return new RequestError(503, 'Busy', 'too many rows wait for this table: try again', {
    'Retry-After': '1',
  });
}
