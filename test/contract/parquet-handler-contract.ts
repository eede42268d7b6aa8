/** The contract of `ParquetHandler`, as `src/kernel/engine.ts` states it. */

import type { CallOptions, FileMeta, ReadHints } from '../../src/kernel/engine.ts';
import type { EngineData } from '../../src/kernel/engine-data.ts';
import type { ComparisonOperator, Predicate, ScalarValue } from '../../src/kernel/expressions/types.ts';
import {
  type DataType,
  field,
  METADATA_KEYS,
  type StructField,
  type StructType,
  types,
} from '../../src/kernel/schema/types.ts';
import { allRows, type ContractCase, type ContractContext, equal, failsWith, rowsOf } from './contract.ts';

function batch(
  { engine }: ContractContext,
  schema: StructType,
  rows: readonly (readonly ScalarValue[])[],
): EngineData {
  return engine.evaluationHandler.createMany(
    schema,
    rows.map((row) => row.map((value, i) => ({ type: schema.fields[i]!.type, value }))),
  );
}

function write(
  context: ContractContext,
  name: string,
  schema: StructType,
  rows: readonly (readonly ScalarValue[])[],
): Promise<FileMeta> {
  const path = new URL(name, context.directory);
  return context.engine.parquetHandler.writeParquetFile(path, [batch(context, schema, rows)]);
}

function read(
  { engine }: ContractContext,
  files: readonly FileMeta[],
  schema: StructType,
  options: CallOptions & ReadHints = {},
) {
  return engine.parquetHandler.readParquetFiles(files, schema, options);
}

const withId = (name: string, type: DataType, id: number, nullable = true): StructField =>
  field(name, type, { nullable, metadata: { [METADATA_KEYS.parquetFieldId]: id } });
const generated = (name: string, type: DataType, what: string): StructField =>
  field(name, type, { nullable: false, metadata: { [METADATA_KEYS.metadataColumn]: what } });

function compare(name: string, op: ComparisonOperator, type: DataType, value: ScalarValue): Predicate {
  const left = { kind: 'column', path: [name] } as const;
  return { kind: 'comparison', op, left, right: { kind: 'literal', literal: { type, value } } };
}

const ab = types.struct([field('a', types.long), field('b', types.string)]);

const COMPARE = {
  '>': (a: bigint, b: bigint) => a > b,
  '=': (a: bigint, b: bigint) => a === b,
  '<': (a: bigint, b: bigint) => a < b,
  '!=': (a: bigint, b: bigint) => a !== b,
  '>=': (a: bigint, b: bigint) => a >= b,
};

/** File type, value; requested type, value: `PROTOCOL.md`, "Type Widening". */
const WIDENING: [DataType, ScalarValue, DataType, ScalarValue][] = [
  [types.byte, -128, types.short, -128],
  [types.byte, -128, types.long, -128n],
  [types.short, 32767, types.integer, 32767],
  [types.integer, -(2 ** 31), types.long, -(2n ** 31n)],
  [types.float, Math.fround(0.1), types.double, 0.10000000149011612],
  [types.integer, 7, types.double, 7],
  [types.date, 1, types.timestampNtz, 86_400_000_000n],
  [types.decimal(5, 2), -123n, types.decimal(10, 4), -12300n],
  [types.decimal(5, 2), 99999n, types.decimal(38, 2), 99999n],
  [types.integer, 3, types.decimal(12, 2), 300n],
  [types.long, -(2n ** 63n), types.decimal(38, 5), -(2n ** 63n) * 100_000n],
];

export const parquetHandlerContract: readonly ContractCase[] = [
  {
    name: 'keeps the order of files and rows, and no batch spans files',
    async run(context) {
      const files = [
        await write(context, 'z.parquet', ab, [
          [1n, 'x'],
          [2n, null],
        ]),
        await write(context, 'none.parquet', ab, []),
        await write(context, 'a.parquet', ab, [[null, 'y']]),
      ];
      const batches: ScalarValue[][][] = [];
      for await (const each of read(context, files, ab)) batches.push(rowsOf(each));
      equal(
        batches.filter((each) => each.length > 0),
        [
          [
            [1n, 'x'],
            [2n, null],
          ],
          [[null, 'y']],
        ],
      );
      equal(await allRows(read(context, [], ab)), []);
    },
  },
  {
    name: 'gives exactly the requested columns in the requested order, missing ones as null',
    async run(context) {
      const file = await write(context, 'f.parquet', ab, [[1n, 'x']]);
      const schema = types.struct([
        field('b', types.string),
        field('none', types.array(types.date)),
        field('a', types.long),
      ]);
      equal(await allRows(read(context, [file], schema)), [['x', null, 1n]]);
      const [found] = await collect(read(context, [file], schema));
      equal(
        found!.schema.fields.map(({ name }) => name),
        ['b', 'none', 'a'],
      );
    },
  },
  {
    name: 'a missing column that is not nullable is a Schema error',
    async run(context) {
      const file = await write(context, 'f.parquet', ab, [[1n, 'x']]);
      const schema = types.struct([field('none', types.long, { nullable: false })]);
      await failsWith('Schema', () => allRows(read(context, [file], schema)));
      const nested = types.struct([field('s', types.struct([field('y', types.long, { nullable: false })]))]);
      const inner = types.struct([field('s', types.struct([field('x', types.long)]))]);
      const file2 = await write(context, 'n.parquet', inner, [[[1n]]]);
      await failsWith('Schema', () => allRows(read(context, [file2], nested)));
    },
  },
  {
    name: 'a projection without columns keeps the number of rows',
    async run(context) {
      const file = await write(context, 'f.parquet', ab, [
        [1n, 'x'],
        [2n, 'y'],
        [3n, 'z'],
      ]);
      const batches = await collect(read(context, [file], types.struct([])));
      equal(
        batches.reduce((sum, each) => sum + each.length, 0),
        3,
      );
    },
  },
  {
    name: 'resolves by field id first, by name in files without any id',
    async run(context) {
      const ids = types.struct([withId('a', types.long, 1), withId('b', types.string, 2)]);
      const file = await write(context, 'ids.parquet', ids, [[1n, 'x']]);
      const plain = await write(context, 'plain.parquet', ab, [[2n, 'y']]);
      const swapped = types.struct([withId('a', types.string, 2), withId('other', types.long, 1)]);
      equal(await allRows(read(context, [file], swapped)), [['x', 1n]]);
      equal(await allRows(read(context, [plain], types.struct([withId('a', types.long, 7)]))), [[2n]]);
      equal(await allRows(read(context, [file], ab)), [[1n, 'x']], 'fields without an id match by name');
      const dropped = types.struct([withId('a', types.long, 3), withId('b', types.string, 2)]);
      equal(
        await allRows(read(context, [file], dropped)),
        [[null, 'x']],
        'an id that the file lacks is absent',
      );
    },
  },
  {
    name: 'resolves nested fields likewise, in structs, arrays and maps',
    async run(context) {
      const written = types.struct([withId('x', types.long, 11), withId('y', types.string, 12)]);
      const asked = types.struct([
        withId('p', types.string, 12),
        withId('q', types.long, 13),
        withId('r', types.long, 11),
      ]);
      const around = (inner: StructType) =>
        types.struct([
          withId('s', inner, 1),
          withId('l', types.array(inner), 2),
          withId('m', types.map(types.string, inner), 3),
        ]);
      const file = await write(context, 'n.parquet', around(written), [
        [[1n, 'a'], [[2n, 'b'], null], [['k', [3n, null]]]],
        [null, null, null],
      ]);
      equal(await allRows(read(context, [file], around(asked))), [
        [['a', null, 1n], [['b', null, 2n], null], [['k', [null, null, 3n]]]],
        [null, null, null],
      ]);
    },
  },
  {
    name: 'tells null, empty and null inside apart',
    async run(context) {
      const schema = types.struct([
        field('s', types.struct([field('x', types.long)])),
        field('l', types.array(types.long)),
        field('m', types.map(types.string, types.long)),
      ]);
      const rows: ScalarValue[][] = [
        [null, null, null],
        [[null], [], []],
        [[1n], [null], [['k', null]]],
        [
          [2n],
          [1n, null, 2n],
          [
            ['a', 1n],
            ['b', null],
          ],
        ],
      ];
      const file = await write(context, 'nulls.parquet', schema, rows);
      equal(await allRows(read(context, [file], schema)), rows);
    },
  },
  {
    name: 'widens types',
    async run(context) {
      for (const [from, value, to, wanted] of WIDENING) {
        const what = JSON.stringify([from, to]);
        const file = await write(context, 'w.parquet', types.struct([field('v', from)]), [[value], [null]]);
        equal(await allRows(read(context, [file], types.struct([field('v', to)]))), [[wanted], [null]], what);
        const list = await write(context, 'l.parquet', types.struct([field('v', types.array(from))]), [
          [[value]],
        ]);
        equal(
          await allRows(read(context, [list], types.struct([field('v', types.array(to))]))),
          [[[wanted]]],
          what,
        );
      }
    },
  },
  {
    name: 'refuses types that do not widen',
    async run(context) {
      for (const [from, value, to] of [
        [types.long, 2n ** 31n, types.integer],
        [types.string, '1', types.long],
        [types.double, 1, types.float],
        [types.decimal(5, 2), 1n, types.decimal(5, 1)],
      ] as [DataType, ScalarValue, DataType][]) {
        const file = await write(context, 'w.parquet', types.struct([field('v', from)]), [[value]]);
        await failsWith('Schema', () => allRows(read(context, [file], types.struct([field('v', to)]))));
      }
    },
  },
  {
    name: 'generates row index and file path',
    async run(context) {
      const files = [
        await write(context, 'p q%.parquet', ab, [
          [1n, 'x'],
          [2n, 'y'],
        ]),
        await write(context, 'r.parquet', ab, [[3n, 'z']]),
      ];
      const schema = types.struct([
        generated('at', types.long, 'rowIndex'),
        field('a', types.long),
        generated('file', types.string, 'filePath'),
      ]);
      const [one, two] = files.map(({ location }) => location.href);
      equal(await allRows(read(context, files, schema)), [
        [0n, 1n, one!],
        [1n, 2n, one!],
        [0n, 3n, two!],
      ]);
      const only = types.struct([generated('at', types.long, 'rowIndex')]);
      equal(await allRows(read(context, files, only)), [[0n], [1n], [0n]]);
    },
  },
  {
    name: 'a predicate drops no row that may match, and row indexes stay physical',
    async run(context) {
      const rows = Array.from({ length: 5000 }, (_, i): ScalarValue[] => [
        i % 7 === 0 ? null : BigInt(i),
        `s${i}`,
      ]);
      const file = await write(context, 'many.parquet', ab, rows);
      const schema = types.struct([...ab.fields, generated('at', types.long, 'rowIndex')]);
      for (const [op, value] of [
        ['>', 4000n],
        ['=', 4001n],
        ['<', 3n],
        ['!=', 5n],
        ['>=', 6000n],
      ] as const) {
        const predicate = compare('a', op, types.long, value);
        const found = await allRows(read(context, [file], schema, { predicate }));
        const matches = (a: ScalarValue) => typeof a === 'bigint' && COMPARE[op](a, value);
        const wanted = rows.flatMap(([a, b], i) => (matches(a!) ? [[a, b, BigInt(i)]] : []));
        equal(
          found.filter(([a]) => matches(a!)),
          wanted,
          op,
        );
        for (const [a, b, at] of found) equal([a, b], rows[Number(at)], `row ${at}`);
      }
    },
  },
  {
    name: 'hints of positions leave out no row between them, and tell the true positions of all others',
    async run(context) {
      const rows = Array.from({ length: 5000 }, (_, i): ScalarValue[] => [BigInt(i), `t${i}`]);
      const file = await write(context, 'f.parquet', ab, rows);
      const schema = types.struct([...ab.fields, generated('at', types.long, 'rowIndex')]);
      for (const [firstRow, endRow] of [
        [0, 1],
        [17, 3000],
        [4999, 6000],
      ] as const) {
        const found = await allRows(read(context, [file], schema, { firstRow, endRow }));
        const wanted = rows.slice(firstRow, endRow).map(([a, b]) => [a, b, a]);
        equal(
          found.filter(([, , at]) => Number(at) >= firstRow && Number(at) < endRow),
          wanted,
          `${firstRow}–${endRow}`,
        );
        for (const [a, , at] of found) equal(a, at, `row ${at}`);
      }
    },
  },
  {
    name: 'a predicate on what the file lacks keeps every row',
    async run(context) {
      const file = await write(context, 'f.parquet', ab, [[1n, 'x']]);
      const predicate = compare('elsewhere', '=', types.long, 5n);
      equal(await allRows(read(context, [file], ab, { predicate })), [[1n, 'x']]);
    },
  },
  {
    name: 'footers give schema, counts and field ids',
    async run(context) {
      const schema = types.struct([
        withId('a', types.long, 1, false),
        withId('s', types.struct([withId('d', types.decimal(12, 3), 3)]), 2),
        field('t', types.timestampNtz),
      ]);
      const file = await write(context, 'f.parquet', schema, [
        [1n, [5n], null],
        [2n, null, 0n],
      ]);
      const footer = await context.engine.parquetHandler.readParquetFooter(file);
      equal(footer.numRows, 2);
      equal(
        footer.rowGroups.map(({ numRows }) => numRows),
        [2],
      );
      equal(describe(footer.schema), [
        ['a', 'long', false, 1],
        ['s', [['d', 'decimal', true, 3]], true, 2],
        ['t', 'timestamp_ntz', true, undefined],
      ]);
    },
  },
  {
    name: 'writes field ids of column mapping, over what is there, and tells what it wrote',
    async run(context) {
      const id = (n: number) => ({ metadata: { [METADATA_KEYS.columnMappingId]: n } });
      await write(context, 'f.parquet', ab, [[1n, 'x']]);
      const schema = types.struct([field('c', types.long, id(9))]);
      const file = await write(context, 'f.parquet', schema, [[5n]]);
      equal(file.size, (await context.engine.storageHandler.head(file.location)).size);
      equal(await allRows(read(context, [file], types.struct([withId('other', types.long, 9)]))), [[5n]]);
    },
  },
  {
    name: 'a file that is missing, cut short or no Parquet at all is a typed error with its path',
    async run(context) {
      const { engine, directory } = context;
      const missing = { location: new URL('none.parquet', directory), size: 100, lastModified: 0 };
      await failsWith('FileNotFound', () => allRows(read(context, [missing], ab)));
      const location = new URL('bad.parquet', directory);
      for (const bytes of [
        new Uint8Array(3),
        new TextEncoder().encode('PAR1 this is no Parquet file at all'),
      ]) {
        await engine.storageHandler.put(location, bytes, { overwrite: true });
        const file = await engine.storageHandler.head(location);
        const error = await failsWith('Parquet', () => allRows(read(context, [file], ab)));
        equal(error.path?.endsWith('bad.parquet'), true, 'path');
        await failsWith('Parquet', () => engine.parquetHandler.readParquetFooter(file));
      }
    },
  },
  {
    name: 'rejects with the reason of an abort',
    async run(context) {
      const file = await write(context, 'f.parquet', ab, [[1n, 'x']]);
      const reason = new Error('enough');
      const rows = allRows(read(context, [file], ab, { signal: AbortSignal.abort(reason) }));
      equal(await rows.catch((error) => error === reason), true);
    },
  },
];

async function collect(batches: AsyncIterable<EngineData>): Promise<EngineData[]> {
  const all: EngineData[] = [];
  for await (const each of batches) all.push(each);
  return all;
}

/** Name, type, nullability and field id, nested. */
function describe(schema: StructType): unknown[] {
  return schema.fields.map(({ name, type, nullable, metadata }) => {
    const shown = type.kind === 'struct' ? describe(type) : type.kind === 'primitive' ? type.name : type.kind;
    const id = metadata[METADATA_KEYS.parquetFieldId];
    return [name, shown, nullable, id === undefined ? undefined : Number(id)];
  });
}
