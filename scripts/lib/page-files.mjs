/** Which files of the built inspector a browser loads when. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotli } from './sizes.mjs';

/** What the page loads until it shows a table: the start, the worker, and the first tab. */
const FIRST = /(main\.tsx|table-worker\.ts|panels\/overview\.tsx)$/;

/**
 * @param metafile esbuild's, of the scripts and styles.
 * @returns names of what the first view loads, of what tabs load, and of what is too large to be loaded for nothing
 * (DuckDB); without samples and source maps.
 */
export function pageFiles(outdir, { outputs }) {
  const entries = Object.keys(outputs).filter((path) => FIRST.test(outputs[path].entryPoint ?? ''));
  const scripts = [...withImports(outputs, entries)].map((path) => basename(path));
  const first = ['index.html', 'style.css', 'delta_kernel_web.wasm', ...scripts].sort();
  const all = readdirSync(outdir).filter((name) => ['.html', '.css', '.js', '.wasm'].includes(extname(name)));
  return {
    first,
    later: all.filter((name) => !first.includes(name) && name !== 'service-worker.js').sort(),
    large: readdirSync(join(outdir, 'sql')).map((name) => `sql/${name}`),
  };
}

/** Bytes of each file, raw and as a server that compresses sends them. */
export function weigh(outdir, names) {
  return names.map((name) => {
    const bytes = readFileSync(join(outdir, name));
    return { name, raw: bytes.length, compressed: brotli(bytes) };
  });
}

/** Outputs and all that they import from the start. */
function withImports(outputs, paths) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') visit(next);
  };
  paths.forEach(visit);
  return found;
}
