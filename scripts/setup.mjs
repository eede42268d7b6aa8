/**
 * Brings a checkout to where it can be built and tested. Everything is done once and looked up afterwards.
 *
 *   node scripts/setup.mjs                 all of it
 *   node scripts/setup.mjs npm chromium    parts of it: npm, wasm, chromium, s3
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWasm } from './build-wasm.mjs';
import { main, root, run, SetupError, say } from './lib/shell.mjs';
import { ensureChromium, ensureS3Servers } from './lib/tools.mjs';

const parts = {
  npm: ensureNpmPackages,
  wasm: buildWasm,
  chromium: ensureChromium,
  s3: ensureS3Servers,
};

export function setup(...names) {
  for (const name of names) {
    const part = parts[name];
    if (part === undefined) throw new SetupError(`no such part: ${name} (${Object.keys(parts).join(', ')})`);
    part();
  }
}

/** `npm ci` where what is installed is not what the lock file says. */
function ensureNpmPackages() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) throw new SetupError(`Node 20 or newer is needed; this is ${process.versions.node}`);
  if (isInstalled()) return;
  say('npm ci');
  run('npm', ['ci', '--no-fund', '--no-audit']);
}

function isInstalled() {
  const installed = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const have = packagesOf(installed);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    ([path, { version, optional, devOptional, link }]) =>
      path === '' ||
      link ||
      have[path]?.version === version ||
      (have[path] === undefined && (optional || devOptional)),
  );
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

await main(import.meta.url, (args) => setup(...(args.length > 0 ? args : Object.keys(parts))));
