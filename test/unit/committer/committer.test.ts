import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../../src/kernel/actions/types.ts';
import { CommitMetadata, type CommitMetadataFields } from '../../../src/kernel/committer/commit-metadata.ts';
import type { Committer } from '../../../src/kernel/committer/committer.ts';
import { FileSystemCommitter } from '../../../src/kernel/committer/file-system-committer.ts';
import { checkPairing, commitTypeOf } from '../../../src/kernel/committer/pairing.ts';
import { allSelected, type FilteredEngineData } from '../../../src/kernel/engine-data.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { testEngine } from '../../helpers/test-engine.ts';

const ROOT = new URL('memory:///t/');
const LEGACY: Protocol = { minReaderVersion: 1, minWriterVersion: 2 };
const MANAGED: Protocol = {
  minReaderVersion: 3,
  minWriterVersion: 7,
  readerFeatures: ['catalogOwned-preview'],
  writerFeatures: ['catalogOwned-preview', 'inCommitTimestamp'],
};

function metadata(fields: Partial<CommitMetadataFields> = {}): CommitMetadata {
  let next = 0;
  const runtime = { now: () => 0, uuid: () => `00000000-0000-4000-8000-${String(next++).padStart(12, '0')}` };
  return new CommitMetadata(
    {
      tableRoot: ROOT,
      version: 7,
      commitType: 'pathBasedWrite',
      inCommitTimestamp: 1234,
      txnId: 'x',
      readProtocol: LEGACY,
      domainMetadataChanges: [],
      ...fields,
    },
    runtime,
  );
}

function oneRow(text: string) {
  const engine = testEngine(new MemoryStorageHandler());
  const schema = types.struct([field('a', types.string)]);
  const data = engine.evaluationHandler.createMany(schema, [[{ type: types.string, value: text }]]);
  return (async function* (): AsyncGenerator<FilteredEngineData> {
    yield allSelected(data);
  })();
}

describe('CommitMetadata', () => {
  it('gives paths of the protocol, a fresh staged one at every call', () => {
    const commit = metadata();
    expect(commit.publishedCommitPath().pathname).toBe('/t/_delta_log/00000000000000000007.json');
    const staged = [commit.stagedCommitPath().pathname, commit.stagedCommitPath().pathname];
    expect(staged).toEqual([
      '/t/_delta_log/_staged_commits/00000000000000000007.00000000-0000-4000-8000-000000000000.json',
      '/t/_delta_log/_staged_commits/00000000000000000007.00000000-0000-4000-8000-000000000001.json',
    ]);
  });

  it('knows features under older names too, after the commit', () => {
    const commit = metadata({ newProtocol: MANAGED });
    expect(commit.hasReaderFeature('catalogManaged')).toBe(true);
    expect(commit.hasWriterFeature('inCommitTimestamp')).toBe(true);
    expect(commit.hasReaderFeature('inCommitTimestamp')).toBe(false);
    expect(metadata().hasReaderFeature('catalogManaged')).toBe(false);
  });
});

describe('FileSystemCommitter', () => {
  it('writes the version once; who comes second has a conflict and changes nothing', async () => {
    const storage = new MemoryStorageHandler();
    const engine = testEngine(storage);
    const committer = new FileSystemCommitter();
    const first = await committer.commit(engine, oneRow('one'), metadata());
    const location = new URL('memory:///t/_delta_log/00000000000000000007.json');
    expect(first).toEqual({ kind: 'committed', fileMeta: { location, size: 12, lastModified: 1234 } });
    const second = await committer.commit(engine, oneRow('two'), metadata());
    expect(second).toEqual({ kind: 'conflict', version: 7 });
    for await (const bytes of storage.readFiles([{ location }])) {
      expect(new TextDecoder().decode(bytes)).toBe('{"a":"one"}\n');
    }
  });

  it('throws what is no conflict', async () => {
    const engine = testEngine(new MemoryStorageHandler());
    const failing = {
      ...engine,
      jsonHandler: { ...engine.jsonHandler, writeJsonFile: () => Promise.reject(new Error('disk')) },
    } as never;
    await expect(new FileSystemCommitter().commit(failing, oneRow('x'), metadata())).rejects.toThrow('disk');
  });

  it('publishes nothing', async () => {
    const committer = new FileSystemCommitter();
    const engine = testEngine(new MemoryStorageHandler());
    const commit = { version: 3, location: ROOT, publishedLocation: ROOT, size: 1 };
    await committer.publish(engine, { tableRoot: ROOT, commitsToPublish: [], publishVersion: 3 });
    await expect(
      committer.publish(engine, { tableRoot: ROOT, commitsToPublish: [commit], publishVersion: 3 }),
    ).rejects.toMatchObject({ code: 'CommitterMismatch', version: 3 });
  });
});

describe('pairing', () => {
  const catalog = { isCatalogCommitter: () => true } as Committer;

  it('refuses either kind of committer on the other kind of table', () => {
    checkPairing(new FileSystemCommitter(), false, ROOT);
    checkPairing(catalog, true, ROOT);
    for (const [committer, managed] of [
      [new FileSystemCommitter(), true],
      [catalog, false],
    ] as const) {
      expect(() => checkPairing(committer, managed, ROOT)).toThrow(
        expect.objectContaining({ code: 'CommitterMismatch' }),
      );
    }
  });

  it.each([
    [undefined, LEGACY, 'pathBasedCreate'],
    [undefined, MANAGED, 'catalogManagedCreate'],
    [LEGACY, LEGACY, 'pathBasedWrite'],
    [MANAGED, MANAGED, 'catalogManagedWrite'],
    [LEGACY, MANAGED, 'upgradeToCatalogManaged'],
    [MANAGED, LEGACY, 'downgradeToPathBased'],
  ] as const)('commit type %#', (read, after, type) => {
    expect(commitTypeOf(read, after)).toBe(type);
  });
});
