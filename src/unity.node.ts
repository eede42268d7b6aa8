/** Unity Catalog in Node, Deno and Bun: see `index.node.ts`. */
import './index.node.ts';

export * from './unity.ts';
