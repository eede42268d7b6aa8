/** What every record store of the embedded catalog must do; plain functions, for all runtimes. */
import type { RecordStore } from '../../src/catalog/embedded/record-store.ts';
import { equal } from './contract.ts';

export interface RecordStoreCase {
  readonly name: string;
  /** @param open another store over the same records, as another process would have. */
  run(open: () => RecordStore): Promise<void>;
}

async function keysOf(store: RecordStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) keys.push(key);
  return keys.sort();
}

export const recordStoreContract: readonly RecordStoreCase[] = [
  {
    name: 'makes a record once, and reads it',
    async run(open) {
      const store = open();
      equal(await store.read('tables/a.json'), undefined, 'before');
      equal(await store.replace('tables/a.json', 'one', undefined), true, 'the first');
      equal(await open().replace('tables/a.json', 'two', undefined), false, 'the second');
      equal((await open().read('tables/a.json'))?.text, 'one', 'the text');
    },
  },
  {
    name: 'replaces what was read, and nothing else',
    async run(open) {
      const [one, two] = [open(), open()];
      await one.replace('k', 'a', undefined);
      const [first, second] = [await one.read('k'), await two.read('k')];
      equal(await one.replace('k', 'b', first?.tag), true, 'the first');
      equal(await two.replace('k', 'c', second?.tag), false, 'the second');
      const now = await two.read('k');
      equal(now?.text, 'b', 'the text');
      equal(await two.replace('k', 'b', now?.tag), true, 'the same text again');
      equal(await one.replace('k', 'd', now?.tag), false, 'a tag of before, the same text');
      equal(await one.replace('other', 'x', first?.tag), false, 'a tag of a record that is not there');
    },
  },
  {
    name: 'has one winner among many at the same time, and loses no count',
    async run(open) {
      await open().replace('counter', '0', undefined);
      const count = async () => {
        const store = open();
        for (let attempt = 0; ; attempt++) {
          if (attempt > 500) throw new Error('no end of losing');
          const read = await store.read('counter');
          if (await store.replace('counter', String(Number(read?.text) + 1), read?.tag)) return;
        }
      };
      await Promise.all(Array.from({ length: 8 }, () => count().then(count)));
      equal((await open().read('counter'))?.text, '16', 'the count');
    },
  },
  {
    name: 'lists and removes keys of any letters, long texts',
    async run(open) {
      const store = open();
      const keys = ['tables/ä b%2F.json', 'tables/..x.json', 'other'];
      const text = `${'ü'.repeat(50_000)}\nend`;
      for (const key of keys) await store.replace(key, text, undefined);
      equal((await open().read(keys[0]!))?.text, text, 'the text');
      equal(await keysOf(store, 'tables/'), [...keys.slice(0, 2)].sort(), 'keys');
      await store.remove(keys[0]!);
      await open().remove(keys[0]!);
      equal(await keysOf(open(), 'tables/'), [keys[1]], 'keys after a removal');
      equal(await store.replace(keys[0]!, 'again', undefined), true, 'made again');
    },
  },
];
