/**
 * A Python with delta-rs, in a virtual environment (`~/.cache/delta-kernel-web/venv`), made when it is first needed.
 * Where that cannot be had the tests are skipped, and say why.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDir } from '../../scripts/lib/shell.mjs';
import { pythonWith, reasonOf } from './venv.ts';

const exec = promisify(execFile);
const script = fileURLToPath(new URL('delta_rs.py', import.meta.url));

/** Runs the script; what it printed. */
export type DeltaRs = (...args: readonly string[]) => Promise<DeltaRsResult>;

export interface DeltaRsResult {
  readonly version: number;
  readonly rows: readonly Record<string, unknown>[];
  readonly schema: unknown;
  readonly actions: readonly Record<string, unknown>[];
}

/** The runner, or why there is none. */
export async function deltaRs(): Promise<{ run: DeltaRs; python: string } | { missing: string }> {
  try {
    const python = await pythonWith(
      join(cacheDir, 'venv'),
      ['deltalake', 'pyarrow'],
      ['deltalake>=1', 'pyarrow'],
    );
    return { python, run: (...args) => runScript(python, args) };
  } catch (error) {
    return { missing: `no Python with deltalake and pyarrow: ${reasonOf(error)}` };
  }
}

async function runScript(python: string, args: readonly string[]): Promise<DeltaRsResult> {
  const { stdout } = await exec(python, [script, ...args], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as DeltaRsResult;
}
