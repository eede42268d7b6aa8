/** Browsers: the module is fetched from beside this file, wherever a bundler puts both. */
import { setDefaultLoader } from './load.ts';

setDefaultLoader(() => new URL('./delta_kernel_web.wasm', import.meta.url));
