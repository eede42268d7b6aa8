/** The writer as an application would ship it, over the built package. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** `test/race/<entry>` with all that it imports in one script. */
export async function browserBundle(entry: string, conditions: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(checkout, 'test/race', entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: [...conditions],
    external: ['*.wasm'],
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}

/** A script for Node in `dir`, which must lie in the checkout: packages are resolved from there. */
export async function nodeBundle(entry: string, dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  const outfile = join(dir, entry.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(checkout, 'test/race', entry)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}
