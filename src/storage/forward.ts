/** The common part of wrappers: a storage that does what another does, except for the given methods. */
import type { StorageHandler } from '../kernel/engine.ts';

/** A method that `inner` lacks stays lacking, whatever `changes` says. */
export function forward(inner: StorageHandler, changes: Partial<StorageHandler>): StorageHandler {
  const storage: StorageHandler = {
    listFrom: (path, options) => inner.listFrom(path, options),
    readFiles: (files, options) => inner.readFiles(files, options),
    copyAtomic: (source, destination, options) => inner.copyAtomic(source, destination, options),
    put: (path, data, options) => inner.put(path, data, options),
    head: (path, options) => inner.head(path, options),
    ...changes,
  };
  if (inner.delete) storage.delete ??= (path, options) => inner.delete!(path, options);
  else delete storage.delete;
  if (inner.listRecursive)
    storage.listRecursive ??= (prefix, options) => inner.listRecursive!(prefix, options);
  else delete storage.listRecursive;
  return storage;
}
