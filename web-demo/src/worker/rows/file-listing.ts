/** The files of a scan, found in the background: those to read, how many are left out, and where their rows begin. */
import type { ScanExplanation, ScanFile } from 'delta-kernel-web';
import type { PartSizes, Place } from './source.ts';

export class FileListing implements PartSizes {
  readonly #files: ScanFile[] = [];
  /** Number of the first row of each file, then the number of all rows. */
  readonly #starts: number[] = [0];
  #isCounted = true;
  #skipped = 0;
  #isDone = false;
  #failure: { error: unknown } | undefined;
  #waiting: (() => void)[] = [];

  constructor(explanation: ScanExplanation) {
    void this.#list(explanation);
  }

  get kept(): number {
    return this.#files.length;
  }

  get skipped(): number {
    return this.#skipped;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether all files are found and the log tells how many rows each has. */
  get isCounted(): boolean {
    return this.#isDone && this.#isCounted;
  }

  get total(): number {
    return this.#starts[this.#files.length]!;
  }

  startOf(part: number): number {
    return this.#starts[part]!;
  }

  /** Within a file without deleted rows the position tells the number; else a file is read from its first row. */
  find(row: number): { row: number; place: Place } {
    const part = this.#partOf(row);
    const start = this.startOf(part);
    if (this.#files[part]?.deletionVector !== undefined) return { row: start, place: { part, row: 0 } };
    return { row, place: { part, row: row - start } };
  }

  /** Files from one on, with their numbers, as they are found. */
  async *from(part: number): AsyncGenerator<{ file: ScanFile; part: number }, void, undefined> {
    for (let at = part; ; at += 1) {
      while (at >= this.#files.length) {
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#isDone) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      yield { file: this.#files[at]!, part: at };
    }
  }

  /** The last file that begins at or before a row. */
  #partOf(row: number): number {
    let [low, high] = [0, this.#files.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  async #list(explanation: ScanExplanation): Promise<void> {
    try {
      for await (const { file, kept } of explanation) {
        if (kept) this.#add(file, explanation.totals.kept.rows);
        else this.#skipped += 1;
        if (this.#waiting.length > 0) this.#wake();
      }
      this.#isDone = true;
    } catch (error) {
      this.#failure = { error };
    }
    this.#wake();
  }

  /** @param rows of all files up to this one; null where nobody tells. Statistics are not kept: there may be many. */
  #add({ stats: _, tags: __, ...file }: ScanFile, rows: number | null): void {
    this.#files.push(file);
    if (rows === null) this.#isCounted = false;
    else this.#starts.push(rows);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
