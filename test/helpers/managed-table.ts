/** Catalog-managed tables for tests: what version 0 of one says. */
import type { Metadata, Protocol } from '../../src/kernel/actions/types.ts';
import type { Engine } from '../../src/kernel/engine.ts';
import { schemaToJson } from '../../src/kernel/schema/schema-json.ts';
import { field, types } from '../../src/kernel/schema/types.ts';

const FEATURES = ['catalogManaged', 'v2Checkpoint', 'vacuumProtocolCheck', 'deletionVectors'];

export const MANAGED_PROTOCOL: Protocol = {
  minReaderVersion: 3,
  minWriterVersion: 7,
  readerFeatures: FEATURES,
  writerFeatures: [...FEATURES, 'inCommitTimestamp'],
};

const schema = types.struct([field('id', types.long)]);

export const MANAGED_METADATA: Metadata = {
  id: '5fba94ed-9794-4965-ba6e-6ee3c0d22af9',
  format: { provider: 'parquet', options: {} },
  schemaString: schemaToJson(schema),
  schema,
  partitionColumns: [],
  createdTime: 1_700_000_000_000,
  configuration: { 'delta.enableInCommitTimestamps': 'true' },
};

/** Time of version 0. */
export const TIME_0 = 1_700_000_000_000;

/** Writes version 0 as its creator would have. */
export async function putVersion0(
  engine: Engine,
  tableRoot: URL,
  metadata: Metadata = MANAGED_METADATA,
): Promise<void> {
  const { schema: _, ...stored } = metadata;
  const commitInfo = {
    timestamp: TIME_0,
    inCommitTimestamp: TIME_0,
    operation: 'CREATE TABLE',
    txnId: 'created',
  };
  const lines = [{ commitInfo }, { protocol: MANAGED_PROTOCOL }, { metaData: stored }];
  const location = new URL('_delta_log/00000000000000000000.json', tableRoot);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await engine.storageHandler.put(location, new TextEncoder().encode(text), { overwrite: false });
}
