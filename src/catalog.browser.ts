/** The embedded catalog in a browser: see `index.browser.ts`. */
import './engine/wasm/entry-browser.ts';

export * from './catalog.ts';
