/**
 * A table's life on every runtime, in the storage that the runtime has: local files, the browser's own storage, a
 * bucket of R2. Expected rows are counted by hand.
 */
import type * as Delta from '../../src/index.ts';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import type { RuntimeCase, RuntimeContext } from './suite.ts';
import { readRows, same } from './suite-helpers.ts';

/** A new place for a table, by a name that no other case uses. */
export type NewPlace = (name: string) => Promise<{ readonly storage: StorageHandler; readonly url: string }>;

type Properties = Readonly<Record<string, string>>;

const KINDS: readonly (readonly [string, Properties])[] = [
  ['with deletion vectors', { 'delta.enableDeletionVectors': 'true', 'delta.checkpointPolicy': 'v2' }],
  ['rewriting files', { 'delta.enableChangeDataFeed': 'true', 'delta.enableRowTracking': 'true' }],
];

export const writeSuite: readonly RuntimeCase[] = [
  ...KINDS.map(([kind, properties]) => ({
    name: `writes and maintains a table ${kind}`,
    run: (context: RuntimeContext) => life(context, kind, properties),
  })),
  { name: 'two writers at once lose nothing', run: twoWriters },
];

async function life(
  { delta, newPlace }: RuntimeContext,
  kind: string,
  properties: Properties,
): Promise<void> {
  const { DeltaTable, field, types } = delta;
  const place = await newPlace(kind.replaceAll(' ', '-'));
  const schema = types.struct([field('city', types.string), field('id', types.long)]);
  const warnings: string[] = [];
  const options = { onWarning: (warning: Error) => warnings.push(warning.message) };
  const table = await DeltaTable.create(place, schema, { partitionBy: ['city'], properties, ...options });
  await table.append(
    [1, 2, 3, 4].map((id) => ({ city: id < 3 ? 'Zürich' : 'Lima', id })),
    options,
  );
  const deleted = await table.delete('id = 2', options);
  const isMarked = 'delta.enableDeletionVectors' in properties;
  same([deleted.deletedRows, deleted.updatedFiles, deleted.addedFiles], isMarked ? [1, 1, 0] : [1, 0, 1]);
  await table.alter(
    (change) => change.addColumn(field('fare', types.double)).addConstraint('c', 'id > 0'),
    options,
  );
  await table.append([{ city: 'Lima', id: 5, fare: 2.5 }], options);
  same(await table.checkpoint(), 'written');
  const { files } = await table.vacuum({ retainHours: 0, allowShortRetention: true });
  // A file that was written anew is no longer needed; one with deleted rows is.
  same(files.filter((path) => path.startsWith('city=')).length, isMarked ? 0 : 1);
  const bad = await table.append([{ city: 'Lima', id: 0 }], options).catch((error: unknown) => error);
  same(delta.isDeltaError(bad, 'ConstraintViolation'), true);
  const rows = [
    '{"city":"Lima","id":3,"fare":null}',
    '{"city":"Lima","id":4,"fare":null}',
    '{"city":"Lima","id":5,"fare":2.5}',
    '{"city":"Zürich","id":1,"fare":null}',
  ];
  same(await readRows(table), rows);
  const again = await DeltaTable.open(place);
  same([again.version, again.snapshot.logSegment.checkpointVersion], [4, 4]);
  same(await readRows(again), rows);
  same(await again.count({ where: "city = 'Lima'" }), 3);
  same(warnings, []);
}

async function twoWriters({ delta, newPlace }: RuntimeContext): Promise<void> {
  const place = await newPlace('two-writers');
  const schema = delta.types.struct([delta.field('id', delta.types.long)]);
  await delta.DeltaTable.create(place, schema);
  const writer = async (first: number) => {
    const table = await delta.DeltaTable.open(place);
    for (let id = first; id < first + 5; id += 1) await table.append([{ id }]);
  };
  await Promise.all([writer(0), writer(5)]);
  const table: Delta.DeltaTable = await delta.DeltaTable.open(place);
  same(table.version, 10);
  same(
    await readRows(table),
    Array.from({ length: 10 }, (_, id) => `{"id":${id}}`),
  );
}
