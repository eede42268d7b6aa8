/** The README's examples run as they stand, against the sample tables instead of example.com. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';

const root = join(import.meta.dirname, '../..');
const scratch = join(root, '.cache/readme');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
const commands = [...readme.matchAll(/^node dist\/cli\.js (.*)$/gm)].map(([, args]) => args!);

/** What an example must print, by what it is about. */
const PRINTS: [about: string, line: RegExp][] = [
  ['table.scan', /^\d+$/m],
  ['table.explain', /^true date=2021-09-01\//m],
  ['table.history', /^6 UPDATE$/m],
  ['table.changes', /update_postimage/],
  ['table.append', /^2 1$/m],
  ['catalog.create', /^1 2$/m],
];

let server: StaticServer;
beforeAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  server = await startStaticServer(join(root, 'web-demo/samples'));
});
afterAll(() => server.close());

test('there is an example of each kind', () => {
  for (const [about] of PRINTS) expect(examples.some((code) => code.includes(about))).toBe(true);
});

test.each(examples.map((code, at) => [at + 1, code] as const))('example %i runs', async (at, code) => {
  const file = join(scratch, `example-${at}.mjs`);
  writeFileSync(file, code.replaceAll('https://example.com/tables', server.url.replace(/\/$/, '')));
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  const [, line] = PRINTS.find(([about]) => code.includes(about))!;
  expect(stdout).toMatch(line);
});

test.each(commands)('delta-web %s', async (args) => {
  const { stdout } = await promisify(execFile)('sh', ['-c', `node dist/cli.js ${args}`], { cwd: root });
  for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});
