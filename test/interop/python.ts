/**
 * A Python with delta-rs, in a virtual environment beside the compiled cores (`~/.cache/delta-kernel-web/venv`), made
 * when it is first needed. Where that cannot be had the tests are skipped, and say why.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDir } from '../../scripts/lib/shell.mjs';

const exec = promisify(execFile);
const venv = join(cacheDir, 'venv');
const bin = join(venv, process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
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
export async function deltaRs(): Promise<{ run: DeltaRs } | { missing: string }> {
  try {
    if (!(await imports())) await install();
    return { run };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return {
      missing: `no Python with deltalake and pyarrow: ${(stderr || message).trim().split('\n').at(-1)}`,
    };
  }
}

async function run(...args: readonly string[]): Promise<DeltaRsResult> {
  const { stdout } = await exec(bin, [script, ...args], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as DeltaRsResult;
}

async function imports(): Promise<boolean> {
  if (!existsSync(bin)) return false;
  return exec(bin, ['-c', 'import deltalake, pyarrow']).then(
    () => true,
    () => false,
  );
}

async function install(): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  await exec('python3', ['-m', 'venv', venv], { timeout: 120_000 });
  await exec(
    bin,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'deltalake>=1', 'pyarrow'],
    {
      timeout: 300_000,
    },
  );
}
