/**
 * Takes the README's pictures of the inspector into `web-demo/screenshots/`:
 *
 *   node scripts/screenshots.mjs
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildDemo } from './build-demo.mjs';
import { serve } from './lib/serve.mjs';
import { main, root, SetupError } from './lib/shell.mjs';
import { findChromium } from './lib/tools.mjs';

const folder = join(root, 'web-demo/screenshots');
const viewport = { width: 1040, height: 640 };

async function screenshots() {
  const url = await serve(await buildDemo(), 0);
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new SetupError('no Chromium: run `node scripts/setup.mjs chromium`');
  // Imported late: it needs node_modules.
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  mkdirSync(folder, { recursive: true });
  const take = async (name, colorScheme, view, ready) => {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(`${url}index.html#${new URLSearchParams(view)}`);
    await page.getByText(/^of \d+$/).waitFor();
    await ready(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
  };
  const trips = { url: `${url}samples/trips/` };
  await take('files', 'light', { ...trips, tab: 'files', where: "date = '2021-09-01'" }, async (page) => {
    await page.getByText('Reads 1 of 7 files').first().waitFor();
  });
  await take('history', 'dark', { url: `${url}samples/inventory/`, tab: 'history' }, async (page) => {
    await page.getByText('MERGE').first().waitFor();
  });
  await browser.close();
  // The server would go on.
  process.exit(0);
}

await main(import.meta.url, screenshots);
