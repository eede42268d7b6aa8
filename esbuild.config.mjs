/**
 * The library's bundle: one entry per thing that a user picks, what they share in common chunks, packages and WASM
 * left outside. `scripts/build.mjs` runs it and refuses a `package.json` whose exports say otherwise.
 */
import { build } from 'esbuild';

/** Output name → source. The root and the catalogs have one entry per way of loading the WASM; `slim` has none. */
export const entries = {
  'index.browser': 'src/index.browser.ts',
  'index.node': 'src/index.node.ts',
  'index.workerd': 'src/index.workerd.ts',
  slim: 'src/index.ts',
  s3: 'src/storage/s3.ts',
  r2: 'src/storage/r2.ts',
  opfs: 'src/storage/opfs.ts',
  directory: 'src/storage/directory.ts',
  node: 'src/storage/node.ts',
  testing: 'src/testing.ts',
  'unity.browser': 'src/unity.browser.ts',
  'unity.node': 'src/unity.node.ts',
  'unity.workerd': 'src/unity.workerd.ts',
  'catalog.browser': 'src/catalog.browser.ts',
  'catalog.node': 'src/catalog.node.ts',
  'catalog.workerd': 'src/catalog.workerd.ts',
};

/** The command line is bundled by itself, so that the library's chunks stay free of it. */
export const cli = { cli: 'src/cli/main.ts' };

const common = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  external: ['node:*', '*.wasm'],
  logLevel: 'warning',
};

/**
 * The entries of catalogs load the root's entry as it is, beside them: were its code shared in a chunk, the loader of the
 * WASM would lie in a file that a user's bundler may drop.
 */
const rootEntries = {
  name: 'root-entries',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/index\.(browser|node|workerd)\.ts$/ }, ({ path }) => ({
      path: path.replace(/\.ts$/, '.js'),
      external: true,
      sideEffects: true,
    }));
  },
};

/** Builds library and command line into `outdir`. */
export async function buildLibrary(outdir) {
  // Chunks lie beside the entries: the WASM is found relative to `import.meta.url`.
  const names = { chunkNames: 'chunk-[hash]', sourcemap: true, packages: 'external' };
  const plugins = [rootEntries];
  await build({ ...common, ...names, entryPoints: entries, outdir, splitting: true, plugins });
  // Split as well: the AWS SDK is loaded for s3: URLs only.
  await build({ ...common, ...names, entryPoints: cli, outdir, splitting: true });
}

/** The minified code of one entry as an application would ship it, with or without the packages it imports. */
export async function minify(source, { withPackages }) {
  const result = await build({
    ...common,
    entryPoints: [source],
    write: false,
    minify: true,
    packages: withPackages ? 'bundle' : 'external',
    mainFields: ['module', 'main'],
    conditions: ['browser', 'import', 'module'],
  });
  return result.outputFiles[0].contents;
}
