/** What the log still remembers of removed files. */
import { expect, it } from 'vitest';
import { countTombstones } from '../../../src/kernel/maintenance/tombstones.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { add, LogBuilder, metadata, protocol } from '../../helpers/log-builder.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2024, 5, 20);
const runtime = { now: () => NOW, uuid: () => crypto.randomUUID() };
const schema = types.struct([field('id', types.long)]);
const remove = (path: string, daysAgo: number, size?: number) => ({
  remove: { path, deletionTimestamp: NOW - daysAgo * DAY, dataChange: true, ...(size && { size }) },
});

it('counts removes by age, but not those of files that came back', async () => {
  const log = new LogBuilder()
    .commit(protocol(), metadata(schema), add('a'), add('b'), add('c'), add('d'))
    // Files are kept for 7 days by default.
    .commit(remove('a', 8, 100), remove('b', 6, 20), remove('c', 1))
    .commit(remove('d', 0, 7), add('c'));
  const snapshot = await Snapshot.load(log.engine, log.root, { runtime });
  expect(await countTombstones(log.engine, snapshot)).toEqual({ count: 3, expired: 1, sizeInBytes: 127 });
  await snapshot.checkpoint(log.engine);
  const later = await Snapshot.load(log.engine, log.root, { runtime });
  expect(later.logSegment.checkpointVersion).toBe(2);
  // The checkpoint has left the expired one out.
  expect(await countTombstones(log.engine, later)).toEqual({ count: 2, expired: 0, sizeInBytes: 27 });
});
