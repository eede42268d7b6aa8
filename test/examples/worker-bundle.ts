/** The Worker example as wrangler would upload it, without an account and without the network. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

export interface Upload {
  /** Bytes of all that is uploaded, compressed, as wrangler says. */
  readonly gzipBytes: number;
  readonly files: readonly string[];
}

/** Writes the bundle to `outdir`: `index.js`, and the WASM beside it. */
export async function dryRun(outdir: string): Promise<Upload> {
  const wrangler = join(checkout, 'node_modules/wrangler/bin/wrangler.js');
  const config = join(checkout, 'examples/worker/wrangler.jsonc');
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', outdir, '--config', config];
  // What wrangler would ask the network for even so: its metrics, request.cf for local runs, updates of itself.
  const quiet = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...quiet } });
  const [, size] = /gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
  if (size === undefined) throw new Error(`wrangler said no size: ${stdout}`);
  return { gzipBytes: Number(size) * 1024, files: readdirSync(outdir) };
}
