/** Servers of tests that are programs of their own: started on a free port, waited for, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers, with whatever status, once the server is up. */
  readonly health: string;
}

export async function startServer(
  program: string,
  args: readonly string[],
  { cwd, env, health }: ServerOptions,
): Promise<{ stop(): Promise<void> }> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await untilUp(child, basename(program), health);
  return {
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGTERM')) await exited;
    },
  };
}

async function untilUp(child: ChildProcess, name: string, url: string): Promise<void> {
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`${name} ended at once: ${output}`);
    if (await isUp(url)) return;
    await sleep(50);
  }
  child.kill();
  throw new Error(`${name} did not come up: ${output}`);
}

function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.status < 500,
    () => false,
  );
}

/** Of the loopback interface. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
