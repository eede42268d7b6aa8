/** Getting the WASM core: set up once, by `init` or by the entry point of a runtime; loaded when first needed. */
import { DeltaError } from '../../errors.ts';
import { createCore } from './bindings.ts';
import type { WasmCore } from './core.ts';

/** What the module can be made of; a URL or a Response is fetched and compiled while it streams. */
export type WasmSource = WebAssembly.Module | BufferSource | Response | URL | string;

type Loader = () => WasmSource | Promise<WasmSource>;

let loader: Loader | undefined;
let loading: Promise<WasmCore> | undefined;

/** Sets how the core is loaded where nothing else was set: for the entry points of runtimes. */
export function setDefaultLoader(load: Loader): void {
  loader ??= load;
}

/**
 * Loads the core from `wasm`, or as the package's entry point says. Needed only with `delta-kernel-web/slim`, or to
 * pay for loading early.
 * @throws DeltaError `InvalidOption` where there is nothing to load from, `IOError` where fetching fails.
 */
export async function init(options: { wasm?: WasmSource | Promise<WasmSource> } = {}): Promise<void> {
  const { wasm } = options;
  if (wasm !== undefined) {
    loader = () => wasm;
    loading = undefined;
  }
  await loadCore();
}

/** The core; one for all callers. A failed load is tried again by the next caller. */
export function loadCore(): Promise<WasmCore> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<WasmCore> {
  if (loader === undefined) {
    throw new DeltaError(
      'InvalidOption',
      'no WASM module: call init({ wasm }) before using delta-kernel-web/slim',
    );
  }
  return createCore(await compile(await loader()));
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (typeof source === 'string' || source instanceof URL) return compile(await fetchModule(source));
  if (isResponse(source)) {
    const streams = source.headers.get('content-type')?.startsWith('application/wasm') ?? false;
    return streams ? WebAssembly.compileStreaming(source) : WebAssembly.compile(await source.arrayBuffer());
  }
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    return WebAssembly.compile(source as BufferSource);
  }
  return source;
}

function isResponse(source: WasmSource): source is Response {
  return typeof (source as Response).arrayBuffer === 'function';
}

async function fetchModule(url: URL | string): Promise<Response> {
  let response: Response;
  try {
    response = await globalThis.fetch(url);
  } catch (cause) {
    throw new DeltaError('IOError', 'the WASM module could not be fetched', { cause });
  }
  if (response.ok) return response;
  throw new DeltaError('IOError', `the WASM module could not be fetched: HTTP ${response.status}`, {
    status: response.status,
  });
}
