/**
 * A process of its own that plans a table and says how far its memory grew, for `planning.test.ts`. Run with
 * `--expose-gc`. Arguments: table URL, predicate.
 */
import { createEngine } from '../../../src/engine/default-engine.ts';
import '../../../src/engine/wasm/entry-node.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { FileSystemStorageHandler } from '../../../src/storage/node.ts';

const [url, where] = process.argv.slice(2) as [string, string];
const engine = createEngine({ storage: new FileSystemStorageHandler() });
await engine.ready();
globalThis.gc!();
const before = process.memoryUsage.rss();
let peak = before;
const watch = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(watch, 5);
const snapshot = await Snapshot.load(engine, url);
let files = 0;
let bytes = 0;
for await (const { size } of snapshot.scan({ predicate: parsePredicate(where) }).files(engine)) {
  files += 1;
  bytes += size;
}
watch();
clearInterval(timer);
console.log(JSON.stringify({ version: snapshot.version, files, bytes, growth: peak - before }));
