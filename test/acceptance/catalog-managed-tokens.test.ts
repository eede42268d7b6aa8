/** Credentials with session tokens that a catalog hands out for a while: taken, renewed in time, renewed when refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import '../../src/engine/wasm/entry-node.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import type { DeltaTable } from '../../src/table/delta-table.ts';
import { UnityCatalog } from '../../src/unity.ts';
import { gofakes3Missing, startTokenS3, type TokenS3 } from '../helpers/gofakes3.ts';
import { UcStub } from '../helpers/uc-stub/stub.ts';

const SCHEMA = types.struct([field('id', types.long), field('part', types.integer)]);
const HOUR = 3_600_000;
/** New credentials are asked for at most once in this time. */
const MIN_INTERVAL = 1000;

describe.skipIf(gofakes3Missing)(`session tokens${gofakes3Missing ? `: ${gofakes3Missing}` : ''}`, () => {
  let s3: TokenS3;
  let stub: UcStub;
  let unity: UnityCatalog;
  /** Credentials handed out so far; each has its number in its token. */
  let vended: number;
  let lifetime: number;
  let isAccepted: boolean;

  beforeAll(async () => {
    s3 = await startTokenS3('lake');
  });
  afterAll(() => s3?.stop());

  beforeEach(() => {
    [vended, lifetime, isAccepted] = [0, HOUR, true];
    s3.goodTokens.clear();
    s3.requests.length = 0;
    stub = new UcStub({
      storageRoot: 's3://lake/uc',
      vend: () => {
        vended += 1;
        if (isAccepted) s3.goodTokens.add(`token-${vended}`);
        return {
          config: {
            's3.access-key-id': `key-${vended}`,
            's3.secret-access-key': 'very-secret',
            's3.session-token': `token-${vended}`,
          },
          expirationTimeMs: Date.now() + lifetime,
        };
      },
    }).addSchema('cat', 'sch');
    unity = new UnityCatalog({ url: 'http://uc', fetch: stub.fetch, s3: { endpoint: s3.endpoint } });
  });

  const tokens = () => new Set(s3.requests.map((request) => request.split(' ').at(-1)!));
  const create = () => unity.create('cat.sch.t', SCHEMA, { partitionBy: ['part'] });
  const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id: BigInt(id), part: id }));

  async function idsOf(table: DeltaTable): Promise<number[]> {
    const ids: number[] = [];
    for await (const batch of table.scan({ columns: ['id'] })) {
      for (const id of batch.getChildAt(0) ?? []) ids.push(Number(id));
    }
    return ids.sort((a, b) => a - b);
  }

  it('go with every request, and one set of credentials serves a table', async () => {
    const made = await create();
    await made.append(rows(3));
    const opened = await unity.open('cat.sch.t');
    expect(await idsOf(opened)).toEqual([0, 1, 2]);
    // Those of the staged table, then those of the table that was opened.
    expect([...tokens()]).toEqual(['token-1', 'token-2']);
    expect(vended).toBe(2);
  });

  it('are renewed before they expire', async () => {
    lifetime = 1;
    const table = await create();
    await sleep(MIN_INTERVAL);
    s3.requests.length = 0;
    s3.goodTokens.delete('token-1');
    await table.append(rows(2));
    expect(s3.requests.length).toBeGreaterThan(3);
    expect(tokens().has('token-1')).toBe(false);
  });

  it('are renewed once for all, when the store refuses them sooner, and nothing is done twice', async () => {
    const table = await create();
    await table.append(rows(6));
    await sleep(MIN_INTERVAL);
    s3.goodTokens.delete('token-1');
    await table.append(rows(6));
    // One more where a request was under way for longer than the interval.
    expect([2, 3]).toContain(vended);
    expect(table.version).toBe(2);
    expect(await idsOf(table)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  it('are renewed in the middle of a scan', async () => {
    const table = await create();
    await table.append(rows(12));
    const ids: number[] = [];
    for await (const batch of table.scan({ columns: ['id'] })) {
      if (ids.length === 0) {
        await sleep(MIN_INTERVAL);
        s3.goodTokens.delete('token-1');
      }
      for (const id of batch.getChildAt(0) ?? []) ids.push(Number(id));
    }
    expect(ids.sort((a, b) => a - b)).toEqual(rows(12).map(({ part }) => part));
    expect([...tokens()].slice(0, 2)).toEqual(['token-1', 'token-2']);
  });

  it('that stay refused end the write, with nothing committed and no secret told', async () => {
    const table = await create();
    await sleep(MIN_INTERVAL);
    isAccepted = false;
    s3.goodTokens.clear();
    const error = await table.append(rows(1)).catch((failure: unknown) => failure as Error);
    expect(error).toMatchObject({ name: 'DeltaError', code: 'Unauthorized' });
    const told = `${(error as Error).message} ${JSON.stringify(error)}`;
    for (const secret of ['very-secret', 'token-1', 'token-2']) expect(told).not.toContain(secret);
    expect(stub.table('cat', 'sch', 't').rows).toEqual([]);
    expect(s3.requests.filter((request) => request.endsWith('token-2')).length).toBeLessThan(10);
  });
});
