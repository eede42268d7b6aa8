import { describe, expect, it } from 'vitest';
import { diffSnapshots } from '../../../src/kernel/scan/diff.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol, remove } from '../../helpers/log-builder.ts';

const mapped = (id: number) => ({
  metadata: { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': `c${id}` },
});
const vector = { storageType: 'u', pathOrInlineDv: '^-aqEH.-t@S}K{vb[*k^', sizeInBytes: 1, cardinality: 4 };
const before = types.struct([
  field('a', types.integer, mapped(1)),
  field('b', types.struct([field('x', types.long, mapped(3))]), mapped(2)),
  field('gone', types.string, mapped(4)),
]);
const after = types.struct([
  field('a', types.long, mapped(1)),
  field(
    'renamed',
    types.struct([field('x', types.long, mapped(3)), field('y', types.date, mapped(5))]),
    mapped(2),
  ),
]);

function table(): LogBuilder {
  const mode = { 'delta.columnMapping.mode': 'name' };
  const stats = { numRecords: 10 };
  return new LogBuilder()
    .commit(
      featureProtocol('columnMapping', 'deletionVectors'),
      metadata(before, { configuration: { ...mode, old: '1', same: 'x' } }),
      ...['kept', 'rewritten', 'deleted'].map((path) => add(path, { size: 100, stats })),
    )
    .commit(
      metadata(after, { configuration: { ...mode, same: 'x', fresh: '2' } }),
      remove('rewritten'),
      add('brief', { size: 5, stats }),
    )
    .commit(
      remove('brief'),
      remove('deleted'),
      add('deleted', { size: 100, stats, deletionVector: vector }),
      add('new', { size: 30, stats: { numRecords: 3 } }),
    );
}

const EXPECTED = {
  from: 0,
  to: 2,
  schema: {
    added: [{ column: 'renamed.y', type: 'date' }],
    removed: [{ column: 'gone', type: 'string' }],
    changed: [{ column: 'a', from: 'integer', to: 'long' }],
    renamed: [
      { from: 'b', to: 'renamed' },
      { from: 'b.x', to: 'renamed.x' },
    ],
  },
  properties: { old: { from: '1' }, fresh: { to: '2' } },
  files: {
    added: [{ path: 'new' }],
    removed: [{ path: 'rewritten' }],
    updated: [{ from: { path: 'deleted', size: 100 }, to: { path: 'deleted', deletionVector: vector } }],
    bytes: 30 - 100,
    rows: 3 - 10 - 4,
  },
};

describe('differences of two versions', () => {
  it('by the commits in between', async () => {
    const log = table();
    const [from, to] = [await log.open({ version: 0 }), await log.open()];
    const diff = await diffSnapshots(log.engine, from.snapshot, to.snapshot);
    expect(diff).toMatchObject(EXPECTED);
    expect(diff).not.toHaveProperty('protocol');
    expect(diff).not.toHaveProperty('partitionColumns');
  });

  it('the same by whole listings, where a checkpoint took the place of commits', async () => {
    const log = table();
    const from = await log.open({ version: 0 });
    const stats = { numRecords: 10 };
    await log.checkpoint(
      1,
      featureProtocol('columnMapping', 'deletionVectors'),
      metadata(after, { configuration: { 'delta.columnMapping.mode': 'name', same: 'x', fresh: '2' } }),
      ...['kept', 'deleted', 'brief'].map((path) => add(path, { size: 100, stats })),
    );
    const to = await log.open();
    expect(to.snapshot.logSegment.checkpointVersion).toBe(1);
    expect(await diffSnapshots(log.engine, from.snapshot, to.snapshot)).toMatchObject(EXPECTED);
  });

  it('backwards it is the reverse', async () => {
    const log = table();
    const [from, to] = [await log.open(), await log.open({ version: 0 })];
    expect(await diffSnapshots(log.engine, from.snapshot, to.snapshot)).toMatchObject({
      schema: { added: [{ column: 'gone' }], removed: [{ column: 'renamed.y' }] },
      files: { added: [{ path: 'rewritten' }], removed: [{ path: 'new' }], bytes: 70, rows: 11 },
    });
  });

  it('a version and itself differ in nothing; an upgrade shows', async () => {
    const log = new LogBuilder()
      .commit(protocol(), metadata(before), add('f'))
      .commit(featureProtocol('deletionVectors'));
    const [from, to] = [await log.open({ version: 0 }), await log.open()];
    const none = await diffSnapshots(log.engine, to.snapshot, to.snapshot);
    expect(none.files).toEqual({ added: [], removed: [], updated: [], bytes: 0, rows: 0 });
    const upgrade = await diffSnapshots(log.engine, from.snapshot, to.snapshot);
    expect(upgrade.protocol).toMatchObject({ from: { minReaderVersion: 1 }, to: { minReaderVersion: 3 } });
    expect(upgrade.schema).toEqual({ added: [], removed: [], changed: [], renamed: [] });
  });
});
