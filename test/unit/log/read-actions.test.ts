import { describe, expect, it } from 'vitest';
import { actionField, actionsSchema } from '../../../src/kernel/actions/schemas.ts';
import type { Predicate } from '../../../src/kernel/expressions/types.ts';
import { listLog } from '../../../src/kernel/log/listing.ts';
import { logRootOf } from '../../../src/kernel/log/log-path.ts';
import { buildLogSegment } from '../../../src/kernel/log/log-segment.ts';
import { type ReadActionsOptions, readActions } from '../../../src/kernel/log/read-actions.ts';
import { type StructType, types } from '../../../src/kernel/schema/types.ts';
import {
  add,
  commits,
  lines,
  logStorage,
  remove,
  rowEngine,
  TABLE_ROOT,
  v,
} from '../../helpers/row-engine.ts';

const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';
const PATHS = types.struct([actionField('add', 'path'), actionField('remove', 'path')]);
const sidecar = (path: string) => ({ sidecar: { path, sizeInBytes: 1, modificationTime: 0 } });
const anything: Predicate = { kind: 'unknown', name: 'p' };

async function open(files: Record<string, string>, rowsPerBatch?: number) {
  const engine = rowEngine(logStorage(files), rowsPerBatch);
  const logRoot = logRootOf(TABLE_ROOT);
  const { files: listed } = await listLog(engine, logRoot);
  return { engine, segment: buildLogSegment({ tableRoot: TABLE_ROOT, logRoot, files: listed }) };
}

/** Actions as `version:action:path`, in the order in which they come. */
async function read(
  files: Record<string, string>,
  options: ReadActionsOptions = {},
  schema: StructType = PATHS,
) {
  const { engine, segment } = await open(files, 2);
  const seen: string[] = [];
  for await (const { data, version, source } of readActions(engine, segment, schema, options)) {
    for (const action of ['add', 'remove']) {
      const paths = data.column([action, 'path']);
      for (let row = 0; row < data.length; row++) {
        const path = paths?.getString(row);
        if (path != null) seen.push(`${version}${source === 'checkpoint' ? 'c' : ''}:${action}:${path}`);
      }
    }
  }
  return { seen, reads: engine.reads };
}

describe('reading actions', () => {
  it('gives commits newest first, each in its order, then the checkpoint', async () => {
    const { seen } = await read({
      ...commits(4),
      [`${v(4)}.json`]: lines(add('a'), add('b'), remove('c')),
      [`${v(2)}.checkpoint.parquet`]: lines(add('f0'), add('f1'), add('f2')),
    });
    expect(seen).toEqual([
      '4:add:a',
      '4:add:b',
      '4:remove:c',
      '3:add:f3',
      '2c:add:f0',
      '2c:add:f1',
      '2c:add:f2',
    ]);
  });

  it('reads commits only, the checkpoint only, or what is after a version', async () => {
    const files = { ...commits(4), [`${v(2)}.checkpoint.parquet`]: lines(add('x')) };
    expect((await read(files, { commitsOnly: true })).seen).toEqual(['4:add:f4', '3:add:f3']);
    expect((await read(files, { checkpointOnly: true })).seen).toEqual(['2c:add:x']);
    expect((await read(files, { afterVersion: 3 })).seen).toEqual(['4:add:f4']);
  });

  it('reads the sidecars of a V2 checkpoint, whatever its name, after the manifest', async () => {
    const sidecars = {
      '_sidecars/part-0000-abc.parquet': lines(add('s0'), add('s1')),
      '_sidecars/b%c.parquet': lines(add('s2')),
    };
    const manifest = lines(
      { checkpointMetadata: { version: 1 } },
      sidecar('part-0000-abc.parquet'),
      sidecar('b%25c.parquet'),
    );
    for (const name of [
      `${v(1)}.checkpoint.parquet`,
      `${v(1)}.checkpoint.${UUID}.parquet`,
      `${v(1)}.checkpoint.${UUID}.json`,
    ]) {
      const storage: Record<string, string> = { ...commits(1), [name]: manifest };
      for (const [path, text] of Object.entries(sidecars)) storage[path.replace('%', '%25')] = text;
      expect((await read(storage)).seen).toEqual(['1c:add:s0', '1c:add:s1', '1c:add:s2']);
    }
  });

  it('does not read sidecars where no file action is wanted', async () => {
    const files = { ...commits(1), [`${v(1)}.checkpoint.parquet`]: lines(sidecar('gone.parquet')) };
    const { reads } = await read(files, {}, actionsSchema('protocol'));
    expect(reads.map(({ file }) => file)).toEqual([`${v(1)}.checkpoint.parquet`]);
    await expect(read(files)).rejects.toMatchObject({
      code: 'FileNotFound',
      path: '_delta_log/_sidecars/gone.parquet',
    });
  });

  // CP-09
  it('gives a predicate to files that hold nothing but what it is about', async () => {
    const files = {
      ...commits(1),
      [`${v(1)}.checkpoint.parquet`]: lines(sidecar('s.parquet')),
      '_sidecars/s.parquet': '',
    };
    const adds = types.struct([actionField('add', 'path')]);
    const given = async (schema: StructType, options: ReadActionsOptions) =>
      (await read(files, { predicate: anything, ...options }, schema)).reads.map(
        ({ hasPredicate }) => hasPredicate,
      );
    expect(await given(adds, {})).toEqual([false, true]);
    expect(await given(adds, { v2Checkpoint: false })).toEqual([true]);
    expect(await given(PATHS, {})).toEqual([false, false]);
  });

  it('refuses a sidecar that cannot be found', async () => {
    const files = { ...commits(1), [`${v(1)}.checkpoint.parquet`]: lines({ sidecar: { path: 'a' } }) };
    await expect(read(files)).rejects.toMatchObject({
      code: 'InvalidCheckpoint',
      version: 1,
      table: 'memory:///t/',
    });
  });

  it('reads a compacted file in place of its commits, unless commitInfo is wanted', async () => {
    const files = {
      ...commits(5),
      [`${v(1)}.${v(4)}.compacted.json`]: lines(add('c')),
      [`${v(1)}.${v(2)}.compacted.json`]: 'no',
    };
    expect((await read(files)).seen).toEqual(['5:add:f5', '4:add:c', '0:add:f0']);
    const { reads } = await read(files, {}, actionsSchema('commitInfo'));
    expect(reads).toHaveLength(6);
    expect((await read(files, { afterVersion: 2 })).seen).toEqual(['5:add:f5', '4:add:f4', '3:add:f3']);
  });

  it('requests commits and checkpoint before the first is looked at', async () => {
    const { engine, segment } = await open({
      ...commits(4),
      [`${v(2)}.checkpoint.parquet`]: lines(add('x')),
    });
    const actions = readActions(engine, segment, PATHS);
    await actions.next();
    expect(engine.reads.map(({ file }) => file).sort()).toEqual(
      [`${v(2)}.checkpoint.parquet`, `${v(3)}.json`, `${v(4)}.json`].sort(),
    );
    await actions.return();
  });

  // LR-09
  it('says where a commit is malformed', async () => {
    const files = {
      ...commits(2),
      [`${v(2)}.json`]: `${lines(add('a'))}{"add":{"path":"b","stats":"{\\"num`,
    };
    await expect(read(files)).rejects.toMatchObject({
      code: 'MalformedJson',
      table: 'memory:///t/',
      version: 2,
      line: 2,
    });
  });

  it('takes an empty commit as one without actions', async () => {
    expect((await read({ ...commits(1), [`${v(1)}.json`]: '' })).seen).toEqual(['0:add:f0']);
  });
});

// LR-10
describe('what one commit must not hold', () => {
  const metaData = { metaData: { id: 'x', schemaString: '{}' } };
  const protocol = { protocol: { minReaderVersion: 1, minWriterVersion: 2 } };
  const txn = (appId: string) => ({ txn: { appId, version: 1 } });
  const domain = (name: string) => ({ domainMetadata: { domain: name, configuration: '', removed: false } });
  const all = actionsSchema('add', 'remove', 'metaData', 'protocol', 'txn', 'domainMetadata');

  it.each([
    ['two metaData', [metaData, metaData]],
    ['two metaData batches apart', [metaData, add('a'), add('b'), add('c'), metaData]],
    ['two protocols', [protocol, add('a'), protocol]],
    ['two adds of a path', [add('a'), add('b'), add('a')]],
    [
      'two adds of a path with different vectors',
      [add('a'), add('a', { deletionVector: { storageType: 'u' } })],
    ],
    ['two transactions of an application', [txn('x'), txn('x')]],
    ['two actions of a domain', [domain('x'), domain('x')]],
    ['an add without a path', [{ add: { size: 1 } }]],
    ['a remove without a path', [{ remove: { dataChange: true } }]],
  ])('%s', async (_, actions) => {
    const files = { ...commits(1), [`${v(1)}.json`]: lines(...actions) };
    await expect(read(files, {}, all)).rejects.toMatchObject({
      code: 'InvalidLog',
      version: 1,
      path: `_delta_log/${v(1)}.json`,
    });
  });

  it.each([
    ['an add and a remove of one path', [remove('a'), add('a')]],
    ['two removes of a path with different vectors', [remove('a', { deletionVector: {} }), remove('a')]],
    ['transactions of two applications', [txn('x'), txn('y')]],
  ])('but may hold %s', async (_, actions) => {
    await expect(
      read({ ...commits(1), [`${v(1)}.json`]: lines(...actions) }, {}, all),
    ).resolves.toBeDefined();
  });

  it('does not confuse two commits', async () => {
    const files = { ...commits(2), [`${v(1)}.json`]: lines(add('a')), [`${v(2)}.json`]: lines(add('a')) };
    expect((await read(files)).seen).toEqual(['2:add:a', '1:add:a', '0:add:f0']);
  });
});
