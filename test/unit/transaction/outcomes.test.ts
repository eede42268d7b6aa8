/** What a lost or wrong answer of the storage comes to: no commit is lost, none is made twice. */
import { describe, expect, it } from 'vitest';
import { DeltaError } from '../../../src/errors.ts';
import { FileSystemCommitter } from '../../../src/kernel/committer/file-system-committer.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { createTable } from '../../../src/kernel/transaction/create-table.ts';
import { forward } from '../../../src/storage/forward.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { testEngine } from '../../helpers/test-engine.ts';
import { committer, livePaths, newFile, simpleTable, type TestTable } from './helpers.ts';

const lost = () => new DeltaError('IOError', 'the connection was lost');

/** An engine over the table's storage with changes. */
function engineWith(table: TestTable, changes: Partial<StorageHandler>) {
  return testEngine(forward(table.storage, changes));
}

async function transactionOf(table: TestTable, path = 'f') {
  return (await table.load())
    .transaction(committer)
    .withBlindAppend()
    .addFiles([newFile(path)]);
}

describe('an answer that gets lost', () => {
  it('after the effect: committed, once', async () => {
    const table = simpleTable();
    const engine = engineWith(table, {
      put: async (path, data, options) => {
        await table.storage.put(path, data, options);
        throw lost();
      },
    });
    const result = await (await transactionOf(table)).commit(engine);
    expect(result).toMatchObject({ status: 'committed', commitVersion: 1 });
    expect(await livePaths(await table.load(), table)).toEqual(['f']);
    expect(table.storage.paths()).toHaveLength(2);
  });

  it('before the effect: retryable, and the same transaction commits', async () => {
    const table = simpleTable();
    let failures = 1;
    const engine = engineWith(table, {
      put: (path, data, options) => {
        return failures-- > 0 ? Promise.reject(lost()) : table.storage.put(path, data, options);
      },
    });
    const result = await (await transactionOf(table)).commit(engine);
    if (result.status !== 'retryable') throw new Error(result.status);
    expect(result.error).toMatchObject({ code: 'IOError' });
    expect(await result.transaction.commit(engine)).toMatchObject({ status: 'committed', commitVersion: 1 });
    expect(await livePaths(await table.load(), table)).toEqual(['f']);
  });

  it('after the effect, and the question is lost too: the second try finds its own commit', async () => {
    const table = simpleTable();
    let isDown = true;
    const engine = engineWith(table, {
      put: async (path, data, options) => {
        await table.storage.put(path, data, options);
        throw lost();
      },
      head: (path, options) => (isDown ? Promise.reject(lost()) : table.storage.head(path, options)),
    });
    const result = await (await transactionOf(table)).commit(engine);
    if (result.status !== 'retryable') throw new Error(result.status);
    isDown = false;
    const again = await result.transaction.commit(table.engine);
    expect(again).toMatchObject({ status: 'committed', commitVersion: 1 });
    expect(table.storage.paths()).toHaveLength(2);
  });
});

it('a failure to read what a commit needs to know: retryable, and nothing was tried', async () => {
  const storage = new MemoryStorageHandler();
  const root = new URL('memory:///t/');
  const options = { properties: { 'delta.enableRowTracking': 'true' } };
  const creation = createTable(root, types.struct([field('id', types.long)]), options);
  await (await creation.build(testEngine(storage), committer)).commit(testEngine(storage));
  let isDown = false;
  const engine = testEngine(
    forward(storage, {
      async *readFiles(files, call) {
        if (isDown) throw lost();
        yield* storage.readFiles(files, call);
      },
    }),
  );
  const transaction = (await Snapshot.load(engine, root)).transaction(committer).withBlindAppend();
  transaction.addFiles([newFile('f')]);
  isDown = true;
  // Another engine object, which has not kept what it read.
  const result = await transaction.commit(testEngine(engine.storageHandler));
  expect(result).toMatchObject({ status: 'retryable', error: { code: 'IOError', table: 'memory:///t/' } });
  expect(transaction.mayBeCommitted).toBe(false);
  isDown = false;
  expect(await transaction.withEngineInfo('me').commit(engine)).toMatchObject({ status: 'committed' });
  expect(transaction.mayBeCommitted).toBe(true);
});

describe('"exists" as an answer', () => {
  it('to our own request, repeated on the way: committed', async () => {
    const table = simpleTable();
    const engine = engineWith(table, {
      put: async (path, data, options) => {
        await table.storage.put(path, data, options);
        await table.storage.put(path, data, options);
      },
    });
    const result = await (await transactionOf(table)).commit(engine);
    expect(result).toMatchObject({ status: 'committed', commitVersion: 1 });
    if (result.status !== 'committed') throw new Error(result.status);
    expect(await livePaths(result.postCommitSnapshot, table)).toEqual(['f']);
  });

  it('where another commit is: a conflict', async () => {
    const table = simpleTable();
    const ours = await transactionOf(table, 'ours');
    await (await transactionOf(table, 'theirs')).commit(table.engine);
    expect(await ours.commit(table.engine)).toMatchObject({ status: 'conflicted', conflictVersion: 1 });
  });

  it('where nothing is: tried again, and not for ever', async () => {
    const table = simpleTable();
    const exists = () => Promise.reject(new DeltaError('FileAlreadyExists', 'it exists'));
    let lies = 2;
    const engine = engineWith(table, {
      put: (path, data, options) => (lies-- > 0 ? exists() : table.storage.put(path, data, options)),
    });
    expect(await (await transactionOf(table)).commit(engine)).toMatchObject({ status: 'committed' });
    const liar = engineWith(table, { put: exists });
    const result = await (await transactionOf(table, 'g')).commit(liar);
    expect(result).toMatchObject({ status: 'retryable', error: { code: 'IOError' } });
  });

  it('where a commit cannot be read: an error, not a conflict', async () => {
    const table = simpleTable();
    const ours = await transactionOf(table);
    table.storage.set('memory:///t/_delta_log/00000000000000000001.json', '{"commitInfo":{"txnId":"');
    await expect(ours.commit(table.engine)).rejects.toMatchObject({
      code: 'MalformedJson',
      version: 1,
      path: '_delta_log/00000000000000000001.json',
    });
  });
});

describe('other failures', () => {
  it('are thrown, and the transaction can be committed again', async () => {
    const table = simpleTable();
    const engine = engineWith(table, { put: () => Promise.reject(new DeltaError('PermissionDenied', 'no')) });
    const transaction = await transactionOf(table);
    await expect(transaction.commit(engine)).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(await transaction.commit(table.engine)).toMatchObject({ status: 'committed' });
  });

  it('of an aborted call: the commit that was made is told', async () => {
    const table = simpleTable();
    const controller = new AbortController();
    const engine = engineWith(table, {
      put: async (path, data, options) => {
        await table.storage.put(path, data, options);
        controller.abort();
        throw controller.signal.reason;
      },
    });
    const result = await (await transactionOf(table)).commit(engine, { signal: controller.signal });
    expect(result.status).toBe('committed');
  });

  it('of an aborted call: without a commit it is aborted', async () => {
    const table = simpleTable();
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    const transaction = await transactionOf(table);
    await expect(transaction.commit(table.engine, { signal: controller.signal })).rejects.toThrow('stop');
    expect(table.storage.paths()).toHaveLength(1);
    expect(await transaction.commit(table.engine)).toMatchObject({ status: 'committed' });
  });
});

describe('a rebase', () => {
  it('that meets its own commit reports it as made', async () => {
    const table = simpleTable();
    const inner = new FileSystemCommitter();
    const ours = (await table.load())
      .transaction({
        isCatalogCommitter: () => false,
        publish: () => Promise.resolve(),
        commit: (engine, actions, metadata) => inner.commit(engine, actions, metadata),
      })
      .withBlindAppend()
      .addFiles([newFile('ours')]);
    await (await transactionOf(table, 'theirs')).commit(table.engine);
    const result = await ours.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    // The version turns out to be ours: a slow listing, a log restored.
    const actions = await table.read(1);
    const commitInfo = { ...(actions[0]!.commitInfo as object), txnId: ours.txnId };
    table.put(1, { commitInfo }, ...actions.slice(1));
    const rebased = await result.rebase(table.engine);
    const again = await rebased.commit(table.engine);
    expect(again).toMatchObject({ status: 'committed', commitVersion: 1 });
    expect(table.storage.paths()).toHaveLength(2);
  });

  it('onto nothing new tries the same version again', async () => {
    const table = simpleTable();
    const ours = await transactionOf(table, 'ours');
    await (await transactionOf(table, 'theirs')).commit(table.engine);
    const result = await ours.commit(table.engine);
    if (result.status !== 'conflicted') throw new Error(result.status);
    await table.storage.delete(new URL('memory:///t/_delta_log/00000000000000000001.json'));
    const again = await (await result.rebase(table.engine)).commit(table.engine);
    expect(again).toMatchObject({ status: 'committed', commitVersion: 1 });
  });
});
