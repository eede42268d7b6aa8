/** Programs that tests and the demo run and npm does not bring: where they are, and how to get them. */
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { aptInstall, cacheDir, isExecutable, root, run, SetupError, say, tryRun, which } from './shell.mjs';

const SYSTEM_CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** `CHROMIUM_PATH`, Playwright's own browser, or the system's; undefined where there is none. */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  return playwrightChromium() ?? which(...SYSTEM_CHROMIUM);
}

function playwrightChromium() {
  const require = createRequire(join(root, 'package.json'));
  const path = require('playwright').chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

/** Finds or installs Chromium. Run it after the npm packages are there. */
export function ensureChromium() {
  if (findChromium()) return;
  say('no Chromium found: installing one');
  if (aptInstall('chromium') && findChromium()) return;
  if (tryRun('npx', ['--no-install', 'playwright', 'install', 'chromium'], { timeout: 300_000 }) === 0)
    return;
  throw new SetupError(
    [
      'A Chromium browser is needed. Any of these will do:',
      '  Debian, as root:  apt-get install chromium',
      '  elsewhere:        npx playwright install chromium',
      '  or set CHROMIUM_PATH to the executable of Chromium or Chrome',
    ].join('\n'),
  );
}

/** S3 servers of the tests: one that checks signatures, and one that takes session tokens. */
const S3_SERVERS = {
  versitygw: {
    module: 'github.com/versity/versitygw/cmd/versitygw',
    version: 'v1.8.0',
    path: 'VERSITYGW_PATH',
  },
  gofakes3: {
    module: 'github.com/johannesboyne/gofakes3/cmd/gofakes3',
    version: 'v1.2.0',
    path: 'GOFAKES3_PATH',
  },
};

/** Where each is, or will be once it is built. */
export const versitygwPath = serverPath('versitygw');
export const gofakes3Path = serverPath('gofakes3');

function serverPath(name) {
  return process.env[S3_SERVERS[name].path] ?? join(cacheDir, 'bin', name);
}

/** Finds or builds the S3 servers (three minutes of CPU, once per machine). */
export function ensureS3Servers() {
  for (const name of Object.keys(S3_SERVERS)) ensureS3Server(name);
}

function ensureS3Server(name) {
  const { module, version, path: variable } = S3_SERVERS[name];
  const path = serverPath(name);
  if (isExecutable(path)) return;
  if (process.env[variable]) throw new SetupError(`${variable}: ${path} is not an executable`);
  const go = which('go') ?? ['/usr/local/go/bin/go', '/usr/lib/go/bin/go'].find(isExecutable);
  if (go === undefined) {
    const message = [
      `The S3 tests need the server ${name} ${version}, built with Go (1.24 or newer). Either:`,
      '  install Go and run this again',
      `  or set ${variable} to the executable of a release of ${name}`,
    ].join('\n');
    if (process.env.CI) throw new SetupError(message);
    say(`${message}\n  Until then the tests that need it are skipped.`);
    return;
  }
  say(`building ${name} ${version} for the S3 tests (once)`);
  mkdirSync(join(cacheDir, 'bin'), { recursive: true });
  run(go, ['install', `${module}@${version}`], {
    env: { GOBIN: join(cacheDir, 'bin'), GOFLAGS: '-trimpath' },
  });
}
