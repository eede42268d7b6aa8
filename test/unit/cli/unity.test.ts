/** `uc://` tables on the command line: the stub over HTTP, data in local files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { UcStub } from '../../helpers/uc-stub/stub.ts';

const scratch = mkdtempSync(join(tmpdir(), 'delta-cli-unity-'));
const stub = new UcStub({
  storageRoot: pathToFileURL(join(scratch, 'lake')).href,
  tokens: { 'the-token': 'admin' },
}).addSchema('cat', 'sch');
let server: Awaited<ReturnType<UcStub['listen']>>;
beforeAll(async () => {
  server = await stub.listen();
});
afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true });
});

class Text extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function deltaWeb(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [stdout, stderr] = [new Text(), new Text()];
  const status = await run(args, {
    stdout,
    stderr,
    env: { UC_URL: server.url, UC_TOKEN: 'the-token', ...env },
  });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

const done = (stdout: string) => ({ status: 0, stdout: `${stdout}\n`, stderr: '' });

it('create, append, read, publish', async () => {
  const schema = join(scratch, 'schema.json');
  writeFileSync(schema, schemaToJson(types.struct([field('id', types.long)])));
  const rows = join(scratch, 'rows.ndjson');
  writeFileSync(rows, '{"id":1}\n{"id":2}\n');
  const table = 'uc://cat.sch.orders';
  expect(await deltaWeb(['create', table, '--schema', schema])).toEqual(done('{"version":0}'));
  expect(await deltaWeb(['append', table, '--from', rows])).toEqual(done('{"version":1}'));
  expect(await deltaWeb(['read', table, '--where', 'id > 1'])).toEqual(done('{"id":2}'));
  expect(await deltaWeb(['publish', table])).toEqual(done('{"version":1,"published":0}'));
  const inspected = await deltaWeb(['inspect', table, '--version', '0']);
  expect(JSON.parse(inspected.stdout)).toMatchObject({ version: 0, numFiles: 0 });
  expect(stub.table('cat', 'sch', 'orders').published).toBe(1);
});

it('says what is missing or wrong', async () => {
  expect(await deltaWeb(['read', 'uc://cat.sch.none'])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^TableNotFound: /),
  });
  expect(await deltaWeb(['read', 'uc://cat.sch'])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^InvalidOption: "cat\.sch" is no table name/),
  });
  expect(await deltaWeb(['read', 'uc://cat.sch.t'], { UC_URL: '' })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^InvalidOption: .*UC_URL/),
  });
  const refused = await deltaWeb(['read', 'uc://cat.sch.t'], { UC_TOKEN: 'wrong-one' });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Unauthorized: /) });
  expect(refused.stderr).not.toContain('wrong-one');
  expect(await deltaWeb(['vacuum', 'uc://cat.sch.orders'])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Unsupported: .*catalog-managed/),
  });
});
