/** The contract of `JsonHandler`, as `src/kernel/engine.ts` states it. */
import type { EngineData, FilteredEngineData } from '../../src/kernel/engine-data.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { type DataType, field, type StructType, types } from '../../src/kernel/schema/types.ts';
import {
  allRows,
  type ContractCase,
  type ContractContext,
  equal,
  failsWith,
  putText,
  rowsOf,
  textAt,
} from './contract.ts';

const add = types.struct([
  field('path', types.string, { nullable: false }),
  field('partitionValues', types.map(types.string, types.string)),
  field('size', types.long),
  field('dataChange', types.boolean),
  field('tags', types.array(types.string)),
]);
const actions = types.struct([
  field('add', add),
  field('txn', types.struct([field('appId', types.string), field('version', types.long)])),
]);

/** Values of a type as JSON text and as read; the text alone, without a row around it. */
const LEAVES: [DataType, string, ScalarValue][] = [
  [types.long, '9223372036854775807', 2n ** 63n - 1n],
  [types.long, '-9223372036854775808', -(2n ** 63n)],
  [types.long, '9007199254740993', 9007199254740993n],
  [types.integer, '-2147483648', -(2 ** 31)],
  [types.short, '32767', 32767],
  [types.byte, '-128', -128],
  [types.double, '1.5e300', 1.5e300],
  [types.double, '3', 3],
  [types.float, '0.1', Math.fround(0.1)],
  [types.boolean, 'false', false],
  [types.string, '"\\u00e9\\ud83d\\ude00\\n"', 'é😀\n'],
  [types.string, '{"a": [1, 9007199254740993]}', '{"a": [1, 9007199254740993]}'],
  [types.date, '"2021-01-01"', 18628],
  [types.date, '"0001-01-01"', -719162],
  [types.timestamp, '"2021-01-01T00:00:00.123456Z"', 1_609_459_200_123_456n],
  [types.timestamp, '"2021-01-01T01:00:00+01:00"', 1_609_459_200_000_000n],
  [types.timestampNtz, '"2021-01-01T00:00:00.123"', 1_609_459_200_123_000n],
  [types.decimal(38, 10), '9999999999999999999999999999.9999999999', 10n ** 38n - 1n],
  [types.decimal(5, 2), '1', 100n],
  [
    types.map(types.string, types.string),
    '{"b":null,"a":""}',
    [
      ['b', null],
      ['a', ''],
    ],
  ],
  [types.array(types.integer), '[1,null]', [1, null]],
  [types.struct([field('x', types.integer), field('y', types.string)]), '{"y":"z","other":1}', [null, 'z']],
];

const misfits: [DataType, string][] = [
  [types.long, '9223372036854775808'],
  [types.long, '"x"'],
  [types.integer, '2147483648'],
  [types.boolean, '"maybe"'],
  [types.date, '"no date"'],
  [types.timestamp, '"no time"'],
  [types.decimal(5, 2), '1.005'],
  [types.decimal(5, 2), '1000'],
  [types.array(types.long), '1'],
  [types.map(types.string, types.string), '[]'],
  [types.struct([field('x', types.integer)]), '[]'],
];

const readJson = (
  { engine }: ContractContext,
  files: Parameters<typeof engine.jsonHandler.readJsonFiles>[0],
  schema: StructType,
  signal?: AbortSignal,
) => engine.jsonHandler.readJsonFiles(files, schema, { signal });

function strings({ engine }: ContractContext, values: readonly (string | null)[]): EngineData {
  const schema = types.struct([field('json', types.string)]);
  return engine.evaluationHandler.createMany(
    schema,
    values.map((value) => [{ type: types.string, value }]),
  );
}

const parse = async (context: ContractContext, values: readonly (string | null)[], schema: StructType) =>
  rowsOf(await context.engine.jsonHandler.parseJson(strings(context, values), schema));

export const jsonHandlerContract: readonly ContractCase[] = [
  {
    name: 'readJsonFiles keeps the order of files and rows, and no batch spans files',
    async run(context) {
      const schema = types.struct([field('n', types.long)]);
      const files = [
        await putText(context, 'b.json', '{"n":1}\n{"n":2}\n'),
        await putText(context, 'empty.json', ''),
        await putText(context, 'a.json', '{"n":3}\n{"n":4}'),
      ];
      const batches: ScalarValue[][][] = [];
      for await (const batch of readJson(context, files, schema)) batches.push(rowsOf(batch));
      equal(
        batches.filter((batch) => batch.length > 0),
        [
          [[1n], [2n]],
          [[3n], [4n]],
        ],
      );
      equal(await allRows(readJson(context, [], schema)), []);
    },
  },
  {
    name: 'readJsonFiles gives exactly the schema, absent fields as null',
    async run(context) {
      const text =
        '{"add":{"path":"p","partitionValues":{"x":null},"size":5,"more":1},"unknown":{}}\r\n{"txn":{"version":9007199254740993,"appId":"a"}}\n{}\n';
      const file = await putText(context, 'f.json', text);
      equal(await allRows(readJson(context, [file], actions)), [
        [['p', [['x', null]], 5n, null, null], null],
        [null, ['a', 9007199254740993n]],
        [null, null],
      ]);
    },
  },
  {
    name: 'readJsonFiles reads every type exactly',
    async run(context) {
      for (const [type, json, value] of LEAVES) {
        const file = await putText(context, 'leaf.json', `{"v":${json}}\n{"v":null}\n`);
        const rows = await allRows(readJson(context, [file], types.struct([field('v', type)])));
        equal(rows, [[value], [null]], json);
      }
    },
  },
  {
    name: 'readJsonFiles names path and line of what is malformed',
    async run(context) {
      const schema = types.struct([field('v', types.long)]);
      for (const line of [
        '{"v":1',
        'nothing',
        '[1]',
        '1',
        '"x"',
        '{"v":1}{"v":2}',
        '{"v":01}',
        '{"v":1} x',
      ]) {
        const file = await putText(context, 'bad.json', `{"v":1}\n{"v":2}\n${line}\n{"v":4}\n`);
        const error = await failsWith('MalformedJson', () => allRows(readJson(context, [file], schema)));
        equal([error.path?.endsWith('bad.json'), error.line], [true, 3], line);
      }
      for (const [type, json] of misfits) {
        const file = await putText(context, 'bad.json', `{"v":null}\n{"v":${json}}\n`);
        const read = () => allRows(readJson(context, [file], types.struct([field('v', type)])));
        equal((await failsWith('MalformedJson', read)).line, 2, json);
      }
    },
  },
  {
    name: 'readJsonFiles refuses a missing field that is not nullable, unless its parent is null',
    async run(context) {
      const file = await putText(context, 'f.json', '{"txn":{}}\n{"add":{"size":1}}\n');
      equal((await failsWith('MalformedJson', () => allRows(readJson(context, [file], actions)))).line, 2);
    },
  },
  {
    name: 'readJsonFiles of a file that is not there is FileNotFound',
    async run(context) {
      const missing = { location: new URL('none.json', context.directory), size: 10, lastModified: 0 };
      await failsWith('FileNotFound', () => allRows(readJson(context, [missing], actions)));
    },
  },
  {
    name: 'readJsonFiles rejects with the reason of an abort',
    async run(context) {
      const file = await putText(context, 'f.json', '{}\n');
      const reason = new Error('enough');
      const read = allRows(readJson(context, [file], actions, AbortSignal.abort(reason)));
      equal(await read.catch((error) => error === reason), true);
    },
  },
  {
    name: 'parseJson gives one row per row: what is no object is all null, what does not fit is null alone',
    async run(context) {
      const schema = types.struct([field('a', types.long), field('b', types.string)]);
      const texts = [
        '{"a":1,"b":"x"}',
        null,
        '',
        'nothing',
        '{"a":1',
        '[1]',
        '{}',
        '{"a":"x","b":"y"}',
        '{"b":1}',
      ];
      equal(await parse(context, texts, schema), [
        [1n, 'x'],
        [null, null],
        [null, null],
        [null, null],
        [null, null],
        [null, null],
        [null, null],
        [null, 'y'],
        [null, '1'],
      ]);
      equal(await parse(context, [], schema), []);
    },
  },
  {
    name: 'parseJson reads every type exactly, and gives null for what does not fit',
    async run(context) {
      for (const [type, json, value] of LEAVES) {
        const rows = await parse(context, [`{"v":${json}}`], types.struct([field('v', type)]));
        equal(rows, [[value]], json);
      }
      for (const [type, json] of misfits) {
        const schema = types.struct([field('v', type), field('w', types.long)]);
        equal(await parse(context, [`{"v":${json},"w":1}`], schema), [[null, 1n]], json);
      }
    },
  },
  {
    name: 'writeJsonFile writes selected rows without nulls and returns the bytes written',
    async run(context) {
      const { engine, directory } = context;
      const data = engine.evaluationHandler.createMany(actions, [
        [
          { type: add, value: ['p "q"', [['x', null]], 2n ** 60n, null, ['t']] },
          { type: actions.fields[1]!.type, value: null },
        ],
        [
          { type: add, value: null },
          { type: actions.fields[1]!.type, value: ['a', 1n] },
        ],
        [
          { type: add, value: null },
          { type: actions.fields[1]!.type, value: ['b', null] },
        ],
      ]);
      const batches: FilteredEngineData[] = [{ data, selectionVector: new Uint8Array([1, 0]) }];
      const path = new URL('out.json', directory);
      const written = await engine.jsonHandler.writeJsonFile(path, batches, { overwrite: false });
      const text =
        '{"add":{"path":"p \\"q\\"","partitionValues":{"x":null},"size":1152921504606846976,"tags":["t"]}}\n{"txn":{"appId":"b"}}\n';
      equal(await textAt(context, 'out.json'), text);
      equal(written, new TextEncoder().encode(text).length);
    },
  },
  {
    name: 'writeJsonFile gives back what it wrote',
    async run(context) {
      const { engine, directory } = context;
      const leaves = LEAVES.filter(([, json]) => !json.startsWith('{"a"'));
      const schema = types.struct(leaves.map(([type], i) => field(`f${i}`, type)));
      const row = leaves.map(([type, , value]) => ({ type, value }));
      const data = engine.evaluationHandler.createMany(schema, [row]);
      const path = new URL('round.json', directory);
      await engine.jsonHandler.writeJsonFile(path, [{ data, selectionVector: new Uint8Array() }], {
        overwrite: false,
      });
      const file = await engine.storageHandler.head(path);
      equal(await allRows(readJson(context, [file], schema)), [leaves.map(([, , value]) => value)]);
    },
  },
  {
    name: 'writeJsonFile does not overwrite unless told, and writes nothing when its input fails',
    async run(context) {
      const { engine, directory } = context;
      const path = new URL('once.json', directory);
      const data = engine.evaluationHandler.nullRow(actions);
      const batch = { data, selectionVector: new Uint8Array() };
      const write = (overwrite: boolean, rows: Iterable<FilteredEngineData>) =>
        engine.jsonHandler.writeJsonFile(path, rows, { overwrite });
      function* failing() {
        yield batch;
        throw new Error('no more');
      }
      equal(await write(false, failing()).catch((error) => error.message), 'no more');
      await failsWith('FileNotFound', () => engine.storageHandler.head(path));
      await write(false, [batch]);
      await failsWith('FileAlreadyExists', () => write(false, [batch, batch]));
      equal(await textAt(context, 'once.json'), '{}\n');
      await write(true, [batch, batch]);
      equal(await textAt(context, 'once.json'), '{}\n{}\n');
    },
  },
];
