/** A table in the stub, over memory: version 0 written and registered. */
import type { TableName } from '../../../src/catalog/unity/client.ts';
import { UnityRestClient } from '../../../src/catalog/unity/rest-client.ts';
import type { DefaultEngine } from '../../../src/engine/default-engine.ts';
import type { Metadata } from '../../../src/kernel/actions/types.ts';
import type { StorageHandler } from '../../../src/kernel/engine.ts';
import { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { MANAGED_METADATA, MANAGED_PROTOCOL, putVersion0, TIME_0 } from '../managed-table.ts';
import { testEngine } from '../test-engine.ts';
import { type StubOptions, UcStub } from './stub.ts';

export interface UnityTestTable {
  readonly stub: UcStub;
  readonly client: UnityRestClient;
  readonly storage: StorageHandler;
  readonly engine: DefaultEngine;
  readonly name: TableName;
  readonly tableId: string;
  readonly tableRoot: URL;
  readonly readMetadata: Metadata;
}

export async function unityTable(
  options: StubOptions = {},
  storage: StorageHandler = new MemoryStorageHandler(),
): Promise<UnityTestTable> {
  const stub = new UcStub(options).addSchema('cat', 'sch');
  const client = new UnityRestClient({ url: 'http://uc', fetch: stub.fetch, sleep: async () => undefined });
  const name = { catalog: 'cat', schema: 'sch', table: 't' };
  const engine = testEngine(storage);
  const { tableId, location, storedLocation, requiredProperties } = await client.createStagingTable(name);
  const configuration = requiredProperties as Readonly<Record<string, string>>;
  const readMetadata = { ...MANAGED_METADATA, configuration };
  await putVersion0(engine, location, readMetadata);
  await client.createTable(name, {
    name: 't',
    storedLocation,
    columns: readMetadata.schema,
    partitionColumns: [],
    protocol: MANAGED_PROTOCOL,
    properties: configuration,
    domains: {},
    lastCommitTimestamp: TIME_0,
  });
  return { stub, client, storage, engine, name, tableId, tableRoot: location, readMetadata };
}
