/**
 * Requests that come at about the same time become one commit. Commits of a table go one after another: what comes
 * while one is under way makes the next.
 */
import type { Row } from 'delta-kernel-web';

export interface BatchLimits {
  /** A batch is committed this long after its first request, or as soon as the commit before it is done. */
  readonly waitMs: number;
  /** A batch with this many rows waits for no more. A single request may have more. */
  readonly maxRows: number;
  /** Rows that may wait in all; more are refused. */
  readonly maxWaiting: number;
}

/** What became of one request's rows. */
export interface Appended {
  readonly version: number;
  readonly rows: number;
}

interface Waiting {
  readonly rows: readonly Row[];
  readonly since: number;
  resolve(appended: Appended): void;
  reject(error: unknown): void;
}

export interface BatcherParts {
  /** Appends all rows or none. @returns the version that has them. */
  write(rows: readonly Row[]): Promise<number>;
  /** Whether rows are to blame for an error, so that others may be appended without them. */
  isRowError(error: unknown): boolean;
  readonly limits: BatchLimits;
}

export class Batcher {
  readonly #parts: BatcherParts;
  #waiting: Waiting[] = [];
  #rows = 0;
  #isRunning = false;
  /** Ends the wait for more requests. */
  #close: () => void = () => undefined;

  constructor(parts: BatcherParts) {
    this.#parts = parts;
  }

  /** Undefined where too many rows wait already. */
  add(rows: readonly Row[]): Promise<Appended> | undefined {
    const { maxRows, maxWaiting } = this.#parts.limits;
    if (this.#rows > 0 && this.#rows + rows.length > maxWaiting) return undefined;
    this.#rows += rows.length;
    const done = new Promise<Appended>((resolve, reject) => {
      this.#waiting.push({ rows, since: Date.now(), resolve, reject });
    });
    if (this.#rows >= maxRows) this.#close();
    if (!this.#isRunning) void this.#run();
    return done;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#untilFull();
      await this.#commit(this.#take());
    }
    this.#isRunning = false;
  }

  async #untilFull(): Promise<void> {
    const { waitMs, maxRows } = this.#parts.limits;
    const remaining = this.#waiting[0]!.since + waitMs - Date.now();
    if (remaining <= 0 || this.#rows >= maxRows) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, remaining);
      this.#close = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The requests that fit one batch, in the order in which they came. */
  #take(): Waiting[] {
    const { maxRows } = this.#parts.limits;
    let rows = 0;
    const fits = ({ rows: more }: Waiting) => {
      rows += more.length;
      return rows <= maxRows;
    };
    const end = this.#waiting.findIndex((waiting) => !fits(waiting));
    const batch = this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(end, 1));
    this.#rows -= batch.reduce((sum, waiting) => sum + waiting.rows.length, 0);
    return batch;
  }

  /** Rows that do not fit fail their own request: the batch is halved until they are alone. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const version = await this.#parts.write(batch.flatMap(({ rows }) => rows));
      for (const { rows, resolve } of batch) resolve({ version, rows: rows.length });
    } catch (error) {
      if (batch.length > 1 && this.#parts.isRowError(error)) {
        const middle = batch.length >> 1;
        await this.#commit(batch.slice(0, middle));
        await this.#commit(batch.slice(middle));
      } else for (const { reject } of batch) reject(error);
    }
  }
}
