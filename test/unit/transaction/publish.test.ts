/** A catalog in memory: staged commits, ratified in order; the smallest one that the protocol allows. */
import { describe, expect, it } from 'vitest';
import type { Committer, PublishMetadata } from '../../../src/kernel/committer/committer.ts';
import { publishByCopies } from '../../../src/kernel/committer/publish-copies.ts';
import { LogPath } from '../../../src/kernel/log/log-path.ts';
import type { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { createTable } from '../../../src/kernel/transaction/create-table.ts';
import {
  committer as fileSystem,
  ID_SCHEMA,
  livePaths,
  newFile,
  ROOT,
  simpleTable,
  type TestTable,
} from './helpers.ts';

class TestCatalog implements Committer {
  readonly ratified = new Map<number, LogPath>();
  readonly published: PublishMetadata[] = [];

  isCatalogCommitter() {
    return true;
  }

  get latest(): number {
    return Math.max(0, ...this.ratified.keys());
  }

  get state() {
    return { logTail: [...this.ratified.values()], maxCatalogVersion: this.latest };
  }

  commit: Committer['commit'] = async (engine, actions, metadata) => {
    const { version, inCommitTimestamp } = metadata;
    const location =
      metadata.commitType === 'catalogManagedCreate'
        ? metadata.publishedCommitPath()
        : metadata.stagedCommitPath();
    const size = await engine.jsonHandler.writeJsonFile(location, actions, { overwrite: false });
    if (version > 0) {
      if (this.ratified.has(version)) return { kind: 'conflict', version };
      const name = location.pathname.split('/').at(-1)!;
      this.ratified.set(version, LogPath.stagedCommit(ROOT, name, inCommitTimestamp, size));
    }
    return { kind: 'committed', fileMeta: { location, size, lastModified: inCommitTimestamp } };
  };

  publish: Committer['publish'] = async (engine, metadata) => {
    this.published.push(metadata);
    await publishByCopies(engine, metadata);
  };
}

async function managedTable(): Promise<{ table: TestTable; catalog: TestCatalog; snapshot: Snapshot }> {
  const table = simpleTable();
  await table.storage.delete(new URL('_delta_log/00000000000000000000.json', ROOT));
  const catalog = new TestCatalog();
  const properties = { 'delta.feature.catalogManaged': 'supported' };
  const creation = createTable(ROOT, ID_SCHEMA, { properties, runtime: table.runtime });
  const result = await (await creation.build(table.engine, catalog)).commit(table.engine);
  if (result.status !== 'committed') throw new Error(result.status);
  return { table, catalog, snapshot: result.postCommitSnapshot };
}

async function append(
  snapshot: Snapshot,
  path: string,
  catalog: Committer,
  table: TestTable,
): Promise<Snapshot> {
  const transaction = snapshot
    .transaction(catalog)
    .withBlindAppend()
    .addFiles([newFile(path)]);
  const result = await transaction.commit(table.engine);
  if (result.status !== 'committed') throw new Error(result.status);
  return result.postCommitSnapshot;
}

const logFiles = (table: TestTable) =>
  table.storage
    .paths()
    .filter((path) => /_delta_log\/\d+\.json$/.test(path))
    .map((path) => path.slice(-6));

describe('a catalog-managed table', () => {
  it('is committed through its catalog, with staged files that the snapshot knows', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const after = await append(await append(snapshot, 'a', catalog, table), 'b', catalog, table);
    expect(after.version).toBe(2);
    expect(after.logSegment.maxPublishedVersion).toBe(0);
    expect(after.logSegment.commits.map(({ kind }) => kind)).toEqual([
      'commit',
      'stagedCommit',
      'stagedCommit',
    ]);
    expect(await livePaths(after, table)).toEqual(['a', 'b']);
    expect(logFiles(table)).toEqual(['0.json']);
    expect(await livePaths(await table.load(catalog.state), table)).toEqual(['a', 'b']);
    await expect(
      after
        .transaction(fileSystem)
        .addFiles([newFile('c')])
        .commit(table.engine),
    ).rejects.toMatchObject({ code: 'CommitterMismatch' });
  });

  it('is rebased only with what the catalog says', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const ours = snapshot
      .transaction(catalog)
      .withBlindAppend()
      .addFiles([newFile('ours')]);
    await append(snapshot, 'theirs', catalog, table);
    const result = await ours.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await expect(result.rebase(table.engine)).rejects.toMatchObject({ code: 'MaxCatalogVersion' });
    const rebased = await result.rebase(table.engine, catalog.state);
    const again = await rebased.commit(table.engine);
    expect(again).toMatchObject({ status: 'committed', commitVersion: 2 });
    // The file staged for version 1 is not used again.
    const staged = table.storage.paths().filter((path) => path.includes('_staged_commits'));
    expect(staged.map((path) => /(\d)\.[^/]*$/.exec(path)![1])).toEqual(['1', '1', '2']);
    expect(await livePaths(await table.load(catalog.state), table)).toEqual(['ours', 'theirs']);
  });
});

describe('publish', () => {
  it('publishes what is staged, in order, and says so in the snapshot', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const after = await append(await append(snapshot, 'a', catalog, table), 'b', catalog, table);
    const published = await after.publish(table.engine, catalog);
    expect(catalog.published[0]!.commitsToPublish.map(({ version }) => version)).toEqual([1, 2]);
    expect(catalog.published[0]).toMatchObject({ publishVersion: 2, tableRoot: ROOT });
    expect(logFiles(table)).toEqual(['0.json', '1.json', '2.json']);
    expect(published.version).toBe(2);
    expect(published.logSegment.maxPublishedVersion).toBe(2);
    expect(published.logSegment.commits.map(({ kind }) => kind)).toEqual(['commit', 'commit', 'commit']);
    expect(published.logSegment.latestCommit?.kind).toBe('commit');
    expect(await livePaths(published, table)).toEqual(['a', 'b']);
    expect(await published.publish(table.engine, catalog)).toBe(published);
    expect(await snapshot.publish(table.engine, catalog)).toBe(snapshot);
    expect(catalog.published).toHaveLength(1);
  });

  it('goes on where an earlier one stopped', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const first = await append(snapshot, 'a', catalog, table);
    const after = await append(first, 'b', catalog, table);
    await first.publish(table.engine, catalog);
    await after.publish(table.engine, catalog);
    expect(logFiles(table)).toEqual(['0.json', '1.json', '2.json']);
  });

  it('refuses a published commit that is another', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const after = await append(await append(snapshot, 'a', catalog, table), 'b', catalog, table);
    table.storage.set(new URL('_delta_log/00000000000000000001.json', ROOT), '{}');
    await expect(after.publish(table.engine, catalog)).rejects.toMatchObject({
      code: 'InvalidLog',
      version: 1,
    });
    expect(logFiles(table)).toEqual(['0.json', '1.json']);
  });

  it('needs the catalog', async () => {
    const { table, catalog, snapshot } = await managedTable();
    const after = await append(snapshot, 'a', catalog, table);
    await expect(after.publish(table.engine, fileSystem)).rejects.toMatchObject({
      code: 'CommitterMismatch',
    });
  });

  it('has nothing to do in any other table', async () => {
    const table = simpleTable();
    const snapshot = await table.load();
    expect(await snapshot.publish(table.engine, fileSystem)).toBe(snapshot);
  });
});
