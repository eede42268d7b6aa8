/** Chromium through Playwright, headless, with nothing that calls home. */
import { type Browser, chromium } from 'playwright';
import { findChromium } from '../../scripts/lib/tools.mjs';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Close it when done. Throws, with what to run, where no browser is installed. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium: run `node scripts/setup.mjs chromium`');
  return chromium.launch({ executablePath, headless: true, args: ARGS });
}
