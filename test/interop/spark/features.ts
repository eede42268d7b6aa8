/** Dialogs about table features. */
import { field, types } from '../../../src/kernel/schema/types.ts';
import { altered, type Dialog, numbered } from './dialog.ts';

const plain = types.struct([field('id', types.long), field('k', types.string)]);
const ks = (id: number) => ({ k: id % 2 === 0 ? 'even' : 'odd' });
const appendSix: Dialog['write'] = async (table) => {
  await table.append(numbered(6, ks));
  return table;
};

export const featureDialogs: readonly Dialog[] = [
  {
    name: 'column mapping by name',
    schema: types.struct([
      field('id', types.long),
      field('new name, s', types.string),
      field('st', types.struct([field('a', types.integer), field('b', types.string)])),
    ]),
    options: { properties: { 'delta.columnMapping.mode': 'name' } },
    write: async (table) => {
      await table.append([{ id: 1, 'new name, s': 'x', st: { a: 1, b: 'y' } }]);
      const renamed = await altered(table, (alteration) =>
        alteration.renameColumn(['st', 'b'], 'c').dropColumn(['st', 'a']).addColumn(field('k', types.string)),
      );
      await renamed.append([{ id: 2, 'new name, s': null, st: { c: 'z' }, k: 'k' }]);
      return renamed;
    },
    rows: [
      { id: 1, 'new name, s': 'x', st: { c: 'y' } },
      { id: 2, 'new name, s': null, st: { c: 'z' }, k: 'k' },
    ],
    features: ['columnMapping'],
    spark: [
      'ALTER TABLE T RENAME COLUMN `new name, s` TO t',
      'ALTER TABLE T DROP COLUMN k',
      'ALTER TABLE T ADD COLUMN (k INT)',
      "INSERT INTO T VALUES (3, 't', named_struct('c', 'w'), 7)",
    ],
    after: [
      { id: 1, t: 'x', st: { c: 'y' }, k: null },
      { id: 2, t: null, st: { c: 'z' }, k: null },
      { id: 3, t: 't', st: { c: 'w' }, k: 7 },
    ],
    last: { k: 9 },
  },
  {
    name: 'column mapping by id, partitioned',
    schema: plain,
    options: { partitionBy: ['k'], properties: { 'delta.columnMapping.mode': 'id' } },
    write: async (table) => {
      await table.append(numbered(4, ks));
      const renamed = await altered(table, (alteration) => alteration.renameColumn('k', 'part of it'));
      await renamed.append([{ id: 5, 'part of it': 'new' }]);
      return renamed;
    },
    rows: [
      ...numbered(4).map(({ id }) => ({ id, 'part of it': ks(Number(id)).k })),
      { id: 5, 'part of it': 'new' },
    ],
    features: ['columnMapping'],
    spark: ["INSERT INTO T VALUES (6, 'odd')", "DELETE FROM T WHERE `part of it` = 'even'"],
    after: [
      { id: 1, 'part of it': 'odd' },
      { id: 3, 'part of it': 'odd' },
      { id: 5, 'part of it': 'new' },
      { id: 6, 'part of it': 'odd' },
    ],
    last: { 'part of it': 'last' },
  },
  {
    name: 'deletion vectors',
    schema: plain,
    options: { properties: { 'delta.enableDeletionVectors': 'true' } },
    write: async (table) => {
      await appendSix(table);
      await table.delete('id = 2');
      await table.delete('id = 3');
      return table;
    },
    rows: numbered(6, ks).filter(({ id }) => id !== 2 && id !== 3),
    features: ['deletionVectors'],
    spark: ['DELETE FROM T WHERE id = 4', "UPDATE T SET k = 'u' WHERE id = 5"],
    after: [
      { id: 1, k: 'odd' },
      { id: 5, k: 'u' },
      { id: 6, k: 'even' },
    ],
    deltaRs: true,
  },
  {
    name: 'deletion vectors, purged by OPTIMIZE; classic checkpoints with statistics as structs',
    schema: plain,
    options: {
      properties: {
        'delta.enableDeletionVectors': 'true',
        'delta.checkpointInterval': '2',
        'delta.checkpoint.writeStatsAsStruct': 'true',
      },
    },
    write: async (table) => {
      await appendSix(table);
      await table.append([{ id: 7 }]);
      await table.delete('id = 2');
      return table;
    },
    rows: [...numbered(6, ks).filter(({ id }) => id !== 2), { id: 7 }],
    features: ['deletionVectors'],
    spark: ['OPTIMIZE T'],
    after: [...numbered(6, ks).filter(({ id }) => id !== 2), { id: 7 }],
    deltaRs: true,
  },
  {
    name: 'clustered',
    schema: types.struct([field('id', types.long), field('s', types.struct([field('x', types.string)]))]),
    options: { clusterBy: ['id', 's.x'] },
    write: async (table) => {
      await table.append([{ id: 1, s: { x: 'a' } }]);
      await table.append([{ id: 2, s: { x: 'b' } }]);
      return table;
    },
    rows: [
      { id: 1, s: { x: 'a' } },
      { id: 2, s: { x: 'b' } },
    ],
    features: ['clustering', 'domainMetadata'],
    spark: ['OPTIMIZE T FULL', "INSERT INTO T VALUES (3, named_struct('x', 'c'))"],
    after: [
      { id: 1, s: { x: 'a' } },
      { id: 2, s: { x: 'b' } },
      { id: 3, s: { x: 'c' } },
    ],
  },
  {
    name: 'V2 checkpoints, statistics as structs',
    schema: plain,
    options: {
      partitionBy: ['k'],
      properties: {
        'delta.checkpointPolicy': 'v2',
        'delta.checkpointInterval': '2',
        'delta.checkpoint.writeStatsAsStruct': 'true',
        'delta.checkpoint.writeStatsAsJson': 'false',
      },
    },
    write: async (table) => {
      for (const row of numbered(4, ks)) await table.append([row]);
      return table;
    },
    rows: numbered(4, ks),
    features: ['v2Checkpoint'],
    spark: ["INSERT INTO T VALUES (5, 'odd')", 'DELETE FROM T WHERE id = 2'],
    after: [...numbered(5, ks).filter(({ id }) => id !== 2)],
  },
  {
    name: 'all of it at once',
    schema: plain,
    options: {
      partitionBy: ['k'],
      properties: {
        'delta.columnMapping.mode': 'name',
        'delta.enableDeletionVectors': 'true',
        'delta.enableChangeDataFeed': 'true',
        'delta.enableInCommitTimestamps': 'true',
        'delta.enableRowTracking': 'true',
        'delta.enableTypeWidening': 'true',
        'delta.checkpointPolicy': 'v2',
      },
    },
    write: async (table) => {
      await appendSix(table);
      await table.delete('id = 2');
      return table;
    },
    rows: numbered(6, ks).filter(({ id }) => id !== 2),
    features: [
      'changeDataFeed',
      'columnMapping',
      'deletionVectors',
      'domainMetadata',
      'inCommitTimestamp',
      'rowTracking',
      'typeWidening',
      'v2Checkpoint',
    ],
    spark: ["UPDATE T SET k = 'moved' WHERE id = 3", 'DELETE FROM T WHERE id = 4', 'OPTIMIZE T'],
    after: [
      { id: 1, k: 'odd' },
      { id: 3, k: 'moved' },
      { id: 5, k: 'odd' },
      { id: 6, k: 'even' },
    ],
  },
];
