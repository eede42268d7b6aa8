/** Starting writers: in Node, Chromium, workerd and Python. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Miniflare } from 'miniflare';
import { launchChromium } from '../helpers/chromium.ts';
import { startStaticServer } from '../helpers/static-server.ts';
import { browserBundle, nodeBundle } from './bundles.ts';
import type { WriterOptions } from './writer.ts';

const exec = promisify(execFile);
const checkout = fileURLToPath(new URL('../../', import.meta.url));
const wasmPath = join(checkout, 'dist/delta_kernel_web.wasm');

/** A place where writers run: all are ready before the race begins. */
export interface Ground {
  /** @returns the versions that its commits made, where it knows them. */
  run(options: WriterOptions): Promise<number[] | undefined>;
  close(): Promise<void>;
}

/** A process per writer. */
export async function nodeGround(): Promise<Ground> {
  const script = await nodeBundle('node-writer.ts', join(checkout, 'test-results/race'));
  return {
    run: async (options) => JSON.parse((await exec('node', [script, JSON.stringify(options)])).stdout),
    close: () => rm(script),
  };
}

export function pythonGround(python: string): Ground {
  const script = fileURLToPath(new URL('delta_rs_writer.py', import.meta.url));
  return {
    run: async (options) => {
      await exec(python, [script, JSON.stringify(options)]);
      return undefined;
    },
    close: async () => {},
  };
}

/** A page per writer. */
export async function chromiumGround(): Promise<Ground> {
  const dir = await mkdtemp(join(tmpdir(), 'race-'));
  await writeFile(join(dir, 'main.js'), await browserBundle('page.ts', ['browser']));
  await writeFile(join(dir, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  await writeFile(join(dir, 'delta_kernel_web.wasm'), await readFile(wasmPath));
  const server = await startStaticServer(dir);
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(`${server.url}index.html`);
  await page.waitForFunction(() => typeof globalThis.raceWriter === 'function');
  return {
    run: (options) => page.evaluate((given) => globalThis.raceWriter(given), options),
    close: async () => {
      await browser.close();
      await server.close();
      await rm(dir, { recursive: true });
    },
  };
}

export async function workerdGround(): Promise<Ground> {
  const worker = new Miniflare({
    compatibilityDate: '2026-01-01',
    cf: false,
    modules: [
      {
        type: 'ESModule',
        path: 'main.js',
        contents: await browserBundle('worker.ts', ['workerd', 'worker', 'browser']),
      },
      { type: 'CompiledWasm', path: 'delta_kernel_web.wasm', contents: await readFile(wasmPath) },
    ],
  });
  await worker.ready;
  return {
    run: async (options) => {
      const response = await worker.dispatchFetch('http://worker/', {
        method: 'POST',
        body: JSON.stringify(options),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as number[];
    },
    close: () => worker.dispose(),
  };
}
