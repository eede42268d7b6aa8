/** Runs cases of the storage contract inside a page; `globalThis.runStorageCase` resolves to '' or what went wrong. */
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { DirectoryStorageHandler } from '../../../src/storage/directory.ts';
import { HttpStorageHandler } from '../../../src/storage/http.ts';
import { OpfsStorageHandler } from '../../../src/storage/opfs.ts';
import { type StorageUnderTest, storageContract } from '../storage-contract.ts';

const subjects: Record<string, (index: number, argument: string) => Promise<StorageUnderTest>> = {
  async opfs(index) {
    return { storage: new OpfsStorageHandler(), root: new URL(`opfs:///case%20${index}/100%25/`) };
  },

  async picked(index) {
    const top = await navigator.storage.getDirectory();
    const handle = await top.getDirectoryHandle(`picked 100% ${index}`, { create: true });
    const storage = new DirectoryStorageHandler(handle, { writable: true });
    return { storage, root: storage.root };
  },

  async dropped(index) {
    const top = await legacyFileSystem();
    const folder = await entryOf<FileSystemDirectoryEntry>((ok, no) =>
      top.getDirectory(`dropped 100% ${index}`, { create: true }, ok as FileSystemEntryCallback, no),
    );
    const storage = new DirectoryStorageHandler(folder);
    return { storage, root: storage.root, seed: (name, bytes) => writeEntry(folder, name, bytes) };
  },

  async input() {
    const files: File[] = [listedFile('.keep', new Uint8Array(0))];
    const make = () => new DirectoryStorageHandler(files);
    return {
      storage: lazily(make),
      root: new URL('my%20table/', make().root),
      seed: async (name, bytes) => {
        files.push(listedFile(`my table/${name}`, bytes));
      },
    };
  },

  async http(index, server) {
    const root = new URL(`${server}case%20${index}/t/`);
    return {
      storage: new HttpStorageHandler(),
      root,
      async seed(name, bytes) {
        const query = new URLSearchParams({ seed: `case ${index}/t/${name}` });
        await fetch(`/?${query}`, { method: 'POST', body: bytes as Uint8Array<ArrayBuffer> });
      },
    };
  },
};

async function runStorageCase(kind: string, index: number, argument: string): Promise<string> {
  try {
    const subject = await subjects[kind]!(index, argument);
    await storageContract[index]!.run(subject);
    return '';
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}

/** How many of `count` writers of one path, here, won: with other pages doing the same, one in all. */
async function raceInOpfs(name: string, count: number): Promise<number> {
  const storage = new OpfsStorageHandler();
  const location = new URL(`opfs:///races/${name}`);
  const bodies = Array.from({ length: count }, (_, index) => new Uint8Array(1_000 + index));
  const outcomes = await Promise.allSettled(
    bodies.map((body) => storage.put(location, body, { overwrite: false })),
  );
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

async function headOrError(href: string): Promise<string> {
  return new HttpStorageHandler().head(new URL(href)).then(
    ({ size }) => `size ${size}`,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

/** What is in the folder that the page's input holds: `path: text`. */
async function readInput(): Promise<string[]> {
  const storage = new DirectoryStorageHandler(document.querySelector('input')!.files!);
  const found: string[] = [storage.root.href];
  for await (const file of storage.listRecursive(storage.root)) {
    for await (const bytes of storage.readFiles([file])) {
      found.push(`${decodeURIComponent(file.location.pathname)}: ${new TextDecoder().decode(bytes)}`);
    }
  }
  const put = storage.put(new URL('x', storage.root), new Uint8Array(0), { overwrite: true });
  found.push(
    await put.then(
      () => 'written',
      (error: { code: string }) => error.code,
    ),
  );
  return found;
}

Object.assign(globalThis, { runStorageCase, raceInOpfs, headOrError, readInput });

function listedFile(name: string, bytes: Uint8Array): File {
  const file = new File([bytes as Uint8Array<ArrayBuffer>], name.slice(name.lastIndexOf('/') + 1));
  return Object.defineProperty(file, 'webkitRelativePath', { value: `my folder/${name}` });
}

/** A handler over the files of the moment, since a list of files does not grow. */
function lazily(make: () => StorageHandler): StorageHandler {
  return {
    listFrom: (path, options) => make().listFrom(path, options),
    readFiles: (files, options) => make().readFiles(files, options),
    copyAtomic: (source, destination, options) => make().copyAtomic(source, destination, options),
    put: (path, data, options) => make().put(path, data, options),
    head: (path, options) => make().head(path, options),
    listRecursive: (prefix, options) => make().listRecursive!(prefix, options),
  };
}

/** Entries as a drop gives them, from the sandbox where a script may make some. */
function legacyFileSystem(): Promise<FileSystemDirectoryEntry> {
  type Request = (
    type: number,
    size: number,
    done: (system: FileSystem) => void,
    no: (e: unknown) => void,
  ) => void;
  const { webkitRequestFileSystem } = globalThis as unknown as { webkitRequestFileSystem: Request };
  return new Promise((resolve, reject) => {
    webkitRequestFileSystem(0, 2 ** 24, ({ root }) => resolve(root), reject);
  });
}

function entryOf<T>(open: (done: (entry: T) => void, failed: ErrorCallback) => void): Promise<T> {
  return new Promise((resolve, reject) => open(resolve, reject));
}

async function writeEntry(top: FileSystemDirectoryEntry, name: string, bytes: Uint8Array): Promise<void> {
  const segments = name.split('/');
  let directory = top;
  for (const segment of segments.slice(0, -1)) {
    const parent = directory;
    directory = await entryOf<FileSystemDirectoryEntry>((ok, no) =>
      parent.getDirectory(segment, { create: true }, ok as FileSystemEntryCallback, no),
    );
  }
  const file = await entryOf<FileSystemEntry>((ok, no) =>
    directory.getFile(segments.at(-1)!, { create: true }, ok as FileSystemEntryCallback, no),
  );
  interface Writer {
    write(data: Blob): void;
    onwriteend: () => void;
    onerror: (error: unknown) => void;
  }
  const { createWriter } = file as unknown as {
    createWriter(ok: (writer: Writer) => void, no: ErrorCallback): void;
  };
  const writer = await entryOf<Writer>((ok, no) => createWriter.call(file, ok, no));
  await new Promise<void>((resolve, reject) => {
    writer.onwriteend = resolve;
    writer.onerror = reject;
    writer.write(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  });
}
