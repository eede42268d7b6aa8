/** Runs in a page: `runPhases(kind, index, servers)` rejects with what went wrong, for `chromium.test.ts`. */
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
    const records = new asCatalog.OpfsRecordStore();
    const storage = new opfs.OpfsStorageHandler() as unknown as Delta.StorageHandler;
    return embeddedTables(asDelta, asCatalog, { records, storage, root: 'opfs:///tables/' });
  },
  unity: (servers) => unityTables(asDelta, asUnity, servers!),
};

declare global {
  var runPhases: (kind: Kind, index: number, servers: UnityServers | undefined) => Promise<void>;
}

globalThis.runPhases = (kind, index, servers) => phases[index]!.run(kinds[kind](servers));
