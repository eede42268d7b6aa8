/** `delta-kernel-web/slim`: nothing is loaded until `init` says from what. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Delta from '../../src/index.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { serveFixtures } from './fixtures-server.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const wasmFile = `${dist}delta_kernel_web.wasm`;

describe('slim', () => {
  let fixtures: StaticServer;
  let files: StaticServer;
  let delta: typeof Delta;
  beforeAll(async () => {
    [fixtures, files] = await Promise.all([serveFixtures(), startStaticServer(dist)]);
    const entry = 'delta-kernel-web/slim';
    delta = (await import(entry)) as typeof Delta;
  });
  afterAll(() => Promise.all([fixtures?.close(), files?.close()]));

  const countRows = async () => {
    const table = await delta.DeltaTable.open(`${fixtures.url}dv_delete/delta/`);
    let rows = 0;
    for await (const batch of table.scan()) rows += batch.numRows;
    return rows;
  };

  it('says what to do where nothing was set up', async () => {
    await expect(countRows()).rejects.toMatchObject({
      code: 'InvalidOption',
      message: expect.stringContaining('init({ wasm })'),
    });
  });

  it.each<[string, () => Delta.WasmSource | Promise<Delta.WasmSource>]>([
    ['bytes', () => readFile(wasmFile)],
    ['a module', async () => WebAssembly.compile(await readFile(wasmFile))],
    ['a URL', () => new URL('delta_kernel_web.wasm', files.url)],
    ['the text of a URL', () => `${files.url}delta_kernel_web.wasm`],
    ['a response', () => fetch(`${files.url}delta_kernel_web.wasm`)],
  ])('reads a table with %s', async (_, source) => {
    await delta.init({ wasm: source() });
    expect(await countRows()).toBe(109);
  });

  it('names a module that cannot be fetched, and loads the next', async () => {
    const missing = new URL('no-such.wasm', files.url);
    await expect(delta.init({ wasm: missing })).rejects.toMatchObject({ code: 'IOError', status: 404 });
    await delta.init({ wasm: await readFile(wasmFile) });
    expect(await countRows()).toBe(109);
  });
});
