/** Tables of local folders as tables in memory, to be written to. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { locationOf } from '../../src/kernel/engine.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';

export interface MemoryCopy {
  readonly storage: MemoryStorageHandler;
  readonly root: URL;
}

/** @param only which files, by their path in the table with `/`; all by default. */
export function copyToMemory(dir: string, only: (path: string) => boolean = () => true): MemoryCopy {
  let time = 0;
  const storage = new MemoryStorageHandler({ now: () => time });
  const root = new URL('memory:///t/');
  for (const file of filesBelow(dir)) {
    const path = relative(dir, file).split(sep).join('/');
    if (!only(path)) continue;
    time = Math.floor(statSync(file).mtimeMs);
    storage.set(locationOf(root, `/t/${path}`), readFileSync(file));
  }
  return { storage, root };
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}
