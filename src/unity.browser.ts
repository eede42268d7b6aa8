/** Unity Catalog in a browser: see `index.browser.ts`. */
import './engine/wasm/entry-browser.ts';

export * from './unity.ts';
