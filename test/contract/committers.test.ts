/** The committers of this package against the contract for committers. */
import { describe, expect, test } from 'vitest';
import { EmbeddedCatalog } from '../../src/catalog/embedded/embedded-catalog.ts';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import { UCCommitter } from '../../src/catalog/unity/uc-committer.ts';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { type CommitterHarness, committerContract } from '../../src/testing/committer-contract.ts';
import { MANAGED_METADATA, MANAGED_PROTOCOL, putVersion0 } from '../helpers/managed-table.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { unityTable } from '../helpers/uc-stub/table.ts';

const managed = {
  commitType: 'catalogManagedWrite',
  readProtocol: MANAGED_PROTOCOL,
  readMetadata: MANAGED_METADATA,
} as const;

async function fileSystem(): Promise<CommitterHarness> {
  const engine = testEngine(new MemoryStorageHandler());
  const tableRoot = new URL('memory:///t/');
  await engine.ready();
  await putVersion0(engine, tableRoot);
  return {
    engine,
    tableRoot,
    nextVersion: 1,
    committer: () => new FileSystemCommitter(),
    fields: { ...managed, commitType: 'pathBasedWrite' },
  };
}

async function unity(): Promise<CommitterHarness> {
  const { engine, client, name, tableId, tableRoot, readMetadata } = await unityTable();
  await engine.ready();
  return {
    engine,
    tableRoot,
    nextVersion: 1,
    committer: () => new UCCommitter({ client, name, tableId }),
    fields: { ...managed, readMetadata },
  };
}

async function embedded(): Promise<CommitterHarness> {
  const engine = testEngine(new MemoryStorageHandler());
  const tableRoot = new URL('memory:///t/');
  await engine.ready();
  await putVersion0(engine, tableRoot);
  const records = new MemoryRecordStore();
  await new EmbeddedCatalog(records).register('t', 'id', tableRoot);
  return {
    engine,
    tableRoot,
    nextVersion: 1,
    committer: () => new EmbeddedCatalog(records).committer('t', 'id'),
    fields: managed,
  };
}

describe.each([
  ['FileSystemCommitter', fileSystem, false],
  ['UCCommitter on the stub', unity, true],
  ['the committer of the embedded catalog', embedded, true],
] as const)('%s', (_, harness, isCatalog) => {
  const cases = committerContract.filter(
    (each) => each.isCatalog === undefined || each.isCatalog === isCatalog,
  );

  test('says whether it is a catalog’s', async () => {
    expect((await harness()).committer().isCatalogCommitter()).toBe(isCatalog);
  });

  test.each(cases)('$name', async ({ run }) => run(await harness()));
});
