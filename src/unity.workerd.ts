/** Unity Catalog in a Worker: see `index.workerd.ts`. */
import './index.workerd.ts';

export * from './unity.ts';
