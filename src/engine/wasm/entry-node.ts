/** Node, Deno and Bun: the module lies beside this file. */
import { readFile } from 'node:fs/promises';
import { setDefaultLoader } from './load.ts';

setDefaultLoader(() => readFile(new URL('./delta_kernel_web.wasm', import.meta.url)));
