/** How the Worker example makes batches of requests: when one ends, what is in it, and whose failure is whose. */
import { describe, expect, it } from 'vitest';
import { Batcher, type BatchLimits } from '../../examples/worker/src/batcher.ts';

const ROW_ERROR = new Error('row');
const row = (id: number) => ({ id });
const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => row(from + index));

/** A table that takes its time, and refuses batches with a row of a negative id. */
function table({ waitMs = 5, maxRows = 10, maxWaiting = 100 }: Partial<BatchLimits> = {}, fail?: Error) {
  const written: number[][] = [];
  let version = 0;
  let isWriting = false;
  const batcher = new Batcher({
    limits: { waitMs, maxRows, maxWaiting },
    isRowError: (error) => error === ROW_ERROR,
    write: async (batch) => {
      expect(isWriting, 'one commit at a time').toBe(false);
      isWriting = true;
      await new Promise((done) => setTimeout(done, 5));
      isWriting = false;
      const ids = batch.map(({ id }) => Number(id));
      if (fail) throw fail;
      if (ids.some((id) => id < 0)) throw ROW_ERROR;
      written.push(ids);
      version += 1;
      return version;
    },
  });
  return { batcher, written };
}

describe('a batch', () => {
  it('has what came within its time, each request its own answer', async () => {
    const { batcher, written } = table();
    const answers = await Promise.all([
      batcher.add([row(1)]),
      batcher.add(rows(2, 2)),
      batcher.add([row(4)]),
    ]);
    expect(answers).toEqual([
      { version: 1, rows: 1 },
      { version: 1, rows: 2 },
      { version: 1, rows: 1 },
    ]);
    expect(written).toEqual([[1, 2, 3, 4]]);
  });

  it('waits for no more once it is full, and takes no request that makes it too large', async () => {
    const { batcher, written } = table({ waitMs: 60_000 });
    await Promise.all([batcher.add(rows(0, 6)), batcher.add(rows(6, 4)), batcher.add(rows(10, 10))]);
    expect(written).toEqual([rows(0, 10), rows(10, 10)].map((batch) => batch.map(({ id }) => id)));
  });

  it('may be one request that is larger', async () => {
    const { batcher, written } = table();
    expect(await batcher.add(rows(0, 25))).toEqual({ version: 1, rows: 25 });
    expect(written).toHaveLength(1);
  });

  it('is what came while the one before was written', async () => {
    const { batcher, written } = table({ waitMs: 0 });
    const first = batcher.add([row(1)]);
    await new Promise((done) => setTimeout(done, 1));
    await Promise.all([first, batcher.add([row(2)]), batcher.add([row(3)])]);
    expect(written).toEqual([[1], [2, 3]]);
  });

  it('comes again after a pause', async () => {
    const { batcher, written } = table();
    await batcher.add([row(1)]);
    await batcher.add([row(2)]);
    expect(written).toEqual([[1], [2]]);
  });
});

describe('a failure', () => {
  it('of rows is that of their request alone, wherever it is', async () => {
    for (let bad = 0; bad < 9; bad++) {
      const { batcher, written } = table();
      const requests = rows(1, 9).map((each, index) => batcher.add([index === bad ? row(-1) : each]));
      const results = await Promise.allSettled(requests);
      const statuses = results.map(({ status }) => status);
      expect(statuses).toEqual(statuses.map((_, index) => (index === bad ? 'rejected' : 'fulfilled')));
      expect(written.flat()).toEqual(rows(1, 9).flatMap(({ id }, index) => (index === bad ? [] : [id])));
      // Halves: not a commit for each request.
      expect(written.length).toBeLessThanOrEqual(4);
    }
  });

  it('of all rows is that of all', async () => {
    const { batcher, written } = table();
    const results = await Promise.allSettled(rows(0, 8).map(() => batcher.add([row(-1)])));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(written).toEqual([]);
  });

  it('of anything else is that of the batch, and the next one is tried', async () => {
    const { batcher } = table({}, new Error('storage'));
    for (let attempt = 0; attempt < 2; attempt++) {
      const results = await Promise.allSettled([batcher.add([row(1)]), batcher.add([row(2)])]);
      expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual([
        'Error: storage',
        'Error: storage',
      ]);
    }
  });
});

it('refuses what would make too many rows wait, and takes more when they are written', async () => {
  const { batcher } = table({ maxWaiting: 12 });
  const first = batcher.add(rows(0, 10));
  expect(batcher.add(rows(10, 3))).toBeUndefined();
  const second = batcher.add(rows(10, 2));
  await Promise.all([first, second]);
  expect(await batcher.add(rows(12, 12))).toEqual({ version: 3, rows: 12 });
});
