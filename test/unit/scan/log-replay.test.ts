import { describe, expect, it } from 'vitest';
import { actionField } from '../../../src/kernel/actions/schemas.ts';
import { listLog } from '../../../src/kernel/log/listing.ts';
import { logRootOf } from '../../../src/kernel/log/log-path.ts';
import { buildLogSegment } from '../../../src/kernel/log/log-segment.ts';
import { readActions } from '../../../src/kernel/log/read-actions.ts';
import { LogReplay } from '../../../src/kernel/scan/log-replay.ts';
import { types } from '../../../src/kernel/schema/types.ts';
import { add, lines, logStorage, remove, rowEngine, TABLE_ROOT, v } from '../../helpers/row-engine.ts';

const SCHEMA = types.struct([
  actionField('add', 'path', 'deletionVector'),
  actionField('remove', 'path', 'deletionVector'),
]);
const withVector = (action: object, dv: string, offset?: number) => {
  const [[name, fields]] = Object.entries(action) as [[string, object]];
  const deletionVector = { storageType: 'u', pathOrInlineDv: dv, offset, sizeInBytes: 1, cardinality: 1 };
  return { [name]: { ...fields, deletionVector } };
};

/** Live files as `path` or `path#vector`, in order, of a log given as files. */
async function live(files: Record<string, string>, rowsPerBatch = 1): Promise<string[]> {
  const engine = rowEngine(logStorage(files), rowsPerBatch);
  const logRoot = logRootOf(TABLE_ROOT);
  const { files: listed } = await listLog(engine, logRoot);
  const segment = buildLogSegment({ tableRoot: TABLE_ROOT, logRoot, files: listed });
  const replay = new LogReplay();
  const found: string[] = [];
  for await (const batch of readActions(engine, segment, SCHEMA)) {
    const selection = replay.select(batch) ?? new Uint8Array(batch.data.length);
    const path = batch.data.column(['add', 'path'])!;
    const dv = batch.data.column(['add', 'deletionVector', 'pathOrInlineDv'])!;
    for (const [row, selected] of selection.entries()) {
      if (selected !== 0) found.push([path.getString(row), dv.getString(row) ?? []].flat().join('#'));
    }
  }
  return found;
}

const commit = (version: number, ...actions: object[]) => ({ [`${v(version)}.json`]: lines(...actions) });
const checkpoint = (version: number, ...actions: object[]) => ({
  [`${v(version)}.checkpoint.parquet`]: lines(...actions),
});

describe('which files are live', () => {
  it('newest first, a remove hides what is older', async () => {
    const files = { ...commit(0, add('a'), add('b')), ...commit(1, remove('a'), add('c')) };
    expect(await live(files)).toEqual(['c', 'b']);
  });

  it('add, remove, add of one path: live once', async () => {
    expect(await live({ ...commit(0, add('f')), ...commit(1, remove('f')), ...commit(2, add('f')) })).toEqual(
      ['f'],
    );
  });

  it('the same path with another deletion vector is another file, in either order of a commit', async () => {
    const before = commit(0, add('f'));
    const [gone, added] = [remove('f'), withVector(add('f'), 'DV1')];
    for (const rows of [1, 10]) {
      expect(await live({ ...before, ...commit(1, gone, added) }, rows)).toEqual(['f#DV1']);
      expect(await live({ ...before, ...commit(1, added, gone) }, rows)).toEqual(['f#DV1']);
    }
  });

  it('vectors of one file differ by their offset, and by whether they have one', async () => {
    const files = {
      ...commit(0, withVector(add('f'), 'x', 1)),
      ...commit(1, withVector(remove('f'), 'x', 1), withVector(add('f'), 'x', 40)),
    };
    expect(await live(files)).toEqual(['f#x']);
    const unlike = { ...commit(0, withVector(add('f'), 'x')), ...commit(1, withVector(remove('f'), 'x', 0)) };
    expect(await live(unlike)).toEqual(['f#x']);
  });

  it('an add beats a remove of its own commit, whatever their order and batches', async () => {
    for (const rows of [1, 10]) {
      const before = commit(0, add('f'), add('g'));
      expect(await live({ ...before, ...commit(1, remove('f'), add('f')) }, rows)).toEqual(['f', 'g']);
      expect(await live({ ...before, ...commit(1, add('f'), remove('f')) }, rows)).toEqual(['f', 'g']);
    }
  });

  it('a checkpoint is looked up, its own removes do not matter', async () => {
    const files = {
      ...commit(1, add('a')),
      ...checkpoint(1, add('a'), remove('a'), add('b'), add('c')),
      ...commit(2, remove('b'), add('d')),
    };
    expect(await live(files)).toEqual(['d', 'a', 'c']);
    expect(await live({ ...commit(1, add('a')), ...checkpoint(1, add('a'), add('b')) })).toEqual(['a', 'b']);
  });

  it('paths meet in one spelling, decoded once', async () => {
    const twice = { ...commit(0, add('p=a%2520b/f')), ...commit(1, remove('p=a%2520b/f')) };
    expect(await live(twice)).toEqual([]);
    const unlike = { ...commit(0, add('p=a%2520b/f')), ...commit(1, remove('p=a%20b/f')) };
    expect(await live(unlike)).toEqual(['p=a%2520b/f']);
    const local = { ...commit(0, add('/abs/t/f')), ...commit(1, remove('file:/abs/t/f')) };
    expect(await live(local)).toEqual([]);
  });

  it('goes on elsewhere from its state', async () => {
    const first = new LogReplay(['a', 'f\0uDV1']);
    expect(first.state()).toEqual(['a', 'f\0uDV1']);
  });
});
