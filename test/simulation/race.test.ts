/** Writers at the same time over real storages: the one that makes conditional writes atomic is not simulated. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { createTable } from '../../src/kernel/transaction/create-table.ts';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';
import { S3StorageHandler } from '../../src/storage/s3.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';

const SCHEMA = types.struct([field('id', types.long)]);
const WRITERS = 8;
const APPENDS = 5;

/** One writer: appends files, each over whatever others have committed meanwhile. */
async function write(storage: StorageHandler, root: URL, writer: number): Promise<number> {
  const engine = testEngine(storage);
  let snapshot = await Snapshot.load(engine, root);
  let conflicts = 0;
  for (let append = 0; append < APPENDS; append++) {
    const file = {
      path: `writer-${writer}-${append}.parquet`,
      partitionValues: {},
      size: 1,
      modificationTime: 1,
      stats: '{"numRecords":10}',
    };
    let transaction = snapshot.transaction(new FileSystemCommitter()).withBlindAppend().addFiles([file]);
    for (;;) {
      const result = await transaction.commit(engine);
      if (result.status === 'committed') {
        snapshot = result.postCommitSnapshot;
        break;
      }
      if (result.status === 'retryable') throw result.error;
      conflicts += 1;
      transaction = await result.rebase(engine);
    }
  }
  return conflicts;
}

async function race(newStorage: () => StorageHandler, root: URL): Promise<void> {
  const engine = testEngine(newStorage());
  const properties = { 'delta.enableRowTracking': 'true', 'delta.enableInCommitTimestamps': 'true' };
  const creation = await createTable(root, SCHEMA, { properties }).build(engine, new FileSystemCommitter());
  await creation.commit(engine);
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(newStorage(), root, writer));
  const conflicts = await Promise.all(writers);
  expect(conflicts.reduce((sum, count) => sum + count)).toBeGreaterThan(0);

  const snapshot = await Snapshot.load(engine, root);
  expect(snapshot.version).toBe(WRITERS * APPENDS);
  const files: { path: string; baseRowId: bigint }[] = [];
  for await (const { path, baseRowId } of snapshot.scan().files(engine))
    files.push({ path, baseRowId: baseRowId! });
  const expected = Array.from({ length: WRITERS * APPENDS }, (_, index) => {
    return `writer-${Math.floor(index / APPENDS)}-${index % APPENDS}.parquet`;
  });
  expect(files.map(({ path }) => path).sort()).toEqual(expected.sort());
  const ids = files.map(({ baseRowId }) => Number(baseRowId)).sort((a, b) => a - b);
  expect(ids).toEqual(ids.map((_, index) => index * 10));
}

describe('local files', () => {
  let base = '';
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'race-'));
  });
  afterAll(() => rm(base, { recursive: true }));

  it('every commit of every writer is there, once', async () => {
    await race(() => new FileSystemStorageHandler(), pathToFileURL(`${base}/table/`));
  });
});

describe.skipIf(versitygwMissing !== undefined)('S3', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startVersitygw();
    await server.createBucket('race');
  });
  afterAll(() => server.stop());

  it('every commit of every writer is there, once', async () => {
    await race(() => new S3StorageHandler(server.client()), new URL('s3://race/table/'));
  });
});
