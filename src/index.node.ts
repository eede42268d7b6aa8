/** The package in Node, Deno and Bun: the WASM is read from beside this file, tables may be local files. */
import { pathToFileURL } from 'node:url';
import './engine/wasm/entry-node.ts';
import { FileSystemStorageHandler } from './storage/node.ts';
import { registerPaths, registerStorage } from './table/location.ts';

registerStorage(['file:'], () => new FileSystemStorageHandler());
registerPaths(() => pathToFileURL(`${process.cwd()}/`));

export * from './index.ts';
