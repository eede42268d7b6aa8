/** Runs cases of the contract for record stores in a page, over its own storage. */
import { OpfsRecordStore } from '../../../src/catalog/embedded/opfs-records.ts';
import { recordStoreContract } from '../record-store-contract.ts';

async function runRecordCase(index: number): Promise<string> {
  try {
    await recordStoreContract[index]!.run(() => new OpfsRecordStore({ directory: `case ${index}` }));
    return '';
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}

/** Adds one to a counter `times` times, against whoever else does. */
async function countUp(times: number): Promise<void> {
  const store = new OpfsRecordStore({ directory: 'counters' });
  for (let done = 0; done < times; ) {
    const read = await store.read('shared');
    if (await store.replace('shared', String(Number(read?.text ?? 0) + 1), read?.tag)) done++;
  }
}

async function counted(): Promise<string | undefined> {
  return (await new OpfsRecordStore({ directory: 'counters' }).read('shared'))?.text;
}

Object.assign(globalThis, { runRecordCase, countUp, counted });
