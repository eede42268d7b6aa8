/** The embedded catalog in Node, Deno and Bun: see `index.node.ts`. */
import './index.node.ts';

export * from './catalog.ts';
