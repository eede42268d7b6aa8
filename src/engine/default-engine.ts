/**
 * The default engine: a storage passed in, the WASM core for JSON, Parquet and expressions, Arrow as its data.
 *
 * ```ts
 * const engine = createEngine({ storage: new HttpStorageHandler() });
 * const snapshot = await Snapshot.load(engine, new URL('https://host/table/'));
 * ```
 */
import type {
  Engine,
  EvaluationHandler,
  JsonHandler,
  ParquetHandler,
  StorageHandler,
} from '../kernel/engine.ts';
import { type CoreSource, coreSource } from './core-source.ts';
import { DefaultEvaluationHandler, type EvaluationHandlerOptions } from './evaluation-handler.ts';
import { DefaultJsonHandler, type JsonHandlerOptions } from './json-handler.ts';
import { DefaultParquetHandler, type ParquetHandlerOptions } from './parquet-handler.ts';
import type { WasmCore } from './wasm/core.ts';
import { loadCore } from './wasm/load.ts';

export interface EngineOptions {
  storage: StorageHandler;
  /** How to get the WASM core; by default what the package's entry point or `init()` set up. */
  wasm?: () => Promise<WasmCore>;
  json?: JsonHandlerOptions;
  parquet?: ParquetHandlerOptions;
  evaluation?: EvaluationHandlerOptions;
  /** Handlers to use instead of the default ones. */
  jsonHandler?: JsonHandler;
  parquetHandler?: ParquetHandler;
  evaluationHandler?: EvaluationHandler;
}

export class DefaultEngine implements Engine {
  readonly storageHandler: StorageHandler;
  readonly jsonHandler: JsonHandler;
  readonly parquetHandler: ParquetHandler;
  readonly evaluationHandler: EvaluationHandler;
  readonly #core: CoreSource;

  constructor(options: EngineOptions) {
    const { storage } = options;
    const core = coreSource(options.wasm ?? loadCore);
    this.#core = core;
    this.storageHandler = storage;
    this.jsonHandler = options.jsonHandler ?? new DefaultJsonHandler(storage, core, options.json);
    this.parquetHandler = options.parquetHandler ?? new DefaultParquetHandler(storage, core, options.parquet);
    this.evaluationHandler =
      options.evaluationHandler ?? new DefaultEvaluationHandler(core, options.evaluation);
  }

  /**
   * Loads the WASM core, which otherwise happens with the first read. What is synchronous in the handlers' contract
   * (`rowIndexSets`) needs it loaded.
   */
  async ready(): Promise<void> {
    await this.#core.load();
  }
}

/** An engine over a storage. The WASM core is loaded when it is first needed. */
export function createEngine(options: EngineOptions): DefaultEngine {
  return new DefaultEngine(options);
}
