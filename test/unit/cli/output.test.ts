import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output, OutputClosed, Progress } from '../../../src/cli/output.ts';
import { errorLine, run } from '../../../src/cli/run.ts';
import { UsageError } from '../../../src/cli/usage.ts';
import { DeltaError } from '../../../src/errors.ts';

class Sink extends Writable {
  text = '';
  isTTY = false;
  #failAfter: number;
  #code: string;

  constructor({ failAfter = Number.POSITIVE_INFINITY, code = 'EPIPE', highWaterMark = 16 } = {}) {
    super({ highWaterMark, decodeStrings: false });
    this.#failAfter = failAfter;
    this.#code = code;
  }

  override _write(chunk: string, _encoding: string, callback: (error?: Error) => void): void {
    this.text += chunk;
    const failed = this.text.length > this.#failAfter;
    setImmediate(() => callback(failed ? Object.assign(new Error('gone'), { code: this.#code }) : undefined));
  }
}

describe('output', () => {
  it('waits for a slow reader and keeps the order', async () => {
    const sink = new Sink();
    const output = new Output(sink);
    for (let line = 0; line < 100; line += 1) {
      await output.writeLine(line);
      expect(sink.writableLength).toBeLessThan(64);
    }
    await output.flush();
    expect(sink.text).toBe(Array.from({ length: 100 }, (_, line) => `${line}\n`).join(''));
  });

  it.each([
    ['EPIPE', OutputClosed],
    ['ENOSPC', Error],
  ])('stops at %s', async (code, type) => {
    const output = new Output(new Sink({ failAfter: 100, code }));
    let written = 0;
    const writing = (async () => {
      for (; written < 1000; written += 1) await output.write('0123456789');
    })();
    await expect(writing).rejects.toThrowError(type);
    expect(written).toBeLessThan(30);
  });

  it('shows progress on a terminal only, not at once, and cleans up', () => {
    const lines: string[] = [];
    let now = 0;
    const stream = { isTTY: true, write: (text: string) => lines.push(text) } as never;
    const progress = new Progress(stream, () => now);
    progress.show('a');
    progress.clear();
    expect(lines).toEqual([]);
    now = 1500;
    progress.show('b');
    progress.show('c');
    progress.clear();
    expect(lines).toEqual(['\r\u001b[Kb', '\r\u001b[K']);
    const plain = new Progress({ isTTY: false, write: () => lines.push('never') } as never, () => 1e6);
    plain.show('x');
    expect(lines).toHaveLength(2);
  });
});

describe('outcomes', () => {
  const surroundings = (options = {}) => ({ stdout: new Sink(options), stderr: new Sink(), env: {} });

  it('help is 0, on standard output', async () => {
    const io = surroundings();
    expect(await run(['--help'], io)).toBe(0);
    expect(io.stdout.text).toMatch(/^usage: delta-web/);
    expect(io.stderr.text).toBe('');
  });

  it('wrong usage is 2, in one line', async () => {
    const io = surroundings();
    expect(await run(['read', 't', '--limit', 'x'], io)).toBe(2);
    expect(io.stderr.text).toBe('usage: --limit takes a whole number, not x\n');
    expect(io.stdout.text).toBe('');
  });

  it('a reader that has gone is no failure', async () => {
    const io = surroundings({ failAfter: 0 });
    expect(await run(['--help'], io)).toBe(0);
    expect(io.stderr.text).toBe('');
  });

  it('tells errors in one line that begins with the code and names the place once', () => {
    const error = new DeltaError('MalformedJson', 'not JSON:\n  {"a', {
      table: 'file:///t/',
      version: 3,
      path: '_delta_log/3.json',
      line: 7,
    });
    expect(errorLine(error)).toBe(
      'MalformedJson: not JSON: {"a (table file:///t/, version 3, file _delta_log/3.json, line 7)',
    );
    const named = new DeltaError('TableNotFound', 'no table at file:///t/', { table: 'file:///t/' });
    expect(errorLine(named)).toBe('TableNotFound: no table at file:///t/');
    expect(errorLine(new UsageError('x'))).toBe('usage: x');
    expect(errorLine(new RangeError('bug'))).toBe('Internal: bug');
  });
});
