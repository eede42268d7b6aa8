/**
 * What every script here shares: where things are, running a command, saying what is happening.
 * Only `node:` imports: these scripts run before `node_modules` exists.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Outside the checkout, so that a fresh clone finds what an earlier one built. */
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'delta-kernel-web');

/** A failure that the reader can act on: printed without a stack. */
export class SetupError extends Error {}

export function say(message) {
  process.stderr.write(`» ${message}\n`);
}

/** Runs a command with its output shown. @throws {SetupError} when it fails. */
export function run(command, args, options = {}) {
  const status = tryRun(command, args, options);
  if (status !== 0) throw new SetupError(`\`${[command, ...args].join(' ')}\` failed (${status})`);
}

/** Standard output of a command whose errors are shown. @throws {SetupError} when it fails. */
export function output(command, args, options = {}) {
  const result = capture(command, args, options);
  if (result.status === 0) return result.stdout;
  const reason = result.error?.message ?? result.signal ?? result.status;
  throw new SetupError(`\`${[command, ...args].join(' ')}\` failed (${reason})`);
}

/** The same; undefined when it fails. */
export function tryOutput(command, args, options = {}) {
  const result = capture(command, args, options);
  return result.status === 0 ? result.stdout : undefined;
}

function capture(command, args, { env, ...options }) {
  return spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 2],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
    env: { ...process.env, ...env },
  });
}

/** The exit status; 127 where the command does not exist. */
export function tryRun(command, args, options = {}) {
  const { env, ...rest } = options;
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    ...rest,
    env: { ...process.env, ...env },
  });
  if (result.error) return result.error.code === 'ENOENT' ? 127 : 1;
  return result.status ?? 1;
}

/** The first of `names` that is an executable on PATH. */
export function which(...names) {
  for (const name of names) {
    for (const dir of (process.env.PATH ?? '').split(delimiter)) {
      const candidate = join(dir, name);
      if (dir !== '' && isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

let aptUpdated = false;

/** Installs Debian packages where this process may. @returns whether they are installed now. */
export function aptInstall(...packages) {
  if (process.getuid?.() !== 0 || !which('apt-get')) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  if (!aptUpdated) {
    say('apt-get update');
    tryRun('apt-get', ['update', '-qq'], { env });
    aptUpdated = true;
  }
  say(`apt-get install ${packages.join(' ')}`);
  return tryRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env }) === 0;
}

/** SHA-256 (hex) over names and contents of all files below `paths` that `accept` takes, and over `extra`. */
export function hashFiles(paths, { accept = () => true, extra = '' } = {}) {
  const hash = createHash('sha256').update(extra);
  for (const file of paths.flatMap((path) => filesBelow(path, accept)).sort()) {
    hash.update(`\0${relative(root, file).split(sep).join('/')}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesBelow(path, accept) {
  if (!existsSync(path) || !accept(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
  return entries.flatMap((entry) => filesBelow(join(path, entry.name), accept));
}

/** Runs a script's main function; a {@link SetupError} prints as a message. */
export async function main(metaUrl, body) {
  if (process.argv[1] === undefined || fileURLToPath(metaUrl) !== process.argv[1]) return;
  try {
    await body(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
