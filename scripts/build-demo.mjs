/**
 * Builds the inspector into `web-demo/dist/`: a folder of static files that any web server can host.
 * It imports the built package through `delta-kernel-web`, as any application would.
 */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from './build.mjs';
import { main, root, say } from './lib/shell.mjs';

const source = join(root, 'web-demo');
export const demoDir = join(source, 'dist');

/** @returns the folder. */
export async function buildDemo() {
  await buildPackage();
  const { build } = await import('esbuild');
  say('bundling the inspector');
  rmSync(demoDir, { recursive: true, force: true });
  mkdirSync(demoDir, { recursive: true });
  await build({
    entryPoints: {
      main: join(source, 'src/main.tsx'),
      'table-worker': join(source, 'src/worker/table-worker.ts'),
    },
    outdir: demoDir,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    mainFields: ['browser', 'module', 'main'],
    chunkNames: 'chunk-[hash]',
    minify: true,
    sourcemap: true,
    tsconfig: join(source, 'tsconfig.json'),
    logLevel: 'warning',
  });
  for (const name of ['index.html', 'style.css', 'samples']) {
    if (existsSync(join(source, name))) cpSync(join(source, name), join(demoDir, name), { recursive: true });
  }
  // esbuild leaves `new URL('./delta_kernel_web.wasm', import.meta.url)` as it is: the file goes beside the scripts.
  cpSync(join(root, 'dist/delta_kernel_web.wasm'), join(demoDir, 'delta_kernel_web.wasm'));
  return demoDir;
}

await main(import.meta.url, buildDemo);
