/** Unity Catalog in a Worker: see `index.workerd.ts`. */
import './engine/wasm/entry-workerd.ts';

export * from './unity.ts';
