/** What the package weighs: the WASM, and each entry point as an application would bundle it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { entries, minify } from '../../esbuild.config.mjs';
import { root } from './shell.mjs';

export async function printSizes() {
  const wasm = readFileSync(join(root, 'dist/delta_kernel_web.wasm'));
  const rows = [['', 'raw', 'gzip', 'brotli'], ['WASM', wasm.length, gzip(wasm), brotli(wasm)].map(kb)];
  rows.push(['entry, minified', 'own code', 'gzip', 'with npm gzip']);
  for (const [name, source] of Object.entries(entries)) {
    const own = await minify(join(root, source), { withPackages: false });
    const all = await minify(join(root, source), { withPackages: true });
    rows.push([name, own.length, gzip(own), gzip(all)].map(kb));
  }
  for (const row of rows) {
    const [first, ...rest] = row;
    process.stderr.write(`  ${first.padEnd(18)}${rest.map((cell) => cell.padStart(15)).join('')}\n`);
  }
}

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** Bytes compressed at the highest quality, which takes half a minute for the WASM: large results are remembered. */
export function brotli(bytes) {
  if (bytes.length < 1_000_000) return compressed(bytes);
  const cache = join(root, '.cache');
  const file = join(cache, `brotli-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`);
  if (existsSync(file)) return Number(readFileSync(file, 'utf8'));
  const size = compressed(bytes);
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, String(size));
  return size;
}

function compressed(bytes) {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  }).length;
}

/** Text stays as it is. */
export function kb(value) {
  return typeof value === 'number' ? `${(value / 1000).toFixed(1)} kB` : value;
}
