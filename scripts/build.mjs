/**
 * Builds the package into `dist/`: WASM, JavaScript, types. Skipped where nothing changed.
 *
 *   node scripts/build.mjs            build if anything changed
 *   node scripts/build.mjs --force    build in any case
 *   node scripts/build.mjs --sizes    and print the sizes
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wasmFile } from './build-wasm.mjs';
import { hashFiles, main, root, run, SetupError, say } from './lib/shell.mjs';
import { setup } from './setup.mjs';

const dist = join(root, 'dist');
const stamp = join(root, '.cache/build.stamp');
const INPUTS = [
  'src',
  'esbuild.config.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];
const WASM_TYPES = 'declare const module: WebAssembly.Module;\nexport default module;\n';

/** Brings `dist/` up to date. */
export async function buildPackage({ force = false, sizes = false } = {}) {
  setup('npm', 'wasm');
  const key = hashFiles(INPUTS.map((input) => join(root, input)));
  const upToDate = existsSync(dist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key;
  if (!upToDate || force) {
    say('bundling');
    await bundle();
    mkdirSync(join(stamp, '..'), { recursive: true });
    writeFileSync(stamp, key);
    sizes = true;
  }
  if (sizes) await (await import('./lib/sizes.mjs')).printSizes();
}

async function bundle() {
  // Imported late: it needs node_modules.
  const { buildLibrary, entries, cli } = await import('../esbuild.config.mjs');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  checkExports(manifest, { ...entries, ...cli });
  rmSync(dist, { recursive: true, force: true });
  await buildLibrary(dist).catch((error) => {
    if (error.errors === undefined) throw error;
    throw new SetupError('bundling failed: esbuild says why above');
  });
  cpSync(wasmFile, join(dist, 'delta_kernel_web.wasm'));
  writeFileSync(join(dist, 'delta_kernel_web.wasm.d.ts'), WASM_TYPES);
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
  const missing = targets(manifest).filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0)
    throw new SetupError(`package.json names files that were not built: ${missing.join(', ')}`);
}

/** Every script that package.json names is an entry, and every entry is named. */
function checkExports(manifest, entries) {
  const named = new Set(targets(manifest).filter((file) => file.endsWith('.js')));
  const built = new Set(Object.keys(entries).map((name) => `./dist/${name}.js`));
  const differing = [...named]
    .filter((file) => !built.has(file))
    .concat([...built].filter((file) => !named.has(file)));
  if (differing.length > 0) {
    throw new SetupError(`package.json and esbuild.config.mjs disagree about: ${differing.join(', ')}`);
  }
}

function targets(manifest) {
  const leaves = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(leaves));
  return [...new Set([...leaves(manifest.exports), ...leaves(manifest.bin)])];
}

await main(import.meta.url, (args) =>
  buildPackage({ force: args.includes('--force'), sizes: args.includes('--sizes') }),
);
