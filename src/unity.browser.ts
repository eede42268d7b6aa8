/** Unity Catalog in a browser: see `index.browser.ts`. */
import './index.browser.ts';

export * from './unity.ts';
