/** Runs in workerd: the body is `{ kind, index, servers }`, the answer '' or what went wrong, for `workerd.test.ts`. */
import * as delta from 'delta-kernel-web';
import * as catalogs from 'delta-kernel-web/catalog';
import * as r2 from 'delta-kernel-web/r2';
import * as unity from 'delta-kernel-web/unity';
import type * as CatalogEntry from '../../src/catalog.ts';
import type * as Delta from '../../src/index.ts';
import type * as UnityEntry from '../../src/unity.ts';
import { embeddedTables, type UnityServers, unityTables } from './catalogs.ts';
import { type ManagedTables, phases } from './phases.ts';

// The built package's types are a second copy of the sources' types.
const asDelta = delta as unknown as typeof Delta;
const asCatalog = catalogs as unknown as typeof CatalogEntry;
const asUnity = unity as unknown as typeof UnityEntry;

interface Environment {
  readonly BUCKET: r2.R2BucketLike & catalogs.R2RecordBucket;
}

export interface WorkerRun {
  readonly kind: 'memory' | 'r2' | 'unity';
  readonly index: number;
  readonly servers?: UnityServers | undefined;
}

function tablesOf({ kind, servers }: WorkerRun, { BUCKET }: Environment): ManagedTables {
  if (kind === 'unity') return unityTables(asDelta, asUnity, servers!);
  if (kind === 'r2') {
    const records = new asCatalog.R2RecordStore(BUCKET);
    const storage = new r2.R2StorageHandler(BUCKET) as unknown as Delta.StorageHandler;
    return embeddedTables(asDelta, asCatalog, { records, storage, root: 'r2://bucket/tables/' });
  }
  const records = new asCatalog.MemoryRecordStore();
  const storage = new asDelta.MemoryStorageHandler();
  return embeddedTables(asDelta, asCatalog, { records, storage, root: 'memory:///tables/' });
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const run = (await request.json()) as WorkerRun;
    try {
      await phases[run.index]!.run(tablesOf(run, environment));
      return new Response('');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
    }
  },
};
