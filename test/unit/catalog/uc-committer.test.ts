/** What the committer makes of every answer that the catalog can give, get lost, or give too late. */
import { beforeEach, describe, expect, it } from 'vitest';
import { UCCommitter } from '../../../src/catalog/unity/uc-committer.ts';
import type { Metadata } from '../../../src/kernel/actions/types.ts';
import { CommitMetadata, type CommitMetadataFields } from '../../../src/kernel/committer/commit-metadata.ts';
import type { CommitResponse } from '../../../src/kernel/committer/committer.ts';
import { allSelected, type FilteredEngineData } from '../../../src/kernel/engine-data.ts';
import { schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { MANAGED_PROTOCOL } from '../../helpers/managed-table.ts';
import type { StubAnswer, StubRequest } from '../../helpers/uc-stub/stub.ts';
import { type UnityTestTable, unityTable } from '../../helpers/uc-stub/table.ts';

const INFO = types.struct([field('commitInfo', types.struct([field('txnId', types.string)]))]);
const TIME = 1_700_000_001_000;

let table: UnityTestTable;
let committer: UCCommitter;
let warnings: unknown[];
let next = 0;

beforeEach(async () => {
  table = await unityTable();
  await table.engine.ready();
  warnings = [];
  committer = committerOf();
});

function committerOf(): UCCommitter {
  return new UCCommitter(table, { onWarning: (warning) => warnings.push(warning) });
}

function attempt(version: number, fields: Partial<CommitMetadataFields> = {}): CommitMetadata {
  next += 1;
  return new CommitMetadata(
    {
      tableRoot: table.tableRoot,
      version,
      commitType: 'catalogManagedWrite',
      inCommitTimestamp: TIME + version,
      txnId: `txn-${next}`,
      maxPublishedVersion: 0,
      readProtocol: MANAGED_PROTOCOL,
      readMetadata: table.readMetadata,
      domainMetadataChanges: [],
      ...fields,
    },
    { now: () => TIME, uuid: () => crypto.randomUUID() },
  );
}

async function* actions({ txnId }: CommitMetadata): AsyncGenerator<FilteredEngineData> {
  const value = [txnId];
  yield allSelected(
    table.engine.evaluationHandler.createMany(INFO, [[{ type: INFO.fields[0]!.type, value }]]),
  );
}

const commit = (metadata: CommitMetadata, by = committer): Promise<CommitResponse> =>
  by.commit(table.engine, actions(metadata), metadata);

const isUpdate = ({ method, segments }: StubRequest) => method === 'POST' && segments.at(-1) === 't';
const isAddCommit = (request: StubRequest) => isUpdate(request) && request.text.includes('add-commit');
const isLoad = ({ method, segments }: StubRequest) => method === 'GET' && segments.at(-1) === 't';
const error = (status: number, type: string): StubAnswer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ error: { message: 'injected', type, code: status, stack: null } }),
});

/** Lets the first `times` matching requests through, and gives `fault` instead of their answers. */
function loseAnswers(times: number, fault: StubAnswer | 'drop' = 'drop', matches = isAddCommit): void {
  let count = 0;
  table.stub.after = (request) => (matches(request) && count++ < times ? fault : undefined);
}

function refuse(times: number, fault: StubAnswer | 'drop', matches = isAddCommit): void {
  let count = 0;
  table.stub.before = (request) => (matches(request) && count++ < times ? fault : undefined);
}

const rows = () => table.stub.table('cat', 'sch', 't').rows;

async function stagedNames(): Promise<string[]> {
  const names: string[] = [];
  const directory = new URL('_delta_log/_staged_commits/', table.tableRoot);
  for await (const { location } of table.storage.listFrom(directory)) {
    names.push(location.pathname.split('/').at(-1)!);
  }
  return names;
}

describe('one request', () => {
  it('has the staged file as it is, the in-commit timestamp, and what is published', async () => {
    let body: Record<string, unknown> = {};
    table.stub.before = (request) => {
      if (isUpdate(request)) body = JSON.parse(request.text);
      return undefined;
    };
    const response = await commit(attempt(1));
    const [name] = await stagedNames();
    const { size, lastModified } = await table.storage.head(
      new URL(`_delta_log/_staged_commits/${name}`, table.tableRoot),
    );
    expect(body).toEqual({
      requirements: [{ type: 'assert-table-uuid', uuid: table.tableId }],
      updates: [
        {
          action: 'add-commit',
          commit: {
            version: 1,
            timestamp: TIME + 1,
            'file-name': name,
            'file-size': size,
            'file-modification-timestamp': Math.trunc(lastModified),
          },
        },
        { action: 'set-latest-backfilled-version', 'latest-published-version': 0 },
      ],
    });
    expect(response).toMatchObject({ kind: 'committed', fileMeta: { size, lastModified: TIME + 1 } });
  });

  it('carries changes of metadata, protocol and domains, without what the server makes up', async () => {
    const schema = types.struct([field('id', types.long), field('tags', types.array(types.string))]);
    const { 'delta.checkpointPolicy': _, ...rest } = table.readMetadata.configuration;
    const newMetadata: Metadata = {
      ...table.readMetadata,
      schema,
      schemaString: schemaToJson(schema),
      description: 'new words',
      configuration: { ...rest, mine: '1', 'delta.lastUpdateVersion': '7' },
    };
    const newProtocol = {
      ...MANAGED_PROTOCOL,
      writerFeatures: [...MANAGED_PROTOCOL.writerFeatures!, 'domainMetadata', 'rowTracking', 'clustering'],
    };
    await commit(
      attempt(1, {
        newMetadata,
        newProtocol,
        domainMetadataChanges: [
          {
            domain: 'delta.rowTracking',
            configuration: '{"rowIdHighWaterMark":9007199254740993}',
            removed: false,
          },
          {
            domain: 'delta.clustering',
            configuration: '{"clusteringColumns":[["id"]],"domainName":"delta.clustering"}',
            removed: false,
          },
          { domain: 'mine', configuration: 'x', removed: false },
        ],
      }),
    );
    const changed = table.stub.table('cat', 'sch', 't');
    expect((changed.columns.fields as { name: string }[]).map(({ name }) => name)).toEqual(['id', 'tags']);
    expect(changed.comment).toBe('new words');
    expect(changed.properties.get('mine')).toBe('1');
    expect(changed.properties.has('delta.lastUpdateVersion')).toBe(false);
    expect(changed.properties.has('delta.checkpointPolicy')).toBe(false);
    expect(changed.protocol['writer-features']).toEqual(newProtocol.writerFeatures);
    expect(
      String((changed.domains.get('delta.rowTracking') as Record<string, unknown>).rowIdHighWaterMark),
    ).toBe('9007199254740993');
    expect(changed.domains.get('delta.clustering')).toEqual({ clusteringColumns: [['id']] });
    expect(changed.lastCommitVersion).toBe(1);
    const removed = { domain: 'delta.clustering', configuration: '{}', removed: true };
    await commit(attempt(2, { domainMetadataChanges: [removed] }));
    expect(changed.domains.has('delta.clustering')).toBe(false);
  });
});

describe('an answer that got lost', () => {
  it.each([
    ['a broken connection', 'drop' as const],
    ['a server error', error(500, 'InternalServerErrorException')],
    ['a state that is unknown', error(500, 'CommitStateUnknownException')],
    ['a gateway without JSON', { status: 502, contentType: 'text/html', body: '<html>' }],
    ['a conflict with oneself', error(409, 'CommitVersionConflictException')],
  ])('%s, after the commit was made: committed', async (_, fault) => {
    loseAnswers(1, fault);
    expect(await commit(attempt(1))).toMatchObject({ kind: 'committed' });
    expect(rows()).toHaveLength(1);
    expect(await stagedNames()).toHaveLength(1);
  });

  it.each([
    ['a broken connection', 'drop' as const],
    ['a server error', error(503, 'InternalServerErrorException')],
  ])('%s, and nothing was done: the same file is sent again', async (_, fault) => {
    refuse(1, fault);
    const response = await commit(attempt(1));
    expect(response).toMatchObject({ kind: 'committed' });
    expect(await stagedNames()).toEqual([rows()[0]!['file-name']]);
  });

  it('while another writer wins: conflict', async () => {
    let lost = false;
    table.stub.before = (request) => {
      if (!isAddCommit(request) || lost) return undefined;
      lost = true;
      const { commit: sent } = JSON.parse(request.text).updates[0];
      rows().push({ ...sent, 'file-name': `${'1'.padStart(20, '0')}.${crypto.randomUUID()}.json` });
      return 'drop';
    };
    expect(await commit(attempt(1))).toEqual({ kind: 'conflict', version: 1 });
    expect(lost).toBe(true);
  });

  it('after which the commit was published and purged: known by its txnId, committed', async () => {
    const metadata = attempt(1);
    table.stub.after = (request) => {
      if (!isAddCommit(request)) return undefined;
      // Somebody else publishes it at once.
      const unity = table.stub.table('cat', 'sch', 't');
      unity.published = 1;
      table.stub.after = undefined;
      return 'drop';
    };
    await table.storage.put(
      metadata.publishedCommitPath(),
      new TextEncoder().encode(`{"commitInfo":{"txnId":"${metadata.txnId}"}}\n`),
      { overwrite: false },
    );
    expect(await commit(metadata)).toMatchObject({
      kind: 'committed',
      fileMeta: { location: metadata.publishedCommitPath(), lastModified: TIME + 1 },
    });
  });

  it('and another’s was published and purged: conflict', async () => {
    await commit(attempt(1));
    const metadata = attempt(1);
    await table.storage.put(
      metadata.publishedCommitPath(),
      new TextEncoder().encode('{"commitInfo":{"txnId":"x"}}\n'),
      { overwrite: false },
    );
    table.stub.table('cat', 'sch', 't').published = 1;
    expect(await commit(metadata)).toEqual({ kind: 'conflict', version: 1 });
  });

  it('and the catalog cannot be asked: retryable, and the same attempt finds out', async () => {
    loseAnswers(1);
    table.stub.before = (request) => (isLoad(request) ? 'drop' : undefined);
    const metadata = attempt(1);
    await expect(commit(metadata)).rejects.toMatchObject({ code: 'IOError', version: 1 });
    table.stub.before = (request) => (isLoad(request) ? error(403, 'PermissionDeniedException') : undefined);
    await expect(commit(metadata)).rejects.toMatchObject({ code: 'IOError', version: 1 });
    table.stub.before = undefined;
    expect(await commit(metadata)).toMatchObject({ kind: 'committed' });
    expect(await stagedNames()).toHaveLength(1);
  });

  it('every time: retryable in the end', async () => {
    refuse(100, 'drop');
    await expect(commit(attempt(1))).rejects.toMatchObject({ code: 'IOError' });
    expect(
      table.stub.requests.filter((request) => request.startsWith('POST') && request.endsWith('/t')),
    ).toHaveLength(4);
  });

  it('of a resend is asked about like the first', async () => {
    refuse(1, 'drop');
    loseAnswers(1, error(409, 'CommitVersionConflictException'));
    expect(await commit(attempt(1))).toMatchObject({ kind: 'committed' });
    expect(rows()).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('for another table under the name is an error, not a conflict', async () => {
    const other = new UCCommitter({ ...table, tableId: crypto.randomUUID() });
    await expect(commit(attempt(1), other)).rejects.toMatchObject({ code: 'Unsupported' });
    refuse(1, error(409, 'UpdateRequirementConflictException'));
    await expect(commit(attempt(1))).rejects.toMatchObject({
      code: 'CatalogError',
      type: 'UpdateRequirementConflictException',
    });
  });

  it.each([
    [429, 'TooManyRequestsException', 'IOError'],
    [401, 'NotAuthorizedException', 'Unauthorized'],
    [403, 'PermissionDeniedException', 'PermissionDenied'],
    [404, 'NoSuchTableException', 'TableNotFound'],
    [400, 'InvalidParameterValueException', 'CatalogError'],
  ])('%i %s is %s, after one request', async (status, type, code) => {
    refuse(100, error(status, type));
    const metadata = attempt(1);
    await expect(commit(metadata)).rejects.toMatchObject({ code, status });
    expect(
      table.stub.requests.filter((request) => request.startsWith('POST') && request.endsWith('/t')),
    ).toHaveLength(1);
    table.stub.before = undefined;
    expect(await commit(metadata)).toMatchObject({ kind: 'committed' });
  });

  it('of a full catalog: the backlog is published in order, and the same file sent once more', async () => {
    for (let version = 1; version <= 10; version++) await commit(attempt(version));
    const order: string[] = [];
    const copy = table.storage.copyAtomic.bind(table.storage);
    table.storage.copyAtomic = async (source, destination, options) => {
      order.push(destination.pathname.slice(-7, -5));
      await copy(source, destination, options);
    };
    expect(await commit(attempt(11))).toMatchObject({ kind: 'committed' });
    expect(order).toEqual(['01', '02', '03', '04', '05', '06', '07', '08', '09', '10']);
    expect(rows().map(({ version }) => version)).toEqual([11]);
    expect(await stagedNames()).toHaveLength(11);
  });

  it('of a catalog that stays full is TooManyUnpublishedCommits', async () => {
    await commit(attempt(1));
    refuse(100, error(429, 'ResourceExhaustedException'));
    await expect(commit(attempt(2))).rejects.toMatchObject({ code: 'TooManyUnpublishedCommits' });
  });

  it.each([
    [{ readProtocol: { ...MANAGED_PROTOCOL, readerFeatures: ['catalogManaged'] } }, 'vacuumProtocolCheck'],
    [
      { readProtocol: { ...MANAGED_PROTOCOL, writerFeatures: ['catalogManaged', 'vacuumProtocolCheck'] } },
      'inCommitTimestamp',
    ],
  ])('of tables that are none of the catalog’s: %#', async (fields, feature) => {
    await expect(commit(attempt(1, fields))).rejects.toMatchObject({ code: 'Unsupported', feature });
    expect(await stagedNames()).toEqual([]);
  });

  it('of UniForm', async () => {
    const readMetadata = {
      ...table.readMetadata,
      configuration: {
        ...table.readMetadata.configuration,
        'delta.universalFormat.enabledFormats': 'iceberg',
      },
    };
    await expect(commit(attempt(1, { readMetadata }))).rejects.toThrow(/UniForm/);
  });
});

describe('staging', () => {
  it('takes a file of its fresh name for its own, sent twice on the way', async () => {
    const put = table.storage.put.bind(table.storage);
    table.storage.put = async (path, data, options) => {
      await put(path, data, options);
      if (path.pathname.includes('_staged_commits')) await put(path, data, options);
    };
    expect(await commit(attempt(1))).toMatchObject({ kind: 'committed' });
  });

  it('ratifies no file of another length than was written', async () => {
    const head = table.storage.head.bind(table.storage);
    table.storage.head = async (path, options) => ({ ...(await head(path, options)), size: 3 });
    await expect(commit(attempt(1))).rejects.toMatchObject({ code: 'IOError' });
    expect(rows()).toEqual([]);
  });

  it('can be cancelled; what was sent to the catalog cannot', async () => {
    const before = new AbortController();
    before.abort(new Error('stop'));
    const metadata = attempt(1);
    const cancelled = committer.commit(table.engine, actions(metadata), metadata, { signal: before.signal });
    await expect(cancelled).rejects.toThrow('stop');
    expect(rows()).toEqual([]);
    const during = new AbortController();
    table.stub.before = (request) => {
      if (isAddCommit(request)) during.abort(new Error('stop'));
      return undefined;
    };
    const other = attempt(1);
    const response = await committer.commit(table.engine, actions(other), other, { signal: during.signal });
    expect(response).toMatchObject({ kind: 'committed' });
  });
});

describe('publishing', () => {
  it('is no failure where the notice fails, which is a warning', async () => {
    const metadata = attempt(1);
    const response = await commit(metadata);
    if (response.kind !== 'committed') throw new Error('no commit');
    const { location, size } = response.fileMeta;
    refuse(1, error(500, 'InternalServerErrorException'), isUpdate);
    await committer.publish(table.engine, {
      tableRoot: table.tableRoot,
      commitsToPublish: [{ version: 1, location, size, publishedLocation: metadata.publishedCommitPath() }],
      publishVersion: 1,
    });
    expect(warnings).toMatchObject([{ code: 'IOError' }]);
    expect((await table.storage.head(metadata.publishedCommitPath())).size).toBe(size);
    expect(table.stub.table('cat', 'sch', 't').published).toBe(0);
  });

  it('notifies nothing where a published commit differs', async () => {
    const metadata = attempt(1);
    const response = await commit(metadata);
    if (response.kind !== 'committed') throw new Error('no commit');
    await table.storage.put(metadata.publishedCommitPath(), new Uint8Array(3), { overwrite: false });
    const { location, size } = response.fileMeta;
    const publish = committer.publish(table.engine, {
      tableRoot: table.tableRoot,
      commitsToPublish: [{ version: 1, location, size, publishedLocation: metadata.publishedCommitPath() }],
      publishVersion: 1,
    });
    await expect(publish).rejects.toMatchObject({ code: 'InvalidLog', version: 1 });
    expect(table.stub.table('cat', 'sch', 't').published).toBe(0);
  });

  it('copies no staged file that was cut off since', async () => {
    const metadata = attempt(1);
    const response = await commit(metadata);
    if (response.kind !== 'committed') throw new Error('no commit');
    const { location, size } = response.fileMeta;
    await table.storage.put(location, new TextEncoder().encode('{"commitInfo":'), { overwrite: true });
    const publish = committer.publish(table.engine, {
      tableRoot: table.tableRoot,
      commitsToPublish: [{ version: 1, location, size, publishedLocation: metadata.publishedCommitPath() }],
      publishVersion: 1,
    });
    await expect(publish).rejects.toMatchObject({ code: 'InvalidLog', version: 1 });
    await expect(table.storage.head(metadata.publishedCommitPath())).rejects.toMatchObject({
      code: 'FileNotFound',
    });
  });
});
