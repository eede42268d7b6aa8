/** Engines for tests from source: the WASM core is the one that the build made. */
import { createEngine, type DefaultEngine } from '../../src/engine/default-engine.ts';
import '../../src/engine/wasm/entry-node.ts';
import type { StorageHandler } from '../../src/kernel/engine.ts';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';

/** The default engine over a storage. */
export function testEngine(storage: StorageHandler): DefaultEngine {
  return createEngine({ storage });
}

/** The default engine over local files. */
export function localEngine(): DefaultEngine {
  return testEngine(new FileSystemStorageHandler());
}
