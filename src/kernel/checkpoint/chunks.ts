/** A stream of file actions in portions of a given number of rows. */
import type { EngineData } from '../engine-data.ts';

/** Rows of one action, as the log has them. */
export interface FileActions {
  readonly action: 'add' | 'remove';
  readonly data: EngineData;
}

export class Chunks {
  readonly #source: AsyncIterator<FileActions>;
  #rest: FileActions | undefined;

  constructor(source: AsyncIterable<FileActions>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Whether nothing is left. */
  async isEmpty(): Promise<boolean> {
    while (this.#rest === undefined || this.#rest.data.length === 0) {
      const next = await this.#source.next();
      if (next.done) return true;
      this.#rest = next.value;
    }
    return false;
  }

  /** Batches of the next `rows` rows, or of as many as are left. */
  async *take(rows: number): AsyncGenerator<FileActions, void, undefined> {
    for (let left = rows; left > 0 && !(await this.isEmpty()); ) {
      const { action, data } = this.#rest!;
      const taken = Math.min(left, data.length);
      this.#rest = taken === data.length ? undefined : { action, data: data.slice(taken, data.length) };
      left -= taken;
      yield { action, data: data.slice(0, taken) };
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
