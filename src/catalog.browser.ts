/** The embedded catalog in a browser: see `index.browser.ts`. */
import './index.browser.ts';

export * from './catalog.ts';
