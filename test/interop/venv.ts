/** Virtual environments of Python, made once and kept beside the compiled cores (`~/.cache/delta-kernel-web`). */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/**
 * The Python of the environment at `dir`, which is made where it cannot import `modules`. Two tests may do so at once:
 * each makes its own, and the first one to be ready stays.
 */
export async function pythonWith(
  dir: string,
  modules: readonly string[],
  packages: readonly string[],
): Promise<string> {
  const python = pythonIn(dir);
  if (await imports(python, modules)) return python;
  const fresh = `${dir}.${process.pid}`;
  await mkdir(dirname(dir), { recursive: true });
  await exec('python3', ['-m', 'venv', fresh], { timeout: 120_000 });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  await exec(pythonIn(fresh), pip, { timeout: 300_000 });
  if (await imports(python, modules)) {
    await rm(fresh, { recursive: true });
    return python;
  }
  // Nothing but `python -m …` is used of it, which works wherever the folder is.
  await rm(dir, { recursive: true, force: true });
  await rename(fresh, dir);
  return python;
}

/** Why a set-up failed, in a line. */
export function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim().split('\n').at(-1) ?? '';
}

function pythonIn(dir: string): string {
  return join(dir, process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
}

function imports(python: string, modules: readonly string[]): Promise<boolean> {
  if (!existsSync(python)) return Promise.resolve(false);
  return exec(python, ['-c', `import ${modules.join(', ')}`]).then(
    () => true,
    () => false,
  );
}
