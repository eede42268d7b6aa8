/** Workers: only a module that is imported may run. */
import module from './delta_kernel_web.wasm';
import { setDefaultLoader } from './load.ts';

setDefaultLoader(() => module);
