/**
 * `npm run demo`: sets up and builds what is missing, then serves the inspector until it is stopped.
 * `PORT` chooses another port than 8080.
 */
import { buildDemo } from './build-demo.mjs';
import { serve } from './lib/serve.mjs';
import { main, SetupError } from './lib/shell.mjs';
import { setup } from './setup.mjs';

async function demo() {
  setup('npm', 'wasm');
  const dir = await buildDemo();
  const port = Number(process.env.PORT || 8080);
  const url = await serve(dir, port).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new SetupError(`port ${port} is taken: PORT=${port + 1} npm run demo`);
  });
  process.stdout.write(`\nThe table inspector is at ${url}   (Ctrl+C stops it)\n`);
}

await main(import.meta.url, demo);
