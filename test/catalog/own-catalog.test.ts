/** A catalog as its own author would write one, with the package as it is published: it passes the contract. */
import { describe, expect, it } from 'vitest';
import type * as CatalogEntry from '../../src/catalog.ts';
import type * as Delta from '../../src/index.ts';
import type * as Testing from '../../src/testing.ts';

const load = async <T>(entry: string) => (await import(`delta-kernel-web${entry}`)) as T;
const { CatalogCommitter } = await load<typeof CatalogEntry>('/catalog');
const { createEngine, field, MemoryStorageHandler, Snapshot, types, createTable } =
  await load<typeof Delta>('');
const { committerContract } = await load<typeof Testing>('/testing');

/** One table, in a variable. */
class OwnCatalog implements CatalogEntry.CatalogTable {
  #commits: CatalogEntry.RatifiedCommit[] = [];
  #latest = 0;

  async load() {
    return { latestVersion: this.#latest, commits: this.#commits };
  }

  async ratify(commit: CatalogEntry.RatifiedCommit): Promise<CatalogEntry.Ratification> {
    if (commit.version !== this.#latest + 1) return { kind: 'conflict' };
    this.#commits.push(commit);
    this.#latest += 1;
    return { kind: 'ratified' };
  }

  async notifyPublished(version: number) {
    this.#commits = this.#commits.filter((commit) => commit.version > version);
  }
}

async function harness(makeCommitter: (table: CatalogEntry.CatalogTable) => Delta.Committer) {
  const engine = createEngine({ storage: new MemoryStorageHandler() });
  const tableRoot = new URL('memory:///t/');
  const catalog = new OwnCatalog();
  const properties = { 'delta.feature.catalogManaged': 'supported' };
  const creation = createTable(tableRoot, types.struct([field('id', types.long)]), { properties });
  await (await creation.build(engine, makeCommitter(catalog))).commit(engine);
  const { protocol, metadata } = await Snapshot.load(engine, tableRoot, { maxCatalogVersion: 0 });
  return {
    engine,
    tableRoot,
    nextVersion: 1,
    committer: () => makeCommitter(catalog),
    fields: { commitType: 'catalogManagedWrite', readProtocol: protocol, readMetadata: metadata } as const,
  };
}

const cases = committerContract.filter(({ isCatalog }) => isCatalog !== false);

describe('a catalog of one’s own, of three methods', () => {
  it.each(cases)('$name', async ({ run }) => {
    await run(await harness((table) => new CatalogCommitter(table)));
  });
});

it('a committer that takes every conflict for success does not pass', async () => {
  const failed: string[] = [];
  const wrong = (table: CatalogEntry.CatalogTable) =>
    new CatalogCommitter({
      load: () => table.load(),
      notifyPublished: (version) => table.notifyPublished(version),
      ratify: async (commit, metadata) => {
        await table.ratify(commit, metadata);
        return { kind: 'ratified' };
      },
    });
  for (const { name, run } of cases) {
    await run(await harness(wrong)).catch(() => failed.push(name));
  }
  expect(failed).toContain('has one winner per version among writers at the same time');
});
