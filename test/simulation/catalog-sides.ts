/** Catalogs with one table for the simulation, reached through requests that are late, fail, get lost or come twice. */
import { CatalogCommitter } from '../../src/catalog/catalog-committer.ts';
import { EmbeddedCatalog } from '../../src/catalog/embedded/embedded-catalog.ts';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import type { RecordStore } from '../../src/catalog/embedded/record-store.ts';
import type { CatalogTable } from '../../src/catalog/staged-commit.ts';
import { UnityRestClient } from '../../src/catalog/unity/rest-client.ts';
import { UCCommitter } from '../../src/catalog/unity/uc-committer.ts';
import { DeltaError } from '../../src/errors.ts';
import type { Committer } from '../../src/kernel/committer/committer.ts';
import type { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { catalogState } from '../../src/table/managed-table.ts';
import { putVersion0 } from '../helpers/managed-table.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { unityTable } from '../helpers/uc-stub/table.ts';
import type { CatalogSide } from './catalog-writer.ts';
import { Crash, type FaultRates } from './faulty-storage.ts';
import type { Chance, Scheduler, SimulatedRuntime } from './scheduler.ts';

/** What a mutant puts in place of the code that is simulated. */
export interface CatalogMutant {
  readonly committer?: (table: CatalogTable) => Committer;
  readonly records?: (records: RecordStore) => RecordStore;
}

export interface World {
  readonly mutant: CatalogMutant;
  readonly chance: Chance;
  readonly scheduler: Scheduler;
  readonly rates: FaultRates;
  readonly storage: MemoryStorageHandler;
}

/** A catalog with one table, as its writers reach it and as it is. */
export interface Catalog {
  side(): CatalogSide;
  /** The file that is each version, as the catalog has it now, without faults. */
  listed(): readonly { readonly version: number; readonly fileName: string }[];
  latestVersion(): number;
  publishedVersion(): number;
}

/** One request: late, failed, answered to nobody, or served twice. */
async function faulty<T>(
  { chance, scheduler, rates }: World,
  what: string,
  serve: () => Promise<T>,
): Promise<T> {
  const lost = () => new TypeError(`simulated: ${what}`);
  await scheduler.step();
  if (chance.happens(rates.crash)) throw new Crash(what);
  if (chance.happens(rates.before)) throw lost();
  let answer = await serve();
  if (chance.happens(rates.twice)) {
    await scheduler.step();
    answer = await serve();
  }
  await scheduler.step();
  if (chance.happens(rates.crash)) throw new Crash(what);
  if (chance.happens(rates.after)) throw lost();
  return answer;
}

export async function unityCatalog(
  world: World,
  runtime: SimulatedRuntime,
): Promise<Catalog & { root: URL }> {
  const options = { now: () => 1_700_000_000_000, uuid: () => runtime.uuid() };
  const { stub, name, tableId, tableRoot } = await unityTable(options, world.storage);
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { method = 'GET', headers, body } = init ?? {};
    const answer = await faulty(world, method, () => {
      return stub.answer(method, new URL(input.toString()), new Headers(headers), String(body ?? ''));
    });
    if (answer === 'drop') throw new TypeError('dropped');
    const { status, body: text = '' } = answer;
    // As much of a response as the client looks at, without a stream, whose steps are not the scheduler's.
    return { status, ok: status < 300, type: 'basic', text: async () => text } as Response;
  };
  const table = () => stub.table('cat', 'sch', 't');
  return {
    root: tableRoot,
    side: () => {
      const client = new UnityRestClient({
        url: 'http://uc',
        fetch: send,
        random: () => 0,
        sleep: () => world.scheduler.step(),
      });
      return {
        root: tableRoot,
        committer: () => new UCCommitter({ client, name, tableId }),
        state: async () => catalogState(tableRoot, await client.loadTable(name)),
      };
    },
    listed: () => table().rows.map((row) => ({ version: row.version, fileName: row['file-name'] })),
    latestVersion: () => table().rows.at(-1)?.version ?? 0,
    publishedVersion: () => table().published,
  };
}

export async function embeddedCatalog(world: World): Promise<Catalog & { root: URL }> {
  const root = new URL('memory:///t/');
  const engine = testEngine(world.storage);
  await putVersion0(engine, root);
  const { records: replaced = (same) => same, committer } = world.mutant;
  const records = replaced(new MemoryRecordStore());
  await new EmbeddedCatalog(records).register('t', 'id', root);
  let record = { latestVersion: 0, unpublished: [] as { version: number; fileName: string }[] };
  const io = async <T>(what: string, serve: () => Promise<T>): Promise<T> => {
    try {
      return await faulty(world, what, serve);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new DeltaError('IOError', cause.message, { cause });
    }
  };
  const failing: RecordStore = {
    read: (key) => io('read', () => records.read(key)),
    replace: (key, text, tag) =>
      io('replace', async () => {
        const replaced = await records.replace(key, text, tag);
        if (replaced) record = JSON.parse(text);
        return replaced;
      }),
    remove: (key) => records.remove(key),
    keys: (prefix) => records.keys(prefix),
  };
  return {
    root,
    side: () => {
      const catalog = new EmbeddedCatalog(failing);
      return {
        root,
        committer: () => (committer ?? real)(catalog.table('t', 'id')),
        state: async () => catalogState(root, await catalog.load('t')),
      };
    },
    listed: () => record.unpublished,
    latestVersion: () => record.latestVersion,
    publishedVersion: () => record.latestVersion - record.unpublished.length,
  };
}

function real(table: CatalogTable): Committer {
  return new CatalogCommitter(table);
}
