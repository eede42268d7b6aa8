/** Tables and folders for the tests of the inspector. */
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The tables that come with the inspector. */
export const samples = fileURLToPath(new URL('../../web-demo/samples', import.meta.url));

/**
 * A script for the page that stands in for the browser's dialog and for a file manager: a copy of the sample
 * `customers` in the browser's own storage is picked by `showDirectoryPicker()`, or dropped.
 */
export async function makingFolders(): Promise<string> {
  const found = await readdir(join(samples, 'customers'), { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(samples, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return `const paths = ${JSON.stringify(paths)};
    const read = async (path) => (await fetch('samples/' + path)).arrayBuffer();
    const find = async (path, options) => {
      let folder = await navigator.storage.getDirectory();
      const names = path.split('/');
      for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, options);
      return folder[paths.includes(path) ? 'getFileHandle' : 'getDirectoryHandle'](names.at(-1), options);
    };
    const fill = async () => {
      for (const path of paths) {
        const file = await (await find(path, { create: true })).createWritable();
        await file.write(await read(path));
        await file.close();
      }
    };
    globalThis.makeFolders = fill;
    globalThis.showDirectoryPicker = async () => {
      await fill();
      return find('customers');
    };
    const drop = (item) => {
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: { items: [item] } });
      document.querySelector('main').dispatchEvent(event);
    };
    globalThis.dropHandle = async (path) => {
      await fill();
      drop({ getAsFileSystemHandle: () => find(path) });
    };
    globalThis.dropEntry = async (path) => {
      const call = (target, method, ...args) => new Promise((ok, no) => target[method](...args, ok, no));
      const { root } = await call(globalThis, 'webkitRequestFileSystem', 0, 2 ** 24);
      for (const path of paths) {
        const names = path.split('/');
        let folder = root;
        for (const name of names.slice(0, -1)) folder = await call(folder, 'getDirectory', name, { create: true });
        const entry = await call(folder, 'getFile', names.at(-1), { create: true });
        const writer = await new Promise((ok, no) => entry.createWriter(ok, no));
        const bytes = await read(path);
        await new Promise((ok, no) => {
          writer.onwriteend = ok;
          writer.onerror = no;
          writer.write(new Blob([bytes]));
        });
      }
      const entry = await call(root, 'getDirectory', path, {});
      drop({ webkitGetAsEntry: () => entry });
    };`;
}

/** A copy of the sample `trips`, and tables that cannot be opened. */
export async function writeTables(tables: string): Promise<void> {
  await cp(join(samples, 'trips'), join(tables, 'trips'), { recursive: true });
  const metaData = {
    id: 'a',
    format: { provider: 'parquet', options: {} },
    schemaString: '{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}',
    partitionColumns: [],
    configuration: {},
  };
  for (const [name, feature] of [
    ['unknown-feature', 'hyperdrive'],
    ['catalog-managed', 'catalogManaged'],
  ] as const) {
    const features = { readerFeatures: [feature], writerFeatures: [feature] };
    const protocol = { minReaderVersion: 3, minWriterVersion: 7, ...features };
    await mkdir(join(tables, name, '_delta_log'), { recursive: true });
    const lines = [{ protocol }, { metaData }].map((action) => `${JSON.stringify(action)}\n`);
    await writeFile(join(tables, name, '_delta_log/00000000000000000000.json'), lines.join(''));
  }
}
