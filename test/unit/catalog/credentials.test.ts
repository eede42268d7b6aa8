/** Vended credentials: chosen, renewed in time, asked for once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StorageCredential } from '../../../src/catalog/unity/client.ts';
import { longestMatch, s3KeysOf, VendedCredentials } from '../../../src/catalog/unity/credentials.ts';
import { vendedS3 } from '../../../src/storage/s3-vended.ts';

const LOCATION = new URL('s3://bucket/uc/tables/1/');
const MINUTE = 60_000;

const credential = (fields: Partial<StorageCredential> = {}): StorageCredential => ({
  prefix: 's3://bucket/uc/tables/1',
  operation: 'READ_WRITE',
  config: { 's3.access-key-id': 'a', 's3.secret-access-key': 'b', 's3.session-token': 'c' },
  expirationTime: undefined,
  ...fields,
});

let now: number;
let asked: number;

beforeEach(() => {
  now = 1_700_000_000_000;
  asked = 0;
});

function vended(lifetimeMs: number | undefined, fail: () => boolean = () => false): VendedCredentials {
  return new VendedCredentials(
    async () => {
      asked += 1;
      if (fail()) throw new Error('no');
      const expirationTime = lifetimeMs === undefined ? undefined : now + lifetimeMs;
      return [credential({ config: { 's3.access-key-id': String(asked) }, expirationTime })];
    },
    LOCATION,
    { now: () => now },
  );
}

const keyOf = async (credentials: VendedCredentials) =>
  (await credentials.current()).config['s3.access-key-id'];

describe('renewal', () => {
  it('comes five minutes before an hour is over', async () => {
    const credentials = vended(60 * MINUTE);
    expect(await keyOf(credentials)).toBe('1');
    now += 55 * MINUTE - 1;
    expect(await keyOf(credentials)).toBe('1');
    now += 1;
    expect(await keyOf(credentials)).toBe('2');
  });

  it('comes after four fifths of a short life', async () => {
    const credentials = vended(90_000);
    await keyOf(credentials);
    now += 71_999;
    expect(await keyOf(credentials)).toBe('1');
    now += 1;
    expect(await keyOf(credentials)).toBe('2');
  });

  it('never comes where nothing expires', async () => {
    const credentials = vended(undefined);
    await keyOf(credentials);
    now += 1e12;
    expect(await keyOf(credentials)).toBe('1');
  });

  it('is one request for all who wait, and at most one in a second', async () => {
    const credentials = vended(-1);
    await Promise.all(Array.from({ length: 20 }, () => credentials.current()));
    expect(asked).toBe(1);
    now += 999;
    await credentials.current();
    await credentials.renewed();
    expect(asked).toBe(1);
    now += 1;
    await Promise.all([credentials.current(), credentials.renewed()]);
    expect(asked).toBe(2);
  });

  it('may fail while the old one is good', async () => {
    let down = false;
    const credentials = vended(60 * MINUTE, () => down);
    await keyOf(credentials);
    down = true;
    now += 56 * MINUTE;
    expect(await keyOf(credentials)).toBe('1');
    now += 5 * MINUTE;
    await expect(credentials.current()).rejects.toThrow('no');
    down = false;
    expect(await keyOf(credentials)).toBe('4');
  });
});

describe('choice', () => {
  it('takes the longest prefix that the table lies under, by whole names', () => {
    const list = [
      's3://bucket',
      's3://bucket/uc',
      's3://bucket/uc/tab',
      's3://other',
      's3://bucket/uc/tables/12',
    ];
    const credentials = list.map((prefix) => credential({ prefix }));
    expect(longestMatch(credentials, LOCATION).prefix).toBe('s3://bucket/uc');
    expect(() => longestMatch(credentials.slice(3), LOCATION)).toThrow(
      expect.objectContaining({ code: 'CatalogError' }),
    );
  });

  it('needs both keys, the session token where there is one', () => {
    expect(s3KeysOf(credential())).toEqual({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' });
    const config = { 's3.access-key-id': 'a', 's3.secret-access-key': 'b' };
    expect(s3KeysOf(credential({ config }))).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
    expect(() => s3KeysOf(credential({ config: {} }))).toThrow(
      expect.objectContaining({ code: 'CatalogError' }),
    );
  });
});

describe('S3 with them', () => {
  /** What a store says to the access key that signed, and the session token. */
  let answer: (key: string, token: string | undefined) => { status: number; body?: string };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const key = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const { status, body = '' } = answer(
        key,
        request.headers['x-amz-security-token'] as string | undefined,
      );
      response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
    });
  });
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function storageOf(given: typeof answer) {
    answer = given;
    let generation = 0;
    let renewals = 0;
    const keys = async () => ({
      accessKeyId: `key-${generation}`,
      secretAccessKey: 'secret',
      sessionToken: `token-${generation}`,
    });
    const storage = vendedS3({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      verifyConditionalPut: false,
      keys,
      renew: async () => {
        renewals += 1;
        generation += 1;
        return keys();
      },
    });
    const expire = () => {
      generation += 1;
    };
    return { storage, renewals: () => renewals, expire };
  }

  const EXPIRED = '<Error><Code>ExpiredToken</Code><Message>expired</Message></Error>';

  it('asks before every request, and signs with what it gets', async () => {
    const seen: string[] = [];
    const { storage, expire } = storageOf((key, token) => {
      seen.push(`${key} ${token}`);
      return { status: 200 };
    });
    await storage.put(new URL('s3://b/1'), new Uint8Array(1), { overwrite: false });
    expire();
    await storage.put(new URL('s3://b/2'), new Uint8Array(1), { overwrite: false });
    expect(seen).toEqual(['key-0 token-0', 'key-1 token-1']);
  });

  it('sends a request once more when the store says that its credentials have expired', async () => {
    const { storage, renewals } = storageOf((key) =>
      key === 'key-0' ? { status: 400, body: EXPIRED } : { status: 200 },
    );
    await storage.put(new URL('s3://b/1'), new Uint8Array(1), { overwrite: false });
    expect(renewals()).toBe(1);
    const always = storageOf(() => ({ status: 400, body: EXPIRED }));
    await expect(
      always.storage.put(new URL('s3://b/1'), new Uint8Array(1), { overwrite: false }),
    ).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(always.renewals()).toBe(1);
  });
});
