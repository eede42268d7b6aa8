/** The program as people run it: `node dist/cli.js`, which `npm test` builds first. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalRows, corpusTables } from '../helpers/corpus.ts';
import { sharedDir } from '../helpers/shared.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(checkout, 'dist/cli.js');
const fixtures = join(checkout, 'test/fixtures/spark-4.2');
const table = (name: string) => join(fixtures, name, 'delta');
const built = existsSync(cli) || Boolean(process.env.CI);
const cleanEnv = { ...process.env, AWS_EC2_METADATA_DISABLED: 'true' };

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const { cwd = checkout, env = cleanEnv } = options;
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { cwd, env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const lines = ({ stdout }: Outcome) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.skipIf(!built)('delta-web', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'delta-cli-'));
  afterAll(() => rmSync(scratch, { recursive: true }));

  it('read prints what Spark read', async () => {
    for (const name of ['basic_partitioned', 'dv_delete']) {
      const outcome = await run(['read', table(name)]);
      expect(outcome).toMatchObject({ status: 0, stderr: '' });
      const wanted = readFileSync(join(fixtures, name, 'rows.ndjson'), 'utf8');
      expect(canonicalRows(outcome.stdout)).toEqual(canonicalRows(wanted));
    }
  });

  it('read takes a version, columns, a filter and a limit', async () => {
    const outcome = await run([
      'read',
      table('basic_partitioned'),
      ...['--version', '3', '--columns', 'k,id', '--where', 'id >= 10 AND k = 2', '--limit', '2'],
    ]);
    const rows = lines(outcome);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['k', 'id']);
      expect(row.k).toBe(2);
      expect(row.id).toBeGreaterThanOrEqual(10);
    }
  });

  it('inspect prints one object', async () => {
    const [detail, ...rest] = lines(await run(['inspect', table('dv_delete')]));
    expect(rest).toEqual([]);
    const rows = canonicalRows(readFileSync(join(fixtures, 'dv_delete/rows.ndjson'), 'utf8'));
    expect(detail).toMatchObject({
      protocol: { minReaderVersion: 3, readerFeatures: expect.arrayContaining(['deletionVectors']) },
      schema: { type: 'struct', fields: expect.arrayContaining([expect.objectContaining({ name: 'id' })]) },
      partitionColumns: [],
      numRecords: rows.length,
    });
    expect(detail.numFiles).toBeGreaterThan(0);
    expect(detail.sizeInBytes).toBeGreaterThan(0);
  });

  it('inspect finds a version by time', async () => {
    const history = lines(await run(['history', table('basic_partitioned')]));
    const second = history.at(-2);
    const args = ['inspect', table('basic_partitioned'), '--timestamp'];
    expect(lines(await run([...args, String(second.timestamp)]))[0].version).toBe(second.version);
    const iso = new Date(second.timestamp).toISOString();
    expect(lines(await run([...args, iso]))[0].version).toBe(second.version);
    expect(await run([...args, 'yesterday'])).toMatchObject({
      status: 1,
      stderr: /^InvalidOption: .*yesterday/,
    });
  });

  it('files prints live files, with --explain those that are skipped and why', async () => {
    const files = lines(await run(['files', table('basic_partitioned')]));
    for (const file of files) {
      expect(file.path).toMatch(/\.parquet$/);
      expect(file.stats.numRecords).toBeGreaterThan(0);
    }
    const where = ['--where', 'k = 2'];
    const kept = lines(await run(['files', table('basic_partitioned'), ...where]));
    expect(kept.every((file) => file.partitionValues.k === '2')).toBe(true);
    const explained = lines(await run(['files', table('basic_partitioned'), ...where, '--explain']));
    expect(explained).toHaveLength(files.length);
    expect(explained.filter((file) => file.kept)).toHaveLength(kept.length);
    for (const file of explained.filter(({ kept }) => !kept)) expect(file.reason.condition).toMatch(/k/);
  });

  it('history prints commits, newest first', async () => {
    const commits = lines(await run(['history', table('basic_partitioned')]));
    expect(commits.at(-1)).toMatchObject({ version: 0, operation: 'CREATE TABLE' });
    expect(commits.map(({ version }) => version)).toEqual([...commits.keys()].reverse());
    expect(lines(await run(['history', table('basic_partitioned'), '--limit', '1']))).toEqual([commits[0]]);
  });

  it('takes relative paths with odd names, and file URLs', async () => {
    const odd = join(scratch, 'a b%20c#d');
    mkdirSync(odd);
    cpSync(table('basic_partitioned'), join(odd, 't'), { recursive: true });
    const wanted = await run(['read', table('basic_partitioned')]);
    expect(await run(['read', 'a b%20c#d/t'], { cwd: scratch })).toEqual(wanted);
    expect(await run(['read', './t/'], { cwd: odd })).toEqual(wanted);
    const url = `file://${encodeURI(odd).replace('#', '%23')}/t`;
    expect(await run(['read', url])).toEqual(wanted);
  });

  it.each([
    [['read', 'does/not/exist'], 1, /^TableNotFound: [^\n]*\n$/],
    [['read', table('basic_partitioned'), '--version', '99'], 1, /^MissingVersion: [^\n]*99[^\n]*\n$/],
    [['read', table('basic_partitioned'), '--where', 'id >'], 1, /^InvalidExpression: [^\n]*\n$/],
    [['read', table('basic_partitioned'), '--columns', 'nope'], 1, /^Schema: [^\n]*nope[^\n]*\n$/],
    [['read', 'gopher://h/t'], 1, /^InvalidUrl: [^\n]*\n$/],
    [['read', 'http://127.0.0.1:9/t'], 1, /^IOError: [^\n]*\n$/],
    [['read'], 2, /^usage: /],
    [['changes', table('dv_delete')], 2, /^usage: /],
    [['changes', table('dv_delete'), '--start', '0'], 1, /^ChangeDataFeedUnsupported: [^\n]*\n$/],
    [['paint', 't'], 2, /^usage: /],
    [['read', 't', '--nope'], 2, /^usage: /],
  ])('%j ends with %i', async (args, status, stderr) => {
    expect(await run(args)).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  it('ends quietly when its reader has gone', async () => {
    const dir = corpusTables().find(({ name }) => name === 'delta-rs/COVID-19_NYT')?.dir;
    const target = dir === undefined ? table('basic_partitioned') : join(dir, 'delta');
    const child = spawn(process.execPath, [cli, 'read', target], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  describe('over HTTP', () => {
    let server: StaticServer;
    beforeAll(async () => {
      server = await startStaticServer(fixtures);
    });
    afterAll(() => server.close());

    it('reads a table of a host without listings', async () => {
      const outcome = await run(['read', `${server.url}dv_delete/delta`]);
      expect(outcome).toEqual(await run(['read', table('dv_delete')]));
    });
  });

  describe.skipIf(versitygwMissing !== undefined)('over S3', () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await startVersitygw();
      await server.createBucket('tables');
      cpSync(table('dv_delete'), join(server.dir, 'tables/dv'), { recursive: true });
    });
    afterAll(() => server.stop());

    it('reads with credentials and endpoint of the environment', async () => {
      const env = {
        ...cleanEnv,
        AWS_ENDPOINT_URL: server.endpoint,
        AWS_REGION: server.region,
        AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
      };
      expect(await run(['read', 's3://tables/dv'], { env })).toEqual(await run(['read', table('dv_delete')]));
      const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' };
      expect(await run(['read', 's3://tables/dv'], { env: wrong })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^(Unauthorized|PermissionDenied): [^\n]*\n$/),
      });
    });
  });

  it.skipIf(sharedDir() === undefined).each(['rows', 'versions', 'changes'])(
    'check_rows.py finds nothing: %s',
    async (kind) => {
      const shared = sharedDir()!;
      const args = [
        join(shared, 'tools/check_rows.py'),
        join(shared, 'corpus/tables/spark-4.2'),
        '--kind',
        kind,
      ];
      const found = await new Promise<string>((resolve) => {
        execFile('python3', args, { cwd: checkout, env: cleanEnv }, (error, stdout, stderr) => {
          resolve(error === null ? 'right' : stdout + stderr);
        });
      });
      expect(found).toBe('right');
    },
  );
});
