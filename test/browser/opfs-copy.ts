/** Tables in a page's own storage, copied to a folder of this machine: to be read outside of the page. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';

/** All files below a folder of the page's storage, by path. */
async function filesIn(page: Page, folder: string): Promise<[path: string, base64: string][]> {
  return page.evaluate(async (name) => {
    let directory = await navigator.storage.getDirectory();
    for (const part of name.split('/')) directory = await directory.getDirectoryHandle(part);
    const found: [string, string][] = [];
    const walk = async (at: FileSystemDirectoryHandle, prefix: string): Promise<void> => {
      const entries = (at as unknown as { entries(): AsyncIterable<[string, FileSystemHandle]> }).entries();
      for await (const [entry, handle] of entries) {
        if (handle.kind === 'directory')
          await walk(handle as FileSystemDirectoryHandle, `${prefix}${entry}/`);
        else {
          const bytes = new Uint8Array(
            await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer(),
          );
          let text = '';
          for (const byte of bytes) text += String.fromCharCode(byte);
          found.push([prefix + entry, btoa(text)]);
        }
      }
    };
    await walk(directory, '');
    return found;
  }, folder);
}

/** @returns the paths that were copied, sorted. */
export async function copyFromOpfs(page: Page, folder: string, to: string): Promise<string[]> {
  const files = await filesIn(page, folder);
  for (const [path, base64] of files) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), Buffer.from(base64, 'base64'));
  }
  return files.map(([path]) => path).sort();
}
