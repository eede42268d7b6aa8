/** The package in a browser: the WASM is fetched from beside this file. */
import './engine/wasm/entry-browser.ts';

export * from './index.ts';
