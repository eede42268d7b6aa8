import { describe, test } from 'vitest';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { storageContract } from './storage-contract.ts';

describe('MemoryStorageHandler', () => {
  test.each(storageContract)('$name', async ({ run }) => {
    await run({ storage: new MemoryStorageHandler(), root: new URL('memory:///my%20tables/t%25/') });
  });
});
