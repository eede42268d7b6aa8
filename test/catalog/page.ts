/** Runs in a page or its worker: `runPhases(kind, index, servers)` rejects with what went wrong. */
import * as delta from 'delta-kernel-web';
import * as catalogs from 'delta-kernel-web/catalog';
import * as opfs from 'delta-kernel-web/opfs';
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

export type Kind = 'memory' | 'opfs' | 'unity';

const kinds: Readonly<Record<Kind, (servers: UnityServers | undefined) => ManagedTables>> = {
  memory: () => {
    const records = new asCatalog.MemoryRecordStore();
    const storage = new asDelta.MemoryStorageHandler();
    return embeddedTables(asDelta, asCatalog, { records, storage, root: 'memory:///tables/' });
  },
  opfs: () => {
    // Page and worker have one storage.
    const place = globalThis.document === undefined ? 'worker' : 'page';
    const records = new asCatalog.OpfsRecordStore({ directory: `catalog of ${place}` });
    const storage = new opfs.OpfsStorageHandler() as unknown as Delta.StorageHandler;
    return embeddedTables(asDelta, asCatalog, { records, storage, root: `opfs:///${place}/` });
  },
  unity: (servers) => unityTables(asDelta, asUnity, servers!),
};

type Run = (kind: Kind, index: number, servers: UnityServers | undefined) => Promise<void>;

declare global {
  var runPhases: Run;
  var runPhasesInWorker: Run;
}

globalThis.runPhases = (kind, index, servers) => phases[index]!.run(kinds[kind](servers));

/** The same script in a worker of the page, which has no DOM. */
globalThis.runPhasesInWorker = (...run) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => (data === '' ? resolve() : reject(new Error(String(data))));
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(run);
  });

if (globalThis.document === undefined) {
  globalThis.onmessage = ({ data }: MessageEvent<Parameters<Run>>) =>
    runPhases(...data).then(
      () => postMessage(''),
      (error: unknown) =>
        postMessage(error instanceof Error ? `${error.message}\n${error.stack}` : String(error)),
    );
}
