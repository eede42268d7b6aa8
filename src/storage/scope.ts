/** A storage that stays where it was allowed to be, whatever paths a log holds. */
import { DeltaError, shownUrl } from '../errors.ts';
import { directoryPath, relativePath, type StorageHandler } from '../kernel/engine.ts';
import { forward } from './forward.ts';

/** Everything outside the `roots` (directories) is `InvalidPath`, before any request is made. */
export function withScope(inner: StorageHandler, roots: readonly URL[]): StorageHandler {
  const allow = (location: URL): URL => {
    if (roots.some((root) => isWithin(root, location))) return location;
    const message =
      `${shownUrl(location)} lies outside ${roots.map(shownUrl).join(', ')}: ` +
      'a table that refers to files elsewhere needs their place to be allowed';
    throw new DeltaError('InvalidPath', message, { path: shownUrl(location) });
  };
  return forward(inner, {
    async *listFrom(path, options) {
      yield* inner.listFrom(allow(path), options);
    },
    async *readFiles(files, options) {
      for (const { location } of files) allow(location);
      yield* inner.readFiles(files, options);
    },
    copyAtomic: async (source, destination, options) =>
      inner.copyAtomic(allow(source), allow(destination), options),
    put: async (path, data, options) => inner.put(allow(path), data, options),
    head: async (path, options) => inner.head(allow(path), options),
    delete: async (path, options) => inner.delete!(allow(path), options),
    async *listRecursive(prefix, options) {
      yield* inner.listRecursive!(allow(prefix), options);
    },
  });
}

function isWithin(root: URL, location: URL): boolean {
  if (relativePath(root, location) !== undefined) return true;
  const isSameHost = location.protocol === root.protocol && location.host === root.host;
  return isSameHost && directoryPath(location) === directoryPath(root);
}
