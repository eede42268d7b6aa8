import { expect, it } from 'vitest';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';

it('has no time where the log was cleaned up behind a checkpoint', async () => {
  const state = [protocol(), metadata(types.struct([field('a', types.long)]))];
  const log = new LogBuilder();
  await log.checkpoint(4, ...state);
  const table = await log.open();
  await expect(table.snapshot.timestamp(log.engine)).rejects.toMatchObject({ code: 'MissingData' });
  expect(await table.detail()).toMatchObject({ version: 4, timestamp: null, numFiles: 0, numRecords: 0 });
});
