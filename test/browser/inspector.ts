/**
 * The built inspector in Chromium, for the tests of its panels: `const ui = useInspector()` at the top of a test file
 * builds and serves the page, and closes what a test has opened. A page that throws fails its test.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { bundleDemo } from '../../scripts/build-demo.mjs';
import { launchChromium } from '../helpers/chromium.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { writeTables } from './inspector-tables.ts';

/** Screenshots of all panels, to be looked at. */
const shots = fileURLToPath(new URL('../../test-results/demo', import.meta.url));

export function useInspector(): Inspector {
  const ui = new Inspector();
  beforeAll(() => ui.setUp());
  afterAll(() => ui.tearDown());
  afterEach(() => ui.afterTest());
  return ui;
}

export class Inspector {
  /** The page that {@link Inspector.start} opened last. */
  page!: Page;
  /** Where the inspector is served. */
  app!: StaticServer;
  /** Another origin with the same tables, and with bad ones. */
  host!: StaticServer;
  browser!: Browser;
  /** The folder that {@link Inspector.host} serves: a test may write tables there. */
  tables!: string;
  #dir!: string;
  readonly #problems: string[] = [];

  async setUp(): Promise<void> {
    this.#dir = await mkdtemp(join(tmpdir(), 'demo-'));
    this.tables = join(this.#dir, 'tables');
    await bundleDemo(join(this.#dir, 'page'));
    await writeTables(this.tables);
    await mkdir(shots, { recursive: true });
    [this.app, this.host] = await Promise.all([
      startStaticServer(join(this.#dir, 'page')),
      startStaticServer(this.tables),
    ]);
    this.browser = await launchChromium();
  }

  async tearDown(): Promise<void> {
    await this.browser?.close();
    await Promise.all([this.app?.close(), this.host?.close()]);
    await rm(this.#dir, { recursive: true, force: true });
  }

  async afterTest(): Promise<void> {
    await this.page?.context().close();
    this.host.faults = {};
    expect(this.#problems.splice(0)).toEqual([]);
  }

  /** Opens the page; a relative `url` in the hash is one of its samples. */
  async start(hash = '', options: BrowserContextOptions = {}, script?: string): Promise<void> {
    // The service worker has a test of its own: here it would only fetch the page twice.
    const context = await this.browser.newContext({ serviceWorkers: 'block', ...options });
    if (script !== undefined) await context.addInitScript(script);
    this.page = await context.newPage();
    this.page.on('pageerror', (error) => this.#problems.push(String(error)));
    await this.page.goto(
      `${this.app.url}index.html${hash.replace('url=samples', `url=${this.app.url}samples`)}`,
    );
  }

  async openSample(title: string): Promise<void> {
    await this.page.locator('.sample', { hasText: title }).click();
    await this.page.locator('.facts').waitFor();
  }

  async openUrl(url: string): Promise<void> {
    await this.page.getByLabel('Link to a table').fill(url);
    await this.page.getByRole('button', { name: 'Open', exact: true }).click();
  }

  async filter(where: string): Promise<void> {
    await this.page.getByLabel('WHERE').fill(where);
    await this.page.getByRole('button', { name: 'Apply' }).click();
  }

  tab(name: string) {
    return this.page.getByRole('tab', { name });
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).first().textContent()) ?? '';
  }

  async waitForCount(count: string): Promise<void> {
    await this.page.locator('.count').getByText(count, { exact: true }).waitFor();
  }

  async facts(): Promise<Record<string, string>> {
    const names = await this.page.locator('.fact dt').allTextContents();
    const values = await this.page.locator('.fact dd').allTextContents();
    return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
  }

  /** Column names of the grid. */
  async headers(): Promise<string[]> {
    const titles = await this.page.locator('.grid thead th[title]').all();
    return Promise.all(
      titles.map(async (title) => (await title.getAttribute('title'))!.replace(/ \S+$/, '')),
    );
  }

  /** The first values of a column. */
  async cells(column: string, count: number): Promise<string[]> {
    const title = this.page.locator(`.grid thead th[title^="${column} "]`).first();
    const at = await title.getAttribute('aria-colindex');
    const first = this.page.locator(`.grid tbody td[aria-colindex="${at}"]:not(.waiting)`);
    await first.nth(count - 1).waitFor();
    return (await first.allTextContents()).slice(0, count);
  }

  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}
