/** Changes that wait for their commit to be allowed, without a page: what is written when, and what is asked. */
import {
  createEngine,
  DeltaError,
  DeltaTable,
  field,
  MemoryStorageHandler,
  type StorageHandler,
  types,
} from 'delta-kernel-web';
import { describe, expect, it } from 'vitest';
import { HeldChange, type Stop } from '../../web-demo/src/worker/write/change.ts';

const url = 'memory:///t/';
const work = () => ({ signal: new AbortController().signal, report: () => undefined });

async function makeTable(): Promise<{ storage: MemoryStorageHandler; table: DeltaTable }> {
  const storage = new MemoryStorageHandler();
  const table = await DeltaTable.create({ storage, url }, types.struct([field('id', types.long)]));
  return { storage, table };
}

async function filesOf(storage: StorageHandler): Promise<string[]> {
  const paths: string[] = [];
  for await (const { location } of storage.listRecursive!(new URL(url))) paths.push(location.pathname);
  return paths.sort();
}

/** An append that waits for its commit. */
function appending(table: DeltaTable, storage: StorageHandler): HeldChange<number> {
  return new HeldChange(storage, (held, signal) =>
    table.withEngine(createEngine({ storage: held })).append([{ id: 1n }, { id: 2n }], {
      signal,
      pauses: { sleep: async () => undefined },
    }),
  );
}

/** A storage whose puts of commits fail while there are failures left; `lost`: after they were done. */
function failing(inner: MemoryStorageHandler, failures: { left: number; lost?: boolean }): StorageHandler {
  return new Proxy(inner, {
    get(target, name) {
      if (name !== 'put') {
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (path: URL, data: Uint8Array, options: { overwrite: boolean }) => {
        const fails = /\d{20}\.json$/.test(path.pathname) && failures.left > 0;
        if (fails) failures.left -= 1;
        if (!fails || failures.lost) await target.put(path, data, options);
        if (fails) throw new DeltaError('IOError', 'the answer got lost');
      };
    },
  });
}

const kind = ({ kind: name }: Stop<unknown>) => name;

describe('a held change', () => {
  it('writes nothing until it is allowed, and nothing at all once it is discarded', async () => {
    const { storage, table } = await makeTable();
    const before = await filesOf(storage);
    const discarded = appending(table, storage);
    const stop = await discarded.next(work());
    expect(stop).toMatchObject({
      kind: 'plan',
      anew: false,
      plan: { version: 1, numAdds: 1, operation: 'WRITE' },
    });
    discarded.discard();
    await expect(discarded.next(work())).rejects.toMatchObject({ name: 'AbortError' });
    expect(await filesOf(storage)).toEqual(before);

    const allowed = appending(table, storage);
    await allowed.next(work());
    expect(await filesOf(storage)).toEqual(before);
    allowed.goOn();
    expect(await allowed.next(work())).toEqual({ kind: 'end', value: 1 });
    const opened = await DeltaTable.open({ storage, url });
    expect([opened.version, await opened.count()]).toEqual([1, 2]);
  });

  it('asks after some failures whether to try the same commit again, which is then made once', async () => {
    const { storage, table } = await makeTable();
    const failures = { left: 5 };
    const change = appending(table, failing(storage, failures));
    expect(kind(await change.next(work()))).toBe('plan');
    change.goOn();
    const stop = await change.next(work());
    expect(stop).toMatchObject({ kind: 'retry', failure: { message: 'the answer got lost' } });
    expect((await DeltaTable.open({ storage, url })).version).toBe(0);
    failures.left = 0;
    change.goOn();
    expect(await change.next(work())).toEqual({ kind: 'end', value: 1 });
    expect(await (await DeltaTable.open({ storage, url })).count()).toBe(2);
  });

  it('finds its own commit where only the answer was lost', async () => {
    const { storage, table } = await makeTable();
    const change = appending(table, failing(storage, { left: 1, lost: true }));
    await change.next(work());
    change.goOn();
    expect(await change.next(work())).toEqual({ kind: 'end', value: 1 });
    const opened = await DeltaTable.open({ storage, url });
    expect([opened.version, await opened.count()]).toEqual([1, 2]);
  });

  it('goes on top of another commit without asking, and is given up with its task', async () => {
    const { storage, table } = await makeTable();
    const change = appending(table, storage);
    await change.next(work());
    await (await DeltaTable.open({ storage, url })).append([{ id: 3n }]);
    change.goOn();
    expect(await change.next(work())).toEqual({ kind: 'end', value: 2 });
    expect(change.plannedVersion).toBe(1);

    const stopped = appending(table, storage);
    await stopped.next(work());
    const controller = new AbortController();
    const ending = stopped.next({ ...work(), signal: controller.signal });
    controller.abort(new DOMException('stopped', 'AbortError'));
    await expect(ending).rejects.toMatchObject({ name: 'AbortError' });
    expect((await DeltaTable.open({ storage, url })).version).toBe(2);
  });
});
