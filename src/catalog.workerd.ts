/** The embedded catalog in a Worker: see `index.workerd.ts`. */
import './index.workerd.ts';

export * from './catalog.ts';
