/** Records in the browser's own storage, under a Web Lock that all pages and workers of the origin share. */
import { DeltaError } from '../../errors.ts';
import type { RecordStore, StoredRecord } from './record-store.ts';

export interface OpfsRecordOptions {
  /** Default `navigator.storage.getDirectory()`. */
  readonly root?: FileSystemDirectoryHandle;
  /** Folder of the records. */
  readonly directory?: string;
}

/** A record is a file whose first line is its tag; the file is replaced under the lock. */
export class OpfsRecordStore implements RecordStore {
  readonly #options: OpfsRecordOptions;
  readonly #name: string;

  constructor(options: OpfsRecordOptions = {}) {
    this.#options = options;
    this.#name = options.directory ?? '.delta-kernel-web-catalog';
  }

  read(key: string): Promise<StoredRecord | undefined> {
    return this.#locked(key, 'shared', (directory) => readRecord(directory, key));
  }

  replace(key: string, text: string, tag: string | undefined): Promise<boolean> {
    return this.#locked(key, 'exclusive', async (directory) => {
      if ((await readRecord(directory, key))?.tag !== tag) return false;
      const handle = await directory.getFileHandle(fileName(key), { create: true });
      // What is written shows when it is closed, whole.
      const file = await handle.createWritable();
      await file.write(`${globalThis.crypto.randomUUID()}\n${text}`);
      await file.close();
      return true;
    });
  }

  remove(key: string): Promise<void> {
    return this.#locked(key, 'exclusive', async (directory) => {
      await orMissing(directory.removeEntry(fileName(key)));
    });
  }

  async *keys(prefix: string): AsyncIterable<string> {
    const directory = await this.#directory();
    // TypeScript's library does not know the iteration of directories yet.
    const names = (directory as unknown as { keys(): AsyncIterable<string> }).keys();
    for await (const name of names) {
      const key = decodeURIComponent(name);
      if (key.startsWith(prefix)) yield key;
    }
  }

  async #locked<T>(
    key: string,
    mode: 'shared' | 'exclusive',
    run: (directory: FileSystemDirectoryHandle) => Promise<T>,
  ): Promise<T> {
    const locks = globalThis.navigator?.locks as LockManager | undefined;
    if (locks === undefined) throw unsupported('Web Locks');
    const name = `delta-kernel-web catalog ${this.#name} ${key}`;
    try {
      return await (locks.request(name, { mode }, async () => run(await this.#directory())) as Promise<T>);
    } catch (cause) {
      if (cause instanceof DeltaError) throw cause;
      const detail = cause instanceof Error ? `: ${cause.message}` : '';
      throw new DeltaError('IOError', `the record ${key} could not be reached${detail}`, {
        path: key,
        cause,
      });
    }
  }

  async #directory(): Promise<FileSystemDirectoryHandle> {
    const storage = globalThis.navigator?.storage as StorageManager | undefined;
    if (this.#options.root === undefined && storage?.getDirectory === undefined) {
      throw unsupported('an origin private file system (pages need https for it)');
    }
    const root = this.#options.root ?? (await storage!.getDirectory());
    return root.getDirectoryHandle(this.#name, { create: true });
  }
}

async function readRecord(
  directory: FileSystemDirectoryHandle,
  key: string,
): Promise<StoredRecord | undefined> {
  const handle = await orMissing(directory.getFileHandle(fileName(key)));
  const content = await (await (handle && orMissing(handle.getFile())))?.text();
  // A file that was made and never written, by a page that was closed: no record yet.
  if (!content) return undefined;
  const end = content.indexOf('\n');
  return { tag: content.slice(0, end), text: content.slice(end + 1) };
}

function fileName(key: string): string {
  return encodeURIComponent(key);
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if ((error as { name?: unknown }).name === 'NotFoundError') return undefined;
    throw error;
  }
}

function unsupported(what: string): DeltaError {
  return new DeltaError('Unsupported', `this browser lacks ${what}, which a catalog in it needs`);
}
