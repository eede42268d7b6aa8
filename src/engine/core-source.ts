/** Where the handlers get the WASM core from: loaded once, when it is first needed. */
import type { WasmCore } from './wasm/core.ts';

export interface CoreSource {
  /** The core, where it is loaded. */
  readonly current: WasmCore | undefined;
  load(): Promise<WasmCore>;
}

/** A {@link CoreSource} over a loader. A failed load is tried again by the next caller. */
export function coreSource(load: () => Promise<WasmCore>): CoreSource {
  let current: WasmCore | undefined;
  let loading: Promise<WasmCore> | undefined;
  return {
    get current() {
      return current;
    },
    load() {
      loading ??= load().then(
        (core) => {
          current = core;
          return core;
        },
        (error) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}
