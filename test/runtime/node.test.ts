import { afterAll, beforeAll, describe, it } from 'vitest';
import type * as Delta from '../../src/index.ts';
import type { StaticServer } from '../helpers/static-server.ts';
import { serveFixtures } from './fixtures-server.ts';
import { suite } from './suite.ts';

describe('Node', () => {
  let server: StaticServer;
  let delta: typeof Delta;
  beforeAll(async () => {
    server = await serveFixtures();
    const packageName = 'delta-kernel-web';
    delta = (await import(packageName)) as typeof Delta;
  });
  afterAll(() => server?.close());

  it.each(suite)('$name', ({ run }) => run({ delta, fixtures: server.url }));
});
