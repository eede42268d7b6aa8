import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Bundles `test/runtime/<entry>` into `outdir/main.js` as an application would that resolves the built package under
 * `conditions`, and puts the WASM beside it.
 */
export async function bundleFor(entry: string, conditions: string[], outdir: string): Promise<void> {
  await mkdir(outdir, { recursive: true });
  await build({
    entryPoints: { main: join(checkout, 'test/runtime', entry) },
    outdir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions,
    mainFields: ['module', 'main'],
    external: ['*.wasm'],
    logLevel: 'warning',
    // Chunks of the package hold no effects: leaving out a bare import of one is right.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  await copyFile(join(checkout, 'dist/delta_kernel_web.wasm'), join(outdir, 'delta_kernel_web.wasm'));
}
