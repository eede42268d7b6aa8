/** Catalog-managed tables end to end: one of the corpus through a catalog, and a new one over HTTP and S3. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import { recordText } from '../../src/catalog/embedded/table-record.ts';
import type { RatifiedCommit } from '../../src/catalog/staged-commit.ts';
import { StorageCatalog } from '../../src/catalog.ts';
import { FileSystemCommitter } from '../../src/kernel/committer/file-system-committer.ts';
import { LogPath } from '../../src/kernel/log/log-path.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';
import { S3StorageHandler } from '../../src/storage/s3.ts';
import type { DeltaTable } from '../../src/table/delta-table.ts';
import { UnityCatalog } from '../../src/unity.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { UcStub } from '../helpers/uc-stub/stub.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';

const shared = sharedDir();

describe.skipIf(shared === undefined)(`catalog_managed_0${shared ? '' : ` (${sharedMissing})`}`, () => {
  const folder = join(shared ?? '', 'corpus/tables/unity-catalog/catalog_managed_0/delta/');
  const root = new URL(`${pathToFileURL(folder)}`);
  const staged = join(folder, '_delta_log/_staged_commits');
  const commits = (): RatifiedCommit[] =>
    readdirSync(staged)
      .sort()
      .map((fileName) => ({
        version: Number(fileName.slice(0, 20)),
        fileName,
        timestamp: 1,
        fileSize: readFileSync(join(staged, fileName)).length,
        fileModificationTimestamp: 1,
      }));

  /** As the README of the corpus says: part1 is col1 div 100, col1 0 to 199. */
  async function rowsOf(table: DeltaTable): Promise<string[]> {
    const rows: string[] = [];
    for await (const batch of table.scan()) {
      for (const row of batch) rows.push(`${row?.part1} ${row?.col1}`);
    }
    return rows.sort();
  }

  it.each([
    [0, 0],
    [1, 100],
    [2, 200],
    [undefined, 200],
  ])('opens through a catalog: version %s has %i rows', async (version, count) => {
    const records = new MemoryRecordStore();
    const record = { tableId: 'x', location: root.href, latestVersion: 2, commits: commits() };
    await records.replace('tables/managed.json', recordText(record), undefined);
    const storage = new FileSystemStorageHandler();
    const catalog = new StorageCatalog({
      records,
      storage,
      root: new URL('..', root),
      engine: localEngine(),
    });
    const table = await catalog.open('managed', { version });
    expect(table.version).toBe(version ?? 2);
    const expected = Array.from({ length: count }, (_, i) => `${Math.floor(i / 100)} ${i}`);
    expect(await rowsOf(table)).toEqual(expected.sort());
    if (version !== 0) {
      const time = version === 1 ? 1_749_830_871_085 : 1_749_830_881_799;
      expect(await table.snapshot.timestamp(table.engine)).toBe(time);
    }
  });

  const tail = (...versions: number[]) =>
    versions.map((version) => {
      const found = commits().find((commit) => commit.version === version) ?? commits()[0]!;
      const name = found.fileName.replace(/^\d{20}/, String(version).padStart(20, '0'));
      return LogPath.stagedCommit(root, name, 1, found.fileSize);
    });

  it.each([
    ['a gap', [1, 3], 3, undefined, 'LogTailVersionsNotContiguous'],
    ['a duplicate', [1, 1, 2], 2, undefined, 'LogTailVersionsNotContiguous'],
    ['no order', [2, 1], 2, undefined, 'LogTailVersionsNotContiguous'],
    ['an end beyond the maximum', [1, 2], 1, undefined, 'MaxCatalogVersion'],
    ['an end before the maximum', [1], 2, undefined, 'MaxCatalogVersion'],
    ['an end before the version', [1], 2, 2, 'MaxCatalogVersion'],
    ['no maximum', [1, 2], undefined, undefined, 'MaxCatalogVersion'],
    ['a version beyond the maximum', [1, 2], 2, 3, 'MaxCatalogVersion'],
    ['a start that leaves a gap to what is published', [2], 2, undefined, 'InvalidLog'],
    ['a file that is not there', [1, 2, 3], 3, undefined, 'FileNotFound'],
  ] as const)('is refused with a tail with %s', async (_, versions, maxCatalogVersion, version, code) => {
    const options = { logTail: tail(...versions), maxCatalogVersion, version };
    const opened = Snapshot.load(localEngine(), root, options);
    await expect(opened).rejects.toMatchObject({ name: 'DeltaError', code });
  });

  it('is refused by path, in reading and in writing', async () => {
    await expect(Snapshot.load(localEngine(), root)).rejects.toMatchObject({ code: 'MaxCatalogVersion' });
    const options = { logTail: tail(1, 2), maxCatalogVersion: 2 };
    const snapshot = await Snapshot.load(localEngine(), root, options);
    const commit = snapshot.transaction(new FileSystemCommitter()).withOperation('X').commit(localEngine());
    await expect(commit).rejects.toMatchObject({ code: 'CommitterMismatch' });
  });
});

describe.skipIf(versitygwMissing)(
  'Unity Catalog over HTTP, with credentials that it hands out for S3',
  () => {
    const SCHEMA = types.struct([field('id', types.long), field('city', types.string)]);
    let s3: S3Server;
    let stub: UcStub;
    let server: Awaited<ReturnType<UcStub['listen']>>;

    beforeAll(async () => {
      s3 = await startVersitygw();
      await s3.createBucket('lake');
      const { accessKeyId, secretAccessKey } = s3.credentials;
      stub = new UcStub({
        storageRoot: 's3://lake/uc',
        tokens: { 'admin-token': 'admin' },
        // Without a session token, which versitygw would refuse.
        vend: () => ({
          config: { 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
          expirationTimeMs: null,
        }),
      }).addSchema('cat', 'sch');
      server = await stub.listen();
    });
    afterAll(async () => {
      await server?.close();
      await s3?.stop();
    });

    const unity = (token = 'admin-token') =>
      new UnityCatalog({
        url: server.url,
        token: async () => token,
        s3: { endpoint: s3.endpoint, region: s3.region },
      });

    it('four phases: load, commit, handle what comes of it, publish; then a checkpoint', async () => {
      await unity().create('cat.sch.t', SCHEMA);
      const [one, two] = [await unity().open('cat.sch.t'), await unity().open('cat.sch.t')];
      expect(await one.append([{ id: 1n, city: 'Oslo' }])).toBe(1);
      expect(await two.append([{ id: 2n, city: 'Rome' }])).toBe(2);
      expect(await two.delete("city = 'Oslo'")).toMatchObject({ deletedRows: 1, version: 3 });
      expect(await two.checkpoint()).toBe('written');
      const table = await unity().open('cat.sch.t');
      expect([table.version, await table.count()]).toEqual([3, 1]);
      expect((await table.history()).map(({ operation }) => operation)).toEqual([
        'DELETE',
        'WRITE',
        'WRITE',
        'CREATE TABLE',
      ]);
      // What is published is what was ratified, byte for byte.
      const storage = new S3StorageHandler(s3.client());
      const published: string[] = [];
      for await (const { location } of storage.listFrom(new URL('_delta_log/', table.url))) {
        const name = location.pathname.split('/').at(-1)!;
        if (/^\d{20}\.json$/.test(name)) published.push(name);
      }
      expect(published).toHaveLength(4);
      expect(stub.table('cat', 'sch', 't').published).toBe(3);
    });

    it('says what is wrong with a token, and never the token', async () => {
      const error = await unity('wrong-token')
        .open('cat.sch.t')
        .catch((failure: unknown) => failure as Error);
      expect(error).toMatchObject({ code: 'Unauthorized', status: 401 });
      expect(String((error as Error).stack) + JSON.stringify(error)).not.toContain('wrong-token');
    });
  },
);
