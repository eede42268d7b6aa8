/** A stream of batches in portions of a given number of rows. */
import type { EngineData } from '../engine-data.ts';

export class Chunks {
  readonly #source: AsyncIterator<EngineData>;
  #rest: EngineData | undefined;

  constructor(source: AsyncIterable<EngineData>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Whether nothing is left. */
  async isEmpty(): Promise<boolean> {
    while (this.#rest === undefined || this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return true;
      this.#rest = next.value;
    }
    return false;
  }

  /** Batches of the next `rows` rows, or of as many as are left. */
  async *take(rows: number): AsyncGenerator<EngineData, void, undefined> {
    for (let left = rows; left > 0 && !(await this.isEmpty()); ) {
      const batch = this.#rest!;
      const taken = Math.min(left, batch.length);
      this.#rest = taken === batch.length ? undefined : batch.slice(taken, batch.length);
      left -= taken;
      yield batch.slice(0, taken);
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
