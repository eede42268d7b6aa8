/**
 * From a table's address to its storage. Schemes are pluggable: an entry point for a platform registers what only
 * that platform has (local files in Node), so that nobody loads what they cannot use.
 */
import { DeltaError } from '../errors.ts';
import type { StorageHandler } from '../kernel/engine.ts';
import { HttpStorageHandler } from '../storage/http.ts';
import { MemoryStorageHandler } from '../storage/memory.ts';
import { tableUrl } from '../storage/table-url.ts';

/** Makes the storage of a scheme; called once per scheme, when it is first needed. */
export type StorageFactory = () => StorageHandler | Promise<StorageHandler>;

const factories = new Map<string, StorageFactory>();
const storages = new Map<string, Promise<StorageHandler>>();
let workingDirectory: (() => URL) | undefined;

registerStorage(['http:', 'https:'], () => new HttpStorageHandler());
registerStorage(['memory:'], () => new MemoryStorageHandler());

/** Lets `DeltaTable.open('<scheme>…')` find a storage. `schemes` end in a colon. A later call replaces an earlier one. */
export function registerStorage(schemes: readonly string[], factory: StorageFactory): void {
  // All schemes of a call share one storage.
  let made: Promise<StorageHandler> | undefined;
  for (const scheme of schemes) {
    factories.set(scheme, () => {
      made ??= Promise.resolve(factory());
      return made;
    });
    storages.delete(scheme);
  }
}

/** Lets `DeltaTable.open` take paths of this machine; `cwd` gives the `file:` URL that relative ones start from. */
export function registerPaths(cwd: () => URL): void {
  workingDirectory = cwd;
}

/** The URL of a table's folder, ending in `/`, of a URL or, where paths are registered, of a path. */
export function tableLocation(location: string | URL): URL {
  return tableUrl(location, { cwd: workingDirectory?.() });
}

/** The storage that is registered for a URL's scheme; `InvalidUrl` where there is none. */
export function storageFor(url: URL): Promise<StorageHandler> {
  const { protocol } = url;
  const factory = factories.get(protocol);
  if (factory === undefined) {
    const known = [...factories.keys()].map((scheme) => scheme.slice(0, -1)).join(', ');
    throw new DeltaError(
      'InvalidUrl',
      `no storage is known for ${protocol} URLs (known: ${known}): pass { storage, url }`,
    );
  }
  let storage = storages.get(protocol);
  if (storage === undefined) {
    storage = Promise.resolve(factory());
    storages.set(protocol, storage);
    storage.catch(() => storages.delete(protocol));
  }
  return storage;
}
