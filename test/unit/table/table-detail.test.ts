import { expect, it } from 'vitest';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { add, featureProtocol, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';

it('has no time where the log was cleaned up behind a checkpoint', async () => {
  const state = [protocol(), metadata(types.struct([field('a', types.long)]))];
  const log = new LogBuilder();
  await log.checkpoint(4, ...state);
  const table = await log.open();
  await expect(table.snapshot.timestamp(log.engine)).rejects.toMatchObject({ code: 'MissingData' });
  expect(await table.detail()).toMatchObject({ version: 4, timestamp: null, numFiles: 0, numRecords: 0 });
});

it.each([
  ['less than none', -1, {}],
  ['more than numbers tell apart', 2 ** 60, {}],
  [
    'less than are deleted',
    0,
    { deletionVector: { storageType: 'p', pathOrInlineDv: 'file:///gone', sizeInBytes: 9, cardinality: 1 } },
  ],
])('does not count %s', async (_, numRecords, more) => {
  const schema = types.struct([field('a', types.long)]);
  const log = new LogBuilder();
  await log.parquet('f.parquet', schema, [[1n], [2n]]);
  log.commit(
    featureProtocol('deletionVectors'),
    metadata(schema),
    add('f.parquet', { stats: `{"numRecords":${BigInt(numRecords)}}`, ...more }),
  );
  const table = await log.open();
  expect(await table.detail()).toMatchObject({ numFiles: 1, numRecords: null });
  // Then rows are counted one by one.
  const counted = table.count();
  if ('deletionVector' in more) await expect(counted).rejects.toMatchObject({ name: 'DeltaError' });
  else expect(await counted).toBe(2);
});
