/** The package in a Worker: the WASM is imported as a module. */
import './engine/wasm/entry-workerd.ts';

export * from './index.ts';
