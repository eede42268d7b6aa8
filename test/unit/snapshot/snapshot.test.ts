import { describe, expect, it } from 'vitest';
import { LogPath } from '../../../src/kernel/log/log-path.ts';
import { Snapshot, type SnapshotOptions } from '../../../src/kernel/snapshot/snapshot.ts';
import {
  add,
  commits,
  countingStorage,
  features,
  lines,
  logStorage,
  metadataOf,
  PROTOCOL,
  rowEngine,
  TABLE_ROOT,
  v,
} from '../../helpers/row-engine.ts';

const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';
const load = (files: Record<string, string>, options?: SnapshotOptions) =>
  Snapshot.load(rowEngine(logStorage(files)), TABLE_ROOT, options);
const crc = (id: string, rest = {}) =>
  JSON.stringify({
    tableSizeBytes: 1,
    numFiles: 1,
    numMetadata: 1,
    numProtocol: 1,
    protocol: PROTOCOL.protocol,
    metadata: metadataOf({}, id).metaData,
    ...rest,
  });

describe('loading a snapshot', () => {
  it('has version, schema, protocol and metadata', async () => {
    const snapshot = await load(commits(3));
    expect(snapshot).toMatchObject({
      version: 3,
      protocol: { minReaderVersion: 1, minWriterVersion: 2 },
      metadata: { id: 'm', partitionColumns: [], format: { provider: 'parquet' } },
    });
    expect(snapshot.schema.fields.map(({ name }) => name)).toEqual(['id']);
    expect(snapshot.tableRoot.href).toBe('memory:///t/');
  });

  it('makes scans of itself', async () => {
    const snapshot = await load(commits(1));
    const scan = snapshot.scan({ columns: ['id'] });
    expect(scan.snapshot).toBe(snapshot);
    expect(scan.logicalSchema.fields.map(({ name }) => name)).toEqual(['id']);
    expect(() => snapshot.scan({ columns: ['nothing'] })).toThrow(
      expect.objectContaining({ code: 'Schema' }),
    );
  });

  it('takes a root without a slash, as text, and keeps its query', async () => {
    const engine = rowEngine(logStorage(commits(1)));
    expect((await Snapshot.load(engine, 'memory:///t')).version).toBe(1);
    const signed = await Snapshot.load(engine, 'memory:///t?sig=s#part');
    expect(signed.tableRoot.href).toBe('memory:///t/?sig=s');
    expect(signed.logSegment.logRoot.href).toBe('memory:///t/_delta_log/?sig=s');
    await expect(Snapshot.load(engine, 't')).rejects.toMatchObject({ code: 'InvalidUrl' });
  });

  it('costs one listing and one hint side by side, then commits and checkpoint side by side', async () => {
    const files = {
      ...commits(12),
      [`${v(10)}.checkpoint.parquet`]: lines(PROTOCOL, metadataOf(), add('f0')),
      _last_checkpoint: '{"version":10,"size":3}',
    };
    const storage = countingStorage(logStorage(files));
    expect((await Snapshot.load(rowEngine(storage), TABLE_ROOT)).version).toBe(12);
    expect(storage.requests.slice(0, 2).sort()).toEqual(['get _last_checkpoint', `list ${v(0)}`]);
    expect(storage.requests.slice(2).sort()).toEqual(
      [`${v(10)}.checkpoint.parquet`, `${v(11)}.json`, `${v(12)}.json`].map((name) => `get ${name}`),
    );
    expect(storage.maxInFlight()).toBe(3);
  });

  it('takes the newest metadata and the newest protocol', async () => {
    const files = commits(4);
    files[`${v(2)}.json`] = lines(metadataOf({}, 'two'));
    files[`${v(3)}.json`] = lines({ protocol: { minReaderVersion: 1, minWriterVersion: 4 } });
    expect(await load(files)).toMatchObject({ metadata: { id: 'two' }, protocol: { minWriterVersion: 4 } });
    expect(await load(files, { version: 1 })).toMatchObject({
      metadata: { id: 'm' },
      protocol: { minWriterVersion: 2 },
    });
  });

  it('stops reading commits where both are found', async () => {
    const files = {
      ...commits(40),
      [`${v(40)}.json`]: lines(PROTOCOL, metadataOf({}, 'last')),
      [`${v(0)}.json`]: 'broken',
    };
    expect(await load(files)).toMatchObject({ metadata: { id: 'last' } });
  });

  it('refuses a commit with two metaData whatever is found first', async () => {
    const files = {
      ...commits(1),
      [`${v(1)}.json`]: lines(PROTOCOL, metadataOf(), add('a'), metadataOf({}, 'other')),
    };
    const engine = rowEngine(logStorage(files), 2);
    await expect(Snapshot.load(engine, TABLE_ROOT)).rejects.toMatchObject({ code: 'InvalidLog', version: 1 });
  });

  it.each([
    ['MissingProtocol', [metadataOf()]],
    ['MissingMetadata', [PROTOCOL]],
    ['MissingMetadataAndProtocol', [add('a')]],
  ])('%s', async (code, actions) => {
    await expect(load({ [`${v(0)}.json`]: lines(...actions) })).rejects.toMatchObject({
      code,
      table: 'memory:///t/',
      version: 0,
    });
  });

  it('says what is not there', async () => {
    await expect(load({})).rejects.toMatchObject({ code: 'TableNotFound', table: 'memory:///t/' });
    await expect(load(commits(3), { version: 4 })).rejects.toMatchObject({
      code: 'MissingVersion',
      version: 4,
    });
    const { [`${v(0)}.json`]: _, ...truncated } = commits(3);
    await expect(load(truncated)).rejects.toMatchObject({
      code: 'InvalidLog',
      message: expect.stringMatching(/version 0 is missing/),
    });
    await expect(load(truncated, { version: 0 })).rejects.toMatchObject({ code: 'MissingVersion' });
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53])('refuses version %s', async (version) => {
    await expect(load(commits(1), { version })).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it.each([
    [{ minReaderVersion: 99, minWriterVersion: 7 }, 'Unsupported', undefined],
    [features(['geospatial']).protocol, 'Unsupported', 'geospatial'],
    [features(['deletionVectors', 'fromTheFuture']).protocol, 'Unsupported', 'fromTheFuture'],
    [{ minReaderVersion: 3, minWriterVersion: 7 }, 'InvalidProtocol', undefined],
  ])('refuses protocol %j', async (protocol, code, feature) => {
    const error = await load({ [`${v(0)}.json`]: lines({ protocol }, metadataOf()) }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code, table: 'memory:///t/', version: 0, ...(feature && { feature }) });
  });

  it('refuses another data format, a schema that is none, and partition columns that are not there', async () => {
    const withMetadata = (change: object) =>
      load({ [`${v(0)}.json`]: lines(PROTOCOL, { metaData: { ...metadataOf().metaData, ...change } }) });
    await expect(withMetadata({ format: { provider: 'orc' } })).rejects.toMatchObject({
      code: 'Unsupported',
    });
    await expect(withMetadata({ schemaString: '{' })).rejects.toMatchObject({
      version: 0,
      path: `_delta_log/${v(0)}.json`,
    });
    expect((await withMetadata({ schemaString: null })).schema.fields).toEqual([]);
    await expect(withMetadata({ partitionColumns: ['x'] })).rejects.toMatchObject({
      code: 'Schema',
      column: 'x',
    });
    expect((await withMetadata({ partitionColumns: ['ID'] })).metadata.partitionColumns).toEqual(['id']);
  });

  it('stops when it is told to', async () => {
    const reason = new Error('enough');
    await expect(load(commits(1), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a checksum', () => {
  it('of the version saves reading the log', async () => {
    const storage = countingStorage(logStorage({ ...commits(3), [`${v(3)}.crc`]: crc('from-crc') }));
    const snapshot = await Snapshot.load(rowEngine(storage), TABLE_ROOT);
    expect(snapshot).toMatchObject({ metadata: { id: 'from-crc' }, checksum: { numFiles: 1 } });
    expect(storage.requests).toHaveLength(3);
  });

  it('of an earlier version saves reading what is before it', async () => {
    const files = { ...commits(5), [`${v(3)}.crc`]: crc('from-crc'), [`${v(0)}.json`]: 'broken' };
    files[`${v(4)}.json`] = lines({ protocol: { minReaderVersion: 1, minWriterVersion: 3 } });
    const snapshot = await load(files);
    expect(snapshot).toMatchObject({ metadata: { id: 'from-crc' }, protocol: { minWriterVersion: 3 } });
    expect(snapshot.checksum).toBeUndefined();
  });

  it.each([
    ['is no JSON', 'x'],
    ['has no protocol', crc('bad', { protocol: undefined })],
    ['has no metadata', crc('bad', { metadata: null })],
    ['counts two protocols', crc('bad', { numProtocol: 2 })],
    ['counts no metadata', crc('bad', { numMetadata: 0 })],
    ['has a broken schema', crc('bad', { metadata: { id: 'bad', schemaString: '{' } })],
  ])('that %s counts as absent', async (_, text) => {
    expect(await load({ ...commits(3), [`${v(3)}.crc`]: text })).toMatchObject({ metadata: { id: 'm' } });
  });
});

describe('refresh', () => {
  it('gives the same object where nothing is new, and reads only what is', async () => {
    const memory = logStorage(commits(3));
    const storage = countingStorage(memory);
    const engine = rowEngine(storage);
    const snapshot = await Snapshot.load(engine, TABLE_ROOT);
    storage.requests.length = 0;
    expect(await snapshot.refresh(engine, { version: 3 })).toBe(snapshot);
    expect(storage.requests).toEqual([]);
    expect(await snapshot.refresh(engine)).toBe(snapshot);
    expect(storage.requests).toEqual([`list ${v(0)}`]);

    memory.set(new URL(`_delta_log/${v(4)}.json`, TABLE_ROOT), lines(metadataOf({}, 'four')));
    storage.requests.length = 0;
    const newer = await snapshot.refresh(engine);
    expect(newer).toMatchObject({ version: 4, metadata: { id: 'four' }, protocol: PROTOCOL.protocol });
    expect(storage.requests).toEqual([`list ${v(0)}`, `get ${v(4)}.json`]);
    expect(snapshot.version).toBe(3);
  });

  it('refuses older and missing versions', async () => {
    const engine = rowEngine(logStorage(commits(3)));
    const snapshot = await Snapshot.load(engine, TABLE_ROOT);
    await expect(snapshot.refresh(engine, { version: 2 })).rejects.toMatchObject({ code: 'InvalidOption' });
    await expect(snapshot.refresh(engine, { version: 5 })).rejects.toMatchObject({ code: 'MissingVersion' });
  });

  // LR-19: a refreshed snapshot is what a first load gives, whatever appeared meanwhile.
  const checkpointOf = (version: number) => ({
    [`${v(version)}.checkpoint.parquet`]: lines(PROTOCOL, metadataOf()),
  });
  it.each<[string, Record<string, string>, string[]]>([
    ['a checkpoint of the same version', checkpointOf(3), []],
    ['a checkpoint of an earlier version', checkpointOf(2), []],
    ['a newer checkpoint', { ...commits(8, 4), ...checkpointOf(6) }, []],
    [
      'a newer checkpoint, older commits cleaned up',
      { ...commits(8, 4), ...checkpointOf(6) },
      [0, 1, 2, 3, 4, 5].map((n) => `${v(n)}.json`),
    ],
    ['a checksum of the same version', { [`${v(3)}.crc`]: crc('m') }, []],
    ['commits', commits(5, 4), []],
    [
      'a checksum older than a new checkpoint',
      { [`${v(3)}.crc`]: crc('m'), ...commits(5, 4), ...checkpointOf(4) },
      [],
    ],
    ['compaction', { [`${v(1)}.${v(3)}.compacted.json`]: lines(add('x')) }, []],
  ])('equals a first load after %s', async (_, added, removed) => {
    const memory = logStorage(commits(3));
    const engine = rowEngine(memory);
    const snapshot = await Snapshot.load(engine, TABLE_ROOT);
    for (const [name, text] of Object.entries(added))
      memory.set(new URL(`_delta_log/${name}`, TABLE_ROOT), text);
    for (const name of removed) await memory.delete(new URL(`_delta_log/${name}`, TABLE_ROOT));
    const [refreshed, cold] = [await snapshot.refresh(engine), await Snapshot.load(engine, TABLE_ROOT)];
    expect(refreshed.logSegment).toEqual(cold.logSegment);
    expect(refreshed.metadata).toEqual(cold.metadata);
    expect(refreshed.checksum).toEqual(cold.checksum);
    expect(await refreshed.refresh(engine)).toBe(refreshed);
  });

  it('keeps the runtime', async () => {
    const runtime = { now: () => 5, uuid: () => 'u' };
    const memory = logStorage(commits(1));
    const engine = rowEngine(memory);
    const snapshot = await Snapshot.load(engine, TABLE_ROOT, { runtime });
    memory.set(new URL(`_delta_log/${v(2)}.json`, TABLE_ROOT), lines(add('a')));
    expect((await snapshot.refresh(engine)).runtime).toBe(runtime);
  });
});

describe('catalog-managed tables', () => {
  const managed = (last: number) => ({
    ...commits(last),
    [`${v(0)}.json`]: lines(
      features(['catalogManaged'], ['inCommitTimestamp']),
      metadataOf({ 'delta.enableInCommitTimestamps': 'true' }),
    ),
  });
  const staged = (version: number) => LogPath.stagedCommit(TABLE_ROOT, `${v(version)}.${UUID}.json`, 1, 10);
  const withStaged = (last: number, ...versions: number[]) => ({
    ...managed(last),
    ...Object.fromEntries(
      versions.map((n) => [`_staged_commits/${v(n)}.${UUID}.json`, lines(metadataOf({}, `s${n}`))]),
    ),
  });

  // UC-05
  it('are refused without the catalog, with what to do', async () => {
    await expect(load(managed(2))).rejects.toMatchObject({
      code: 'MaxCatalogVersion',
      feature: 'catalogManaged',
      message: expect.stringMatching(/through the catalog/),
    });
  });

  it('and other tables are refused with one', async () => {
    await expect(load(commits(2), { maxCatalogVersion: 2 })).rejects.toMatchObject({
      code: 'MaxCatalogVersion',
    });
  });

  it('load up to the maximum, staged commits first, nothing above', async () => {
    const files = withStaged(4, 3, 4, 5);
    const snapshot = await load(files, { logTail: [staged(3), staged(4), staged(5)], maxCatalogVersion: 5 });
    expect(snapshot).toMatchObject({
      version: 5,
      metadata: { id: 's5' },
      logSegment: { maxPublishedVersion: 4 },
    });
    expect(await load(files, { maxCatalogVersion: 2 })).toMatchObject({ version: 2, metadata: { id: 'm' } });
    expect(await load(files, { logTail: [staged(3)], maxCatalogVersion: 3 })).toMatchObject({
      metadata: { id: 's3' },
    });
  });

  it('travel in time below the maximum', async () => {
    const files = withStaged(2, 3, 4);
    const logTail = [staged(3), staged(4)];
    expect(await load(files, { version: 3, logTail, maxCatalogVersion: 4 })).toMatchObject({ version: 3 });
    expect(await load(files, { version: 1, logTail, maxCatalogVersion: 4 })).toMatchObject({ version: 1 });
    expect(await load(files, { version: 1, logTail: [], maxCatalogVersion: 4 })).toMatchObject({
      version: 1,
    });
  });

  it.each<[string, string, SnapshotOptions]>([
    [
      'a gap in the tail',
      'LogTailVersionsNotContiguous',
      { logTail: [staged(3), staged(5)], maxCatalogVersion: 5 },
    ],
    [
      'a duplicate',
      'LogTailVersionsNotContiguous',
      { logTail: [staged(3), staged(3)], maxCatalogVersion: 3 },
    ],
    [
      'a descending tail',
      'LogTailVersionsNotContiguous',
      { logTail: [staged(4), staged(3)], maxCatalogVersion: 3 },
    ],
    ['staged commits without a maximum', 'MaxCatalogVersion', { logTail: [staged(3)] }],
    ['a version above the maximum', 'MaxCatalogVersion', { version: 5, maxCatalogVersion: 4 }],
    [
      'a tail that ends before the maximum',
      'MaxCatalogVersion',
      { logTail: [staged(3)], maxCatalogVersion: 4 },
    ],
    [
      'a tail that ends after the maximum',
      'MaxCatalogVersion',
      { logTail: [staged(3), staged(4)], maxCatalogVersion: 3 },
    ],
    [
      'a tail that ends before the version',
      'MaxCatalogVersion',
      { version: 4, logTail: [staged(3)], maxCatalogVersion: 4 },
    ],
    ['a negative maximum', 'InvalidOption', { maxCatalogVersion: -1 }],
    ['a maximum that the log does not reach', 'MissingVersion', { maxCatalogVersion: 9 }],
    ['a tail that does not join the log', 'InvalidLog', { logTail: [staged(4)], maxCatalogVersion: 4 }],
  ])('refuse %s', async (_, code, options) => {
    await expect(load(withStaged(2, 3, 4), options)).rejects.toMatchObject({ code });
  });

  it('refresh with the tail', async () => {
    const engine = rowEngine(logStorage(withStaged(2, 3, 4)));
    const snapshot = await Snapshot.load(engine, TABLE_ROOT, { maxCatalogVersion: 2 });
    await expect(snapshot.refresh(engine)).rejects.toMatchObject({ code: 'MaxCatalogVersion' });
    expect(await snapshot.refresh(engine, { maxCatalogVersion: 2 })).toBe(snapshot);
    const newer = await snapshot.refresh(engine, { logTail: [staged(3), staged(4)], maxCatalogVersion: 4 });
    expect(newer).toMatchObject({ version: 4, metadata: { id: 's4' } });
  });
});

describe('what applications left', () => {
  const txn = (appId: string, version: number, lastUpdated?: number) => ({
    txn: { appId, version, lastUpdated },
  });
  const domain = (name: string, configuration: string, removed = false) => ({
    domainMetadata: { domain: name, configuration, removed },
  });
  const runtime = { now: () => 10_000_000, uuid: () => 'u' };

  async function open(files: Record<string, string>) {
    const engine = rowEngine(logStorage(files));
    return { engine, snapshot: await Snapshot.load(engine, TABLE_ROOT, { runtime }) };
  }

  it('is the newest version of each application, from commits and checkpoint', async () => {
    const { engine, snapshot } = await open({
      ...commits(4),
      [`${v(2)}.checkpoint.parquet`]: lines(PROTOCOL, metadataOf(), txn('a', 1), txn('b', 7)),
      [`${v(3)}.json`]: lines(txn('a', 2)),
    });
    expect(await snapshot.getAppIdVersion(engine, 'a')).toBe(2);
    expect(await snapshot.getAppIdVersion(engine, 'b')).toBe(7);
    expect(await snapshot.getAppIdVersion(engine, 'c')).toBeUndefined();
  });

  it('is listed for all applications, with all domains that are left', async () => {
    const { engine, snapshot } = await open({
      ...commits(4),
      [`${v(2)}.checkpoint.parquet`]: lines(
        PROTOCOL,
        metadataOf(),
        txn('b', 7),
        txn('a', 1),
        domain('x', '1'),
      ),
      [`${v(3)}.json`]: lines(txn('a', 2), domain('y', '2'), domain('x', '', true)),
    });
    expect(await snapshot.applicationState(engine)).toEqual({
      setTransactions: [
        { appId: 'a', version: 2 },
        { appId: 'b', version: 7 },
      ],
      domainMetadata: [{ domain: 'y', configuration: '2', removed: false }],
    });
  });

  it('expires after the retention of the table', async () => {
    const metadata = metadataOf({ 'delta.setTransactionRetentionDuration': 'interval 1 hour' });
    const { engine, snapshot } = await open({
      ...commits(1),
      [`${v(0)}.json`]: lines(
        PROTOCOL,
        metadata,
        txn('old', 1, 6_400_000),
        txn('new', 2, 6_400_001),
        txn('none', 3),
      ),
    });
    expect(await snapshot.getAppIdVersion(engine, 'old')).toBeUndefined();
    expect(await snapshot.getAppIdVersion(engine, 'new')).toBe(2);
    expect(await snapshot.getAppIdVersion(engine, 'none')).toBe(3);
  });

  it('are domains, newest first, removed ones gone', async () => {
    const files = { ...commits(3), [`${v(1)}.json`]: lines(domain('x', 'old'), domain('y', 'y')) };
    files[`${v(2)}.json`] = lines(domain('x', 'new'), domain('y', 'y', true));
    const { engine, snapshot } = await open(files);
    expect(await snapshot.getDomainMetadata(engine, 'x')).toBe('new');
    expect(await snapshot.getDomainMetadata(engine, 'y')).toBeUndefined();
    await expect(snapshot.getDomainMetadata(engine, 'delta.rowTracking')).rejects.toMatchObject({
      code: 'InvalidOption',
    });
  });

  it('comes from a checksum that knows all of it', async () => {
    const full = crc('m', {
      setTransactions: [{ appId: 'a', version: 5, lastUpdated: 1 }],
      domainMetadata: [{ domain: 'x', configuration: 'c', removed: false }],
    });
    const { engine, snapshot } = await open({ ...commits(2), [`${v(2)}.crc`]: full });
    expect(await snapshot.getAppIdVersion(engine, 'a')).toBe(5);
    expect(await snapshot.getAppIdVersion(engine, 'b')).toBeUndefined();
    expect(await snapshot.getDomainMetadata(engine, 'x')).toBe('c');
    expect(await snapshot.getDomainMetadata(engine, 'y')).toBeUndefined();
    expect(engine.reads).toEqual([]);
  });

  it('is looked up in the log where the checksum does not say', async () => {
    const { engine, snapshot } = await open({
      ...commits(2),
      [`${v(1)}.json`]: lines(txn('a', 4)),
      [`${v(2)}.crc`]: crc('m'),
    });
    expect(await snapshot.getAppIdVersion(engine, 'a')).toBe(4);
  });

  it('includes clustering columns, by logical names', async () => {
    const schemaString = JSON.stringify({
      type: 'struct',
      fields: [
        {
          name: 's',
          type: {
            type: 'struct',
            fields: [
              {
                name: 'x',
                type: 'long',
                nullable: true,
                metadata: { 'delta.columnMapping.id': 2, 'delta.columnMapping.physicalName': 'col-2' },
              },
            ],
          },
          nullable: true,
          metadata: { 'delta.columnMapping.id': 1, 'delta.columnMapping.physicalName': 'col-1' },
        },
      ],
    });
    const metaData = { ...metadataOf({ 'delta.columnMapping.mode': 'name' }).metaData, schemaString };
    const commit = (configuration: string) => ({
      [`${v(0)}.json`]: lines(
        features(['columnMapping'], ['domainMetadata', 'clustering']),
        { metaData },
        domain('delta.clustering', configuration),
      ),
    });
    const clusteringColumns = async (configuration: string) => {
      const { engine, snapshot } = await open(commit(configuration));
      return snapshot.clusteringColumns(engine);
    };
    expect(await clusteringColumns('{"clusteringColumns":[["col-1","col-2"]]}')).toEqual([['s', 'x']]);
    await expect(clusteringColumns('{"clusteringColumns":[["s"]]}')).rejects.toMatchObject({
      code: 'Schema',
    });
    await expect(clusteringColumns('{}')).rejects.toMatchObject({ code: 'MalformedJson' });
    const plain = await open(commits(1));
    expect(await plain.snapshot.clusteringColumns(plain.engine)).toBeUndefined();
  });
});
