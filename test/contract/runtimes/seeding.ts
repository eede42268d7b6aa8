/** Files made on the wish of a runtime that has no file system, and the page that it runs in. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

export interface SeedServer {
  /** POST to `?seed=<path>` makes a file below the folder; anything else answers the page. */
  readonly url: string;
  close(): void;
}

export async function startSeedServer(files: string, page = ''): Promise<SeedServer> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').searchParams.get('seed');
    if (name === null) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(page);
      return;
    }
    (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      await mkdir(dirname(join(files, name)), { recursive: true });
      await writeFile(join(files, name), Buffer.concat(chunks));
      response.end();
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** A page that runs a script. */
export function pageWith(script: string): string {
  const inline = script.replaceAll('</script', '<\\/script');
  return `<!doctype html><title>storage</title><input type="file" webkitdirectory><script>${inline}</script>`;
}
