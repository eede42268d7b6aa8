/** Builds the inspector's service worker, which must know all files of the page and their version. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shell.mjs';

/**
 * @param outdir the page, complete but for this.
 * @param files its {@link pageFiles}.
 */
export async function buildServiceWorker(outdir, files) {
  const { build } = await import('esbuild');
  const names = [...files.first, ...files.later, ...files.large];
  const samples = readdirSync(join(outdir, 'samples'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const facts = {
    ...files,
    version: hash(names.map((name) => join(outdir, name))),
    samples: hash(samples),
  };
  await build({
    entryPoints: { 'service-worker': join(root, 'web-demo/src/service-worker/service-worker.ts') },
    outdir,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    define: { BUILD: JSON.stringify(facts) },
    logLevel: 'warning',
  });
}

function hash(files) {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(file)).update('\0');
  return digest.digest('hex').slice(0, 16);
}
