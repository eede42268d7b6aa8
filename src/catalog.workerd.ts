/** The embedded catalog in a Worker: see `index.workerd.ts`. */
import './engine/wasm/entry-workerd.ts';

export * from './catalog.ts';
