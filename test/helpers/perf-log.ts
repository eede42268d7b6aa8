/** The log of 300,000 files of the shared corpus, unpacked once per machine, outside of the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decompress } from 'fzstd';
import { sharedDir } from './shared.ts';

const NAME = '300k-add-files-100-col-partitioned';

/** URL of the table, undefined where the corpus is absent. */
export function perfLog(): URL | undefined {
  const shared = sharedDir();
  if (shared === undefined) return undefined;
  const cache = join(tmpdir(), 'delta-kernel-web-corpus');
  const table = join(cache, NAME);
  if (!existsSync(table)) unpack(join(shared, 'corpus/perf', `${NAME}.tar.zst`), cache, table);
  return pathToFileURL(`${table}/`);
}

/** Whole or not at all, since several test runs may do it at once. */
function unpack(archive: string, cache: string, table: string): void {
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'unpacking-'));
  try {
    execFileSync('tar', ['-x', '-C', scratch], { input: decompress(readFileSync(archive)) });
    renameSync(join(scratch, NAME), table);
  } catch (error) {
    if (!existsSync(table)) throw error;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
