/** Programs that tests and the demo run and npm does not bring: where they are, and how to get them. */
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { aptInstall, cacheDir, isExecutable, root, run, SetupError, say, tryRun, which } from './shell.mjs';

const VERSITYGW = 'v1.8.0';
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

/** The S3 server of the tests. */
export const versitygwPath = process.env.VERSITYGW_PATH ?? join(cacheDir, 'bin', 'versitygw');

/** Finds or builds versitygw (three minutes of CPU, once per machine). */
export function ensureVersitygw() {
  if (isExecutable(versitygwPath)) return;
  if (process.env.VERSITYGW_PATH)
    throw new SetupError(`VERSITYGW_PATH: ${versitygwPath} is not an executable`);
  const go = which('go') ?? ['/usr/local/go/bin/go', '/usr/lib/go/bin/go'].find(isExecutable);
  if (go === undefined) {
    const message = [
      `The S3 tests need the server versitygw ${VERSITYGW}, built with Go (1.24 or newer). Either:`,
      '  install Go and run this again',
      '  or set VERSITYGW_PATH to the executable of a release of versitygw',
    ].join('\n');
    if (process.env.CI) throw new SetupError(message);
    say(`${message}\n  Until then the S3 tests are skipped.`);
    return;
  }
  say(`building versitygw ${VERSITYGW} for the S3 tests (some minutes, once)`);
  mkdirSync(join(cacheDir, 'bin'), { recursive: true });
  run(go, ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSITYGW}`], {
    env: { GOBIN: join(cacheDir, 'bin'), GOFLAGS: '-trimpath' },
  });
}
