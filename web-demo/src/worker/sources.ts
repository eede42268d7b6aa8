/** From what a person chose to a table in a storage. */
import { HttpStorageHandler, type StoredTable } from 'delta-kernel-web';
import { DirectoryStorageHandler } from 'delta-kernel-web/directory';
import type { Source } from './protocol.ts';

/** Every call makes a storage of its own, so that nothing of a closed table stays in memory. */
export function locate(source: Source): StoredTable {
  if (source.kind === 'url') {
    // Other schemes go to the package without a storage: it says which ones it knows.
    const isHttp = /^https?:/i.test(source.url);
    return isHttp ? { url: source.url, storage: new HttpStorageHandler() } : { url: source.url };
  }
  const storage = new DirectoryStorageHandler(
    source.kind === 'directory' ? source.handle : filesOf(source.name, source.files),
  );
  return { url: storage.root, storage };
}

/** Dropped files have no relative path, and not every browser keeps it when a file is sent to a worker. */
function filesOf(folder: string, files: readonly { path: string; file: File }[]): File[] {
  return files.map(({ path, file }) =>
    Object.defineProperty(file, 'webkitRelativePath', { value: `${folder}/${path}` }),
  );
}
