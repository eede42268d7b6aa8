/**
 * Builds the inspector into `web-demo/dist/`: a folder of static files that any web server can host.
 * It imports the built package through `delta-kernel-web`, as any application would.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { buildPackage } from './build.mjs';
import { main, root, say } from './lib/shell.mjs';

const source = join(root, 'web-demo');
export const demoDir = join(source, 'dist');

/** Bytes, compressed: what the page may weigh. */
export const MAX_TRANSFER = 1_500_000;
/** Bytes: smaller files are printed together. */
const SMALL = 10_000;

/** @returns the folder. */
export async function buildDemo() {
  await buildPackage();
  await printPageSizes(demoDir, await bundleDemo(demoDir));
  return demoDir;
}

/**
 * Bundles the inspector with the package that lies in `dist/`.
 * @returns the names of what a browser loads first, and of what it loads later.
 */
export async function bundleDemo(outdir) {
  const { build } = await import('esbuild');
  say('bundling the inspector');
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    entryPoints: {
      main: join(source, 'src/main.tsx'),
      'table-worker': join(source, 'src/worker/table-worker.ts'),
      style: join(source, 'style.css'),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    mainFields: ['browser', 'module', 'main'],
    // What tabs load is named after its module.
    chunkNames: '[name]-[hash]',
    minify: true,
    sourcemap: true,
    metafile: true,
    tsconfig: join(source, 'tsconfig.json'),
    logLevel: 'warning',
    // Chunks of the package hold no effects: leaving out a bare import of one is right.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  for (const name of ['index.html', 'samples']) {
    cpSync(join(source, name), join(outdir, name), { recursive: true });
  }
  restoreCommitTimes(join(outdir, 'samples'));
  listSamples(join(outdir, 'samples'));
  // esbuild leaves `new URL('./delta_kernel_web.wasm', import.meta.url)` as it is: the file goes beside the scripts.
  cpSync(join(root, 'dist/delta_kernel_web.wasm'), join(outdir, 'delta_kernel_web.wasm'));
  copyDuckDb(join(outdir, 'sql'));
  // Imported late: they need node_modules.
  const { pageFiles } = await import('./lib/page-files.mjs');
  const { buildServiceWorker } = await import('./lib/service-worker.mjs');
  const files = pageFiles(outdir, metafile);
  await buildServiceWorker(outdir, files);
  return files;
}

/** What the SQL tab loads when it is opened. */
function copyDuckDb(outdir) {
  mkdirSync(outdir);
  for (const name of ['duckdb-eh.wasm', 'duckdb-browser-eh.worker.js']) {
    cpSync(join(root, 'node_modules/@duckdb/duckdb-wasm/dist', name), join(outdir, name));
  }
}

/** A commit's time is its file's, which version control does not keep: what the writer said comes close. */
function restoreCommitTimes(samples) {
  for (const table of readdirSync(samples)) {
    const log = join(samples, table, '_delta_log');
    for (const name of readdirSync(log)) {
      if (extname(name) !== '.json') continue;
      const file = join(log, name);
      const [, time] =
        /"commitInfo":\{"(?:inCommitTimestamp":\d+,")?timestamp":(\d+)/.exec(readFileSync(file)) ?? [];
      if (time !== undefined) utimesSync(file, Number(time) / 1000, Number(time) / 1000);
    }
  }
}

/** A web server does not list: to copy a sample, the page must know its files, by their paths as in URLs. */
function listSamples(samples) {
  const lists = {};
  for (const table of readdirSync(samples)) {
    const entries = readdirSync(join(samples, table), { recursive: true, withFileTypes: true });
    lists[table] = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(samples, table), join(entry.parentPath, entry.name)).split(sep))
      .map((names) => names.map(encodeURIComponent).join('/'))
      .sort();
  }
  writeFileSync(join(samples, 'files.json'), JSON.stringify(lists));
}

/** What a browser gets from a server that compresses: until the first table is shown, and what tabs load later. */
async function printPageSizes(outdir, { first, later }) {
  const { weigh } = await import('./lib/page-files.mjs');
  const { kb } = await import('./lib/sizes.mjs');
  const line = (name, raw, compressed) =>
    process.stderr.write(
      `  ${name.padEnd(32)}${kb(raw).padStart(12)}${kb(compressed).padStart(12)} brotli\n`,
    );
  const print = (files) => {
    const sum = (some, of) => some.reduce((total, file) => total + file[of], 0);
    const small = files.filter(({ raw }) => raw < SMALL);
    for (const { name, raw, compressed } of files) if (raw >= SMALL) line(name, raw, compressed);
    line(`${small.length} smaller files`, sum(small, 'raw'), sum(small, 'compressed'));
    return sum(files, 'compressed');
  };
  say('the page loads when it is needed:');
  const rest = print(weigh(outdir, later));
  say(`together ${kb(rest)}; before it shows a table:`);
  const total = print(weigh(outdir, first));
  const verdict = total > MAX_TRANSFER ? 'OVER' : 'within';
  say(`first load of the page: ${kb(total)}, ${verdict} its ${kb(MAX_TRANSFER)}`);
}

await main(import.meta.url, buildDemo);
