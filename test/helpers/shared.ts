/**
 * The shared corpus: tables of other engines, too large for this repository, in a folder `shared` beside the
 * checkout (or where `DELTA_SHARED_DIR` says).
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The folder, or undefined where there is none: then tests over it skip with {@link sharedMissing} as the reason.
 * In CI (`CI` set) its absence is an error, so that a run without the corpus cannot pass for a full one.
 */
export function sharedDir(): string | undefined {
  const dir = process.env.DELTA_SHARED_DIR ?? resolve(checkout, '../shared');
  if (existsSync(resolve(dir, 'corpus'))) return dir;
  if (process.env.CI) throw new Error(`${sharedMissing}, and CI is set`);
  return undefined;
}

export const sharedMissing = 'the shared corpus is not beside the checkout';
