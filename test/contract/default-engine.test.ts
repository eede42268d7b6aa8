/** The default engine's handlers over memory against their contracts. */
import { describe, it } from 'vitest';
import { createEngine } from '../../src/engine/default-engine.ts';
import { MemoryStorageHandler } from '../../src/storage/memory.ts';
import type { ContractCase } from './contract.ts';
import { evaluationHandlerContract } from './evaluation-handler-contract.ts';
import { jsonHandlerContract } from './json-handler-contract.ts';
import { parquetHandlerContract } from './parquet-handler-contract.ts';
import '../../src/engine/wasm/entry-node.ts';

function run(name: string, cases: readonly ContractCase[]): void {
  describe(name, () => {
    for (const each of cases) {
      it(each.name, async () => {
        const engine = createEngine({ storage: new MemoryStorageHandler() });
        await engine.ready();
        await each.run({ engine, directory: new URL('memory:///contract/') });
      });
    }
  });
}

run('JsonHandler', jsonHandlerContract);
run('ParquetHandler', parquetHandlerContract);
run('EvaluationHandler', evaluationHandlerContract);
