/** Standard output and progress: with back-pressure, and quiet when the reader has gone (`delta-web … | head`). */
import type { Writable } from 'node:stream';
import { stringify } from 'lossless-json';

/** Thrown by {@link Output.write} after the reader closed the pipe: nobody is left to print for. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Text to a stream, in order. */
export class Output {
  readonly #stream: Writable;
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'EPIPE' ? new OutputClosed('the output was closed') : error;
    });
  }

  /** Resolves when the stream takes more. */
  async write(text: string): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (text === '' || this.#stream.write(text)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.#stream.off('drain', settle);
        this.#stream.off('error', settle);
        // The constructor's listener comes first, so a failure is known here.
        if (this.#failure) reject(this.#failure);
        else resolve();
      };
      this.#stream.on('drain', settle);
      this.#stream.on('error', settle);
    });
  }

  /** One JSON value; bigint and lossless numbers keep their digits. */
  async writeLine(value: unknown): Promise<void> {
    await this.write(`${stringify(value)}\n`);
  }

  /** Waits until everything is handed over to the system. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()));
    if (this.#failure) throw this.#failure;
  }
}

/** A line on a terminal that is rewritten a few times per second; nothing where the stream is no terminal. */
export class Progress {
  readonly #stream: Writable & { isTTY?: boolean };
  readonly #now: () => number;
  #next: number;
  #shown = false;

  constructor(stream: Writable & { isTTY?: boolean }, now: () => number) {
    this.#stream = stream;
    this.#now = now;
    // Short work shows nothing.
    this.#next = now() + 1000;
  }

  show(text: string): void {
    if (this.#stream.isTTY !== true || this.#now() < this.#next) return;
    this.#next = this.#now() + 250;
    this.#shown = true;
    this.#stream.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}
