/** Scans as other engines use them: small tables in memory, rows known by hand. */
import { describe, expect, it } from 'vitest';
import { toRecordBatch } from '../../../src/engine/arrow-engine-data.ts';
import { createEngine } from '../../../src/engine/default-engine.ts';
import { encodePayload } from '../../../src/kernel/deletion-vector/format.ts';
import { encodeZ85 } from '../../../src/kernel/deletion-vector/z85.ts';
import type { Engine } from '../../../src/kernel/engine.ts';
import type { EngineData } from '../../../src/kernel/engine-data.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import type { ScalarValue } from '../../../src/kernel/expressions/types.ts';
import { Scan } from '../../../src/kernel/scan/scan.ts';
import { dataFileMeta, visitScanFiles } from '../../../src/kernel/scan/scan-files.ts';
import { relaxedSchema } from '../../../src/kernel/scan/scan-schema.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { rowsToNdjson } from '../../../src/table/json-rows.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';

const ID = types.struct([field('id', types.long)]);
const ids = (from: number, to: number): bigint[][] =>
  Array.from({ length: to - from }, (_, index) => [BigInt(from + index)]);

async function snapshotOf(log: LogBuilder): Promise<Snapshot> {
  return (await log.open()).snapshot;
}

async function rows(batches: AsyncIterable<EngineData>): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of batches) {
    lines.push(...rowsToNdjson(toRecordBatch(batch), batch.schema).split('\n').slice(0, -1));
  }
  return lines;
}

/** A table of 12 ids in one file of three row groups. */
async function rowGroups(action: object = {}): Promise<{ snapshot: Snapshot; engine: Engine }> {
  const log = new LogBuilder();
  const engine = createEngine({ storage: log.storage, parquet: { maxRowGroupRows: 4 } });
  await engine.ready();
  const scalars = ids(0, 12).map(([value]) => [{ type: types.long, value: value! }]);
  const data = engine.evaluationHandler.createMany(ID, scalars);
  const { location, size } = await engine.parquetHandler.writeParquetFile(log.url('f'), [data]);
  const footer = await engine.parquetHandler.readParquetFooter({ location, size, lastModified: 0 });
  expect(footer.rowGroups.map(({ numRows }) => numRows)).toEqual([4, 4, 4]);
  const file = add('f', { ...action, size, stats: { numRecords: 12 } });
  log.commit(featureProtocol('deletionVectors'), metadata(ID), file);
  return { snapshot: await Snapshot.load(engine, log.root), engine };
}

describe('files and transforms', () => {
  const schema = types.struct([
    field('p', types.date),
    field('Name', types.string, {
      metadata: { 'delta.columnMapping.id': 2, 'delta.columnMapping.physicalName': 'col-2' },
    }),
    field('nothing', types.void),
  ]);
  const mapped = types.struct(
    schema.fields.map((each, index) => ({
      ...each,
      metadata: {
        'delta.columnMapping.id': index + 1,
        'delta.columnMapping.physicalName': `col-${index + 1}`,
      },
    })),
  );
  const open = async () => {
    const log = new LogBuilder().commit(
      featureProtocol('columnMapping'),
      metadata(mapped, {
        partitionColumns: ['p'],
        configuration: { 'delta.columnMapping.mode': 'name' },
      }),
      add('a', { partitionValues: { 'col-1': '2020-01-02' }, stats: { numRecords: 2 } }),
      add('b', {
        partitionValues: { 'col-1': null },
        tags: { t: 'x' },
        baseRowId: 7,
        defaultRowCommitVersion: 0,
      }),
    );
    const physical = types.struct([field('col-2', types.string)]);
    await log.parquet('a', physical, [['x'], ['y']]);
    await log.parquet('b', physical, [['z']]);
    return { log, snapshot: await snapshotOf(log) };
  };
  const EXPECTED = [
    '{"p":"2020-01-02","Name":"x","nothing":null}',
    '{"p":"2020-01-02","Name":"y","nothing":null}',
    '{"p":null,"Name":"z","nothing":null}',
  ];

  it('execute and an engine of its own, with scanMetadata, give the same rows', async () => {
    const { log, snapshot } = await open();
    const { engine } = log;
    const scan = snapshot.scan();
    expect(scan.physicalSchema.fields.map(({ name }) => name)).toEqual(['col-2']);
    expect(await rows(scan.execute(engine))).toEqual(EXPECTED);
    const own: string[] = [];
    for await (const { scanFiles, transforms } of scan.scanMetadata(engine)) {
      expect(transforms.length).toBe(scanFiles.data.length);
      for (const [row, selected] of scanFiles.selectionVector.entries()) {
        if (selected === 0) continue;
        const selectionVector = new Uint8Array(scanFiles.data.length);
        selectionVector[row] = 1;
        const [file] = visitScanFiles({ data: scanFiles.data, selectionVector });
        const evaluator = engine.evaluationHandler.newExpressionEvaluator(
          scan.physicalSchema,
          transforms.at(row)!,
          relaxedSchema(scan.logicalSchema),
        );
        const read = engine.parquetHandler.readParquetFiles(
          [dataFileMeta(scan.tableRoot, file!)],
          scan.physicalSchema,
        );
        for await (const batch of read) {
          const logical = await evaluator.evaluate(batch);
          own.push(...rowsToNdjson(toRecordBatch(logical), logical.schema).split('\n').slice(0, -1));
        }
      }
    }
    expect(own).toEqual(EXPECTED);
  });

  it('gives all that the log says of a file', async () => {
    const { log, snapshot } = await open();
    const files = [];
    for await (const file of snapshot.scan().files(log.engine)) files.push(file);
    expect(files).toEqual([
      {
        path: 'a',
        size: log.sizeOf('a'),
        modificationTime: 1_700_000_000_000,
        stats: '{"numRecords":2}',
        partitionValues: { 'col-1': '2020-01-02' },
      },
      {
        path: 'b',
        size: log.sizeOf('b'),
        modificationTime: 1_700_000_000_000,
        partitionValues: { 'col-1': null },
        tags: { t: 'x' },
        baseRowId: 7n,
        defaultRowCommitVersion: 0,
      },
    ]);
  });

  it('a saved scan reads files that another scan found', async () => {
    const { log, snapshot } = await open();
    const scan = snapshot.scan({ columns: ['name'], predicate: parsePredicate("p = DATE '2020-01-02'") });
    const page = await scan.plan(log.engine);
    expect(page.files.map(({ path }) => path)).toEqual(['a']);
    const restored = Scan.fromJSON(scan.toJSON());
    expect(await rows(restored.readFiles(log.engine, page.files))).toEqual(['{"Name":"x"}', '{"Name":"y"}']);
    expect(() => Scan.fromJSON('{"format":"other"}')).toThrow(
      expect.objectContaining({ code: 'InvalidOption' }),
    );
  });

  it('a partition value that does not parse is an error with file and column, with and without a filter', async () => {
    const { log } = await open();
    log.commit(add('c', { partitionValues: { 'col-1': 'soon' } }));
    const snapshot = await snapshotOf(log);
    const error = { code: 'ParseError', column: 'p', path: 'c', table: log.root.href, version: 1 };
    await expect(rows(snapshot.scan().execute(log.engine))).rejects.toMatchObject(error);
    const filtered = snapshot.scan({ predicate: parsePredicate("p > DATE '2020-01-01'") });
    await expect(rows(filtered.execute(log.engine))).rejects.toMatchObject(error);
  });

  it('but not where the file is gone', async () => {
    const { log } = await open();
    log.commit(add('c', { partitionValues: { 'col-1': 'soon' } }));
    log.commit({ remove: { path: 'c', dataChange: true } });
    const scan = (await snapshotOf(log)).scan({ predicate: parsePredicate('p IS NULL') });
    expect(await rows(scan.execute(log.engine))).toEqual([EXPECTED[2]]);
  });
});

describe('projection', () => {
  const schema = types.struct([
    field('s', types.struct([field('a', types.long), field('b', types.string)])),
    field('x', types.integer),
  ]);
  const open = async () => {
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f'));
    await log.parquet('f', schema, [
      [[1n, 'one'], 10],
      [null, 20],
    ]);
    return { log, snapshot: await snapshotOf(log) };
  };

  it.each([
    [{ columns: ['x', 's.b'] }, ['{"x":10,"s":{"b":"one"}}', '{"x":20,"s":null}']],
    [{ columns: ['X'] }, ['{"x":10}', '{"x":20}']],
    [
      { schema: types.struct([field('s', types.struct([field('a', types.long)]))]) },
      ['{"s":{"a":1}}', '{"s":null}'],
    ],
    [
      { columns: ['x'], metadataColumns: { filePath: 'file', rowIndex: 'at' } },
      ['{"x":10,"file":"memory:///t/f","at":0}', '{"x":20,"file":"memory:///t/f","at":1}'],
    ],
  ])('%j', async (options, expected) => {
    const { log, snapshot } = await open();
    expect(await rows(snapshot.scan(options).execute(log.engine))).toEqual(expected);
  });

  it('no column keeps the number of rows', async () => {
    const { log, snapshot } = await open();
    let count = 0;
    for await (const batch of snapshot.scan({ columns: [] }).execute(log.engine)) count += batch.length;
    expect(count).toBe(2);
  });

  it('a filter on columns that do not come out, exactly', async () => {
    const { log, snapshot } = await open();
    const scan = snapshot.scan({ columns: ['s.b'], predicate: parsePredicate('s.a = 1 AND x < 15') });
    expect(await rows(scan.execute(log.engine, { exact: true }))).toEqual(['{"s":{"b":"one"}}']);
    const none = snapshot.scan({ columns: ['x'], predicate: parsePredicate('s.a = 2') });
    expect(await rows(none.execute(log.engine, { exact: true }))).toEqual([]);
  });

  it.each([
    [{ columns: ['nope'] }, 'Schema'],
    [{ columns: ['x', 'X'] }, 'Schema'],
    [{ columns: ['x'], schema: ID }, 'InvalidOption'],
    [{ metadataColumns: { filePath: 'X' } }, 'Schema'],
    [{ metadataColumns: { filePath: 'f', rowIndex: 'F' } }, 'Schema'],
    [{ metadataColumns: { rowId: 'id' } }, 'Unsupported'],
    [
      { schema: types.struct([field('m', types.long, { metadata: { 'delta.metadataColumn': 'x' } })]) },
      'Schema',
    ],
    [{ predicate: parsePredicate('nope = 1') }, 'InvalidExpression'],
  ])('%j is refused', async (options, code) => {
    const { snapshot } = await open();
    expect(() => snapshot.scan(options as never)).toThrow(
      expect.objectContaining({ code, table: 'memory:///t/', version: 0 }),
    );
  });
});

describe('row positions', () => {
  it('are those in the file, whatever was pruned', async () => {
    const { snapshot, engine } = await rowGroups();
    const scan = snapshot.scan({ predicate: parsePredicate('id >= 8'), metadataColumns: { rowIndex: 'at' } });
    const found = await rows(scan.execute(engine));
    expect(found).toEqual([8, 9, 10, 11].map((id) => `{"id":${id},"at":${id}}`));
  });

  it('delete the right rows, whatever was pruned', async () => {
    const engineOfVectors = (await rowGroups()).engine;
    const set = engineOfVectors.evaluationHandler.rowIndexSets.fromRowIndexes([0, 2, 9]);
    const payload = encodePayload(set.serialize());
    const deletionVector = {
      storageType: 'i',
      pathOrInlineDv: encodeZ85(payload),
      sizeInBytes: payload.length,
      cardinality: 3,
    };
    const { snapshot, engine } = await rowGroups({ deletionVector });
    const read = async (where?: string) => {
      const predicate = where === undefined ? undefined : parsePredicate(where);
      return (await rows(snapshot.scan({ predicate }).execute(engine, { exact: true }))).map((row) => {
        return (JSON.parse(row) as { id: number }).id;
      });
    };
    expect(await read()).toEqual([1, 3, 4, 5, 6, 7, 8, 10, 11]);
    expect(await read('id >= 8')).toEqual([8, 10, 11]);
    expect(await read('id < 4 OR id > 9')).toEqual([1, 3, 10, 11]);
    const limited = snapshot.scan({ predicate: parsePredicate('id > 8') }).execute(engine, { limit: 1 });
    expect(await rows(limited)).toEqual(['{"id":10}']);
  });
});

describe('row tracking', () => {
  const CONFIGURATION = {
    'delta.enableRowTracking': 'true',
    'delta.rowTracking.materializedRowIdColumnName': '_row-id',
    'delta.rowTracking.materializedRowCommitVersionColumnName': '_row-version',
  };

  it('ids are those that the file has, else the base and the position; versions alike', async () => {
    const log = new LogBuilder().commit(
      featureProtocol(),
      metadata(ID, { configuration: CONFIGURATION }),
      add('old', { baseRowId: 100, defaultRowCommitVersion: 3 }),
      add('rewritten', { baseRowId: 200, defaultRowCommitVersion: 5 }),
    );
    await log.parquet('old', ID, ids(0, 2));
    const hidden = types.struct([
      ...ID.fields,
      field('_row-id', types.long),
      field('_row-version', types.long),
    ]);
    await log.parquet('rewritten', hidden, [
      [2n, 7n, 1n],
      [3n, null, null],
    ]);
    const scan = (await snapshotOf(log)).scan({ metadataColumns: { rowId: 'rid', rowCommitVersion: 'v' } });
    expect(await rows(scan.execute(log.engine))).toEqual([
      '{"id":0,"rid":100,"v":3}',
      '{"id":1,"rid":101,"v":3}',
      '{"id":2,"rid":7,"v":1}',
      '{"id":3,"rid":201,"v":5}',
    ]);
  });

  it('a file without a base is an error', async () => {
    const log = new LogBuilder().commit(
      featureProtocol(),
      metadata(ID, { configuration: { 'delta.enableRowTracking': 'true' } }),
      add('f'),
    );
    await log.parquet('f', ID, ids(0, 1));
    const scan = (await snapshotOf(log)).scan({ metadataColumns: { rowId: 'rid' } });
    await expect(rows(scan.execute(log.engine))).rejects.toMatchObject({ code: 'InvalidLog', path: 'f' });
  });
});

describe('limits and aborts', () => {
  const many = async () => {
    const log = new LogBuilder().commit(
      protocol(),
      metadata(ID),
      ...['a', 'b', 'c'].map((name) => add(name)),
    );
    for (const [index, name] of ['a', 'b', 'c'].entries())
      await log.parquet(name, ID, ids(index * 2, index * 2 + 2));
    return { log, snapshot: await snapshotOf(log) };
  };

  it('a limit counts over files and needs no others', async () => {
    const { log, snapshot } = await many();
    expect(await rows(snapshot.scan().execute(log.engine, { limit: 3 }))).toEqual(
      [0, 1, 2].map((id) => `{"id":${id}}`),
    );
    expect(await rows(snapshot.scan().execute(log.engine, { limit: 0 }))).toEqual([]);
    const bad = snapshot.scan().execute(log.engine, { limit: -1 });
    await expect(rows(bad)).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('an abort is the reason given, never a short result', async () => {
    const { log, snapshot } = await many();
    const controller = new AbortController();
    const reason = new Error('enough');
    const batches = snapshot.scan().execute(log.engine, { signal: controller.signal });
    await batches.next();
    controller.abort(reason);
    await expect(rows(batches)).rejects.toBe(reason);
  });

  it('a file that is missing is an error with its path', async () => {
    const { log, snapshot } = await many();
    await log.storage.delete(log.url('b'));
    await expect(rows(snapshot.scan().execute(log.engine))).rejects.toMatchObject({
      code: 'FileNotFound',
      table: log.root.href,
    });
  });
});

describe('tokens', () => {
  it('fit one version and one predicate', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('a')).commit(add('b'));
    const snapshot = await snapshotOf(log);
    const { token } = await snapshot.scan().plan(log.engine, { budget: { requests: 1 } });
    const refused = { code: 'InvalidOption', table: log.root.href };
    const other = snapshot.scan({ predicate: parsePredicate('id = 1') });
    await expect(other.plan(log.engine, { token })).rejects.toMatchObject(refused);
    log.commit(add('c'));
    const newer = (await snapshotOf(log)).scan();
    await expect(newer.plan(log.engine, { token })).rejects.toMatchObject(refused);
    for (const bad of ['', '{}', '{"token":1}', '{"token":99,"version":1}']) {
      await expect(newer.plan(log.engine, { token: bad })).rejects.toMatchObject(refused);
    }
    const budget = { requests: 0 };
    await expect(newer.plan(log.engine, { budget })).rejects.toMatchObject(refused);
  });

  it('go on by version, so a staged commit may be published meanwhile', async () => {
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('a')).commit(add('b')).commit(add('c'));
    const scan = (await snapshotOf(log)).scan();
    const first = await scan.plan(log.engine, { budget: { requests: 1 } });
    expect(first.files.map(({ path }) => path)).toEqual(['c']);
    const again = (await snapshotOf(log)).scan();
    const rest = await again.plan(log.engine, { token: first.token });
    expect(rest.files.map(({ path }) => path)).toEqual(['b', 'a']);
    expect(rest.token).toBeUndefined();
  });

  it('stop by the clock of the runtime and by a meter', async () => {
    let now = 0;
    const log = new LogBuilder().commit(protocol(), metadata(ID), add('a')).commit(add('b')).commit(add('c'));
    const runtime = { now: () => (now += 10), uuid: () => 'x' };
    const { snapshot } = await log.open({ runtime });
    const page = await snapshot.scan().plan(log.engine, { budget: { timeMs: 15 } });
    expect(page.files.length).toBeGreaterThan(0);
    expect(page.files.length).toBeLessThan(3);
    let requests = 0;
    const meter = () => ({ requests: requests++, bytes: 0 });
    const metered = await snapshot.scan().plan(log.engine, { budget: { requests: 2, meter } });
    expect(metered.files.map(({ path }) => path)).toEqual(['c']);
  });
});

function values(schema: StructType, batch: EngineData): ScalarValue[][] {
  return Array.from({ length: batch.length }, (_, row) =>
    schema.fields.map(({ name }) => batch.column([name])!.getValue(row)),
  );
}

describe('NOT NULL', () => {
  it('is a duty of writers: a file without the column reads as null', async () => {
    const schema = types.struct([...ID.fields, field('must', types.string, { nullable: false })]);
    const log = new LogBuilder().commit(protocol(), metadata(schema), add('f'));
    await log.parquet('f', ID, ids(5, 6));
    const scan = (await snapshotOf(log)).scan();
    expect(scan.logicalSchema.fields[1]!.nullable).toBe(false);
    for await (const batch of scan.execute(log.engine)) expect(values(schema, batch)).toEqual([[5n, null]]);
  });
});
