/** What of a table a query gets, by plans of the same DuckDB in Node: what is left out never changes an answer. */
import { createRequire } from 'node:module';
import { DeltaTable, field, MemoryStorageHandler, types } from 'delta-kernel-web';
import { beforeAll, describe, expect, it } from 'vitest';
import { mistakeOf, type SqlEngine } from '../../web-demo/src/worker/sql/duck.ts';
import { declare, LoadedRows, showShape } from '../../web-demo/src/worker/sql/loaded.ts';
import { needOf, plansOf } from '../../web-demo/src/worker/sql/plan.ts';

interface Connection {
  query(sql: string): {
    numRows: number;
    schema: { fields: unknown[] };
    getChildAt(at: number): { get(row: number): unknown };
  };
  insertArrowFromIPCStream(stream: Uint8Array, options: object): void;
}

let engine: SqlEngine;
let connection: Connection;
let table: DeltaTable;
let loaded: LoadedRows;
const work = { signal: new AbortController().signal, report: () => undefined };

const ROWS = Array.from({ length: 60 }, (_, at) => ({
  id: at % 7 === 3 ? null : BigInt(at) + 9007199254740990n,
  city: ['Bern', "O'Brien", "x' OR city='y", 'Zürich', '', null][at % 6],
  fare: at % 5 === 0 ? null : `${at}.${at % 10}5`,
  day: `2021-09-${String((at % 28) + 1).padStart(2, '0')}`,
  since: `2021-09-01T${String(at % 24).padStart(2, '0')}:00:00.000001Z`,
  ratio: at % 9 === 0 ? 'NaN' : at / 10,
  single: Math.fround(at / 10),
  ok: at % 3 === 0 ? null : at % 2 === 0,
  'a b': at,
  n: at % 4 === 0 ? null : { x: at, y: [`${at}`, null] },
  m: { k: `v${at % 3}` },
  nested: { at: '2021-09-01T12:00:00.000001Z', all: ['2021-09-01T12:00:00Z', null] },
  times: { k: '1969-12-31T23:59:59.999999Z' },
  raw: 'AP8=',
}));

beforeAll(async () => {
  const load = createRequire(import.meta.url);
  const blocking = load('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
  const mainModule = load.resolve('@duckdb/duckdb-wasm/dist/duckdb-eh.wasm');
  const bundle = { mainModule, mainWorker: '' };
  const bundles = { mvp: bundle, eh: bundle };
  const db = await blocking.createDuckDB(bundles, new blocking.VoidLogger(), blocking.NODE_RUNTIME);
  await db.instantiate(() => {});
  connection = db.connect();
  engine = {
    run: async (sql) => void connection.query(sql),
    rows: async (sql) => {
      const found = connection.query(sql);
      return Array.from({ length: found.numRows }, (_, row) =>
        found.schema.fields.map((_, at) => {
          const value = found.getChildAt(at).get(row);
          return value === null ? null : String(value);
        }),
      );
    },
    insert: async (stream, into) => connection.insertArrowFromIPCStream(stream, into),
  };
  const schema = types.struct([
    field('id', types.long),
    field('city', types.string),
    field('fare', types.decimal(10, 2)),
    field('day', types.date),
    field('since', types.timestamp),
    field('ratio', types.double),
    field('single', types.float),
    field('ok', types.boolean),
    field('a b', types.integer),
    field('n', types.struct([field('x', types.integer), field('y', types.array(types.string))])),
    field('m', types.map(types.string, types.string)),
    field('nested', types.struct([field('at', types.timestamp), field('all', types.array(types.timestamp))])),
    field('times', types.map(types.string, types.timestamp)),
    field('raw', types.binary),
  ]);
  const location = { storage: new MemoryStorageHandler(), url: 'memory:///plans/' };
  table = await DeltaTable.create(location, schema, {
    partitionBy: ['day'],
    properties: { 'delta.columnMapping.mode': 'name' },
  });
  await table.append(ROWS);
  await declare(engine, table, ['t', 'plans']);
  loaded = new LoadedRows(engine, table);
  const columns = schema.fields.map(({ name }) => name);
  await loaded.provide({ columns, isRead: true, where: undefined, limit: undefined }, work);
  await engine.run('CREATE TABLE everything AS FROM t');
});

async function need(sql: string) {
  await showShape(engine);
  return needOf(table, sql, await plansOf(engine, sql));
}

describe('what a query needs', () => {
  it.each<[string, string[], string | undefined, number | undefined]>([
    ["SELECT city FROM t WHERE day = '2021-09-02'", ['city', 'day'], "(day='2021-09-02')", undefined],
    ['SELECT count(*) FROM t', [], undefined, undefined],
    ['SELECT n.x FROM t WHERE id IN (1, 2)', ['id', 'n'], '(id>=1 AND id<=2)', undefined],
    ["FROM t SELECT city WHERE city = 'O''Brien'", ['city'], "(city='O''Brien')", undefined],
    // Text of floats is rounded; names that are not plain are printed without quotes.
    ['SELECT id FROM t WHERE ratio > 0.1 AND single = 0.3', ['id', 'ratio', 'single'], undefined, undefined],
    ['SELECT id FROM t WHERE "a b" = 3 AND id = 4', ['id', 'a b'], undefined, undefined],
    ['SELECT id FROM t WHERE upper(city) = city AND id > 5', ['id', 'city'], '(id>5)', undefined],
    ['SELECT id FROM t LIMIT 5', ['id'], undefined, 5],
    ['SELECT id FROM t WHERE id > 7 LIMIT 5', ['id'], '(id>7)', undefined],
    ['SELECT id FROM t ORDER BY id LIMIT 5', ['id'], undefined, undefined],
    ['SELECT id FROM t LIMIT 5 OFFSET 2', ['id'], undefined, undefined],
    ['SELECT count(*) FROM (FROM t LIMIT 5)', [], undefined, undefined],
    [
      'SELECT a.id FROM t a JOIN plans b ON a.id = b.id WHERE a.city = b.city',
      ['id', 'city'],
      undefined,
      undefined,
    ],
    ['WITH t AS (SELECT 1 AS id) SELECT id FROM t', [], undefined, undefined],
  ])('%s', async (sql, columns, where, limit) => {
    expect(await need(sql)).toMatchObject({ columns, where, limit });
  });
});

describe('answers are those over all rows', () => {
  const conditions = [
    "city = 'O''Brien'",
    "city = 'x'' OR city=''y'",
    "city <> 'Bern'",
    'city IS NOT DISTINCT FROM NULL',
    "city > 'C' AND city <= 'Zürich'",
    "city = ''",
    "city IN ('Bern', NULL)",
    "city NOT IN ('Bern', 'Zürich')",
    "city LIKE 'Z%'",
    'id = 9007199254740993',
    'id BETWEEN 9007199254740992 AND 9007199254740999',
    'id IS NULL OR fare < 10',
    'NOT (id > 9007199254741000)',
    'id > 9007199254740995.5',
    'fare = 1.15',
    'fare >= 11.1499999',
    'fare > 20 AND fare <> 33.35',
    "day >= DATE '2021-09-10' AND day < '2021-09-12'",
    "day + 1 = '2021-09-05'",
    "since >= '2021-09-01 12:00:00'",
    "since = TIMESTAMP '2021-09-01 05:00:00.000001'",
    "since::DATE = '2021-09-01' AND ok",
    'ok',
    'NOT ok',
    'ok IS NULL',
    'ok = false OR id IS NULL',
    'ratio > 3.2',
    "ratio = 'nan'",
    'ratio < 0.30000000000000004',
    'single = 0.3',
    'single > 2.1::FLOAT',
    '"a b" % 2 = 0',
    'n.x > 30',
    'n IS NULL',
    "n.y[1] = '7'",
    "m['k'] = 'v1'",
    "CASE WHEN ok THEN city = 'Bern' ELSE fare > 5 END",
    "coalesce(city, 'none') = 'none'",
    'id IN (SELECT max(id) FROM everything)',
    "(city, ok) = ('Bern', true)",
  ];

  it.each(conditions)('WHERE %s', async (condition) => {
    const sql = `SELECT "a b" FROM t WHERE ${condition} ORDER BY 1`;
    const expected = await engine.rows(sql.replace('FROM t', 'FROM everything'));
    await loaded.provide(await need(sql), work);
    expect(await engine.rows(sql)).toEqual(expected);
  });

  it('all kinds of values arrive', async () => {
    await loaded.provide(await need('SELECT * FROM t'), work);
    const sql =
      'SELECT id, city, fare, day, since, ratio, ok, n, m, n.y, nested, times, raw FROM t WHERE "a b" = 17';
    const text = sql.replace(/SELECT (.*) FROM/, (_, list: string) => {
      return `SELECT ${list
        .split(', ')
        .map((name) => `${name}::VARCHAR`)
        .join(', ')} FROM`;
    });
    expect(await engine.rows(text)).toEqual([
      [
        null,
        null,
        '17.75',
        '2021-09-18',
        '2021-09-01 17:00:00.000001',
        '1.7',
        'false',
        "{'x': 17, 'y': [17, NULL]}",
        '{k=v2}',
        '[17, NULL]',
        "{'at': '2021-09-01 12:00:00.000001', 'all': ['2021-09-01 12:00:00', NULL]}",
        "{k='1969-12-31 23:59:59.999999'}",
        '\\x00\\xFF',
      ],
    ]);
  });
});

it('a mistake is found in the text that it is about', () => {
  const query = 'SELECT city,\n  citty\nFROM t';
  const failure = (sql: string) => {
    try {
      connection.query(sql);
    } catch (error) {
      return mistakeOf(error, sql.endsWith(')') ? sql.slice(0, -2) : sql, query);
    }
    throw new Error('no mistake');
  };
  for (const sql of [query, `CREATE TABLE x AS FROM (\n${query}\n)`]) {
    const { message, at } = failure(sql);
    expect(message).toContain('Referenced column "citty" not found');
    expect(query.slice(at)).toMatch(/^citty/);
  }
  const long = `SELECT ${'city, '.repeat(60)}citty FROM t`;
  try {
    connection.query(long);
  } catch (error) {
    expect(long.slice(mistakeOf(error, long, long).at)).toMatch(/^citty/);
  }
});
