import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type * as Delta from '../../src/index.ts';
import type * as Node from '../../src/storage/node.ts';
import type { StaticServer } from '../helpers/static-server.ts';
import { serveFixtures } from './fixtures-server.ts';
import { suite } from './suite.ts';
import type { NewPlace } from './write-suite.ts';

describe('Node', () => {
  let server: StaticServer;
  let delta: typeof Delta;
  let FileSystemStorageHandler: typeof Node.FileSystemStorageHandler;
  let dir: string;
  beforeAll(async () => {
    server = await serveFixtures();
    const packageName = 'delta-kernel-web';
    delta = (await import(packageName)) as typeof Delta;
    ({ FileSystemStorageHandler } = (await import(`${packageName}/node`)) as typeof Node);
    dir = await mkdtemp(join(tmpdir(), 'runtime-node-'));
  });
  afterAll(async () => {
    await server?.close();
    await rm(dir, { recursive: true, force: true });
  });

  const newPlace: NewPlace = async (name) => {
    return { storage: new FileSystemStorageHandler(), url: pathToFileURL(`${join(dir, name)}/`).href };
  };

  it.each(suite)('$name', ({ run }) => run({ delta, fixtures: server.url, newPlace }));
});
