/** Writers in Node, Chromium and workerd, and delta-rs, at one table on S3, with nothing but conditional puts. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { padVersion } from '../../src/kernel/log/log-path.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { S3StorageHandler } from '../../src/storage/s3.ts';
import { DeltaTable } from '../../src/table/delta-table.ts';
import { rowTexts } from '../helpers/rows.ts';
import { testEngine } from '../helpers/test-engine.ts';
import { type S3Server, startVersitygw, versitygwMissing } from '../helpers/versitygw.ts';
import { deltaRs } from '../interop/python.ts';
import { chromiumGround, type Ground, nodeGround, pythonGround, workerdGround } from './writers.ts';

const BUCKET = 'race';
const URL_OF_TABLE = `s3://${BUCKET}/table/`;
const SEED = Number(process.env.RACE_SEED ?? Date.now() % 2 ** 31);

/** Commits by writer: 200 in all. */
const MIX: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`node-${index}`, 15])),
  chromium: 20,
  workerd: 20,
  'delta-rs-0': 20,
  'delta-rs-1': 20,
};
const COMMITS = Object.values(MIX).reduce((sum, commits) => sum + commits, 0);

const python = versitygwMissing === undefined ? await deltaRs() : { missing: versitygwMissing };
const missing = 'missing' in python ? python.missing : undefined;

describe.skipIf(missing !== undefined)(
  `a race${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const grounds: Record<string, Ground> = {};
    let server: S3Server;
    beforeAll(async () => {
      if (!('python' in python)) return;
      server = await startVersitygw();
      await server.createBucket(BUCKET);
      [grounds.node, grounds.chromium, grounds.workerd] = await Promise.all([
        nodeGround(),
        chromiumGround(),
        workerdGround(),
      ]);
      grounds['delta-rs'] = pythonGround(python.python);
    });
    afterAll(async () => {
      await Promise.all(Object.values(grounds).map((ground) => ground.close()));
      await server?.stop();
      vi.unstubAllEnvs();
    });

    it(`${COMMITS} commits of ${Object.keys(MIX).length} writers are all there, once`, async () => {
      const engine = testEngine(new S3StorageHandler(server.client()));
      const schema = types.struct([field('writer', types.string), field('sequence', types.long)]);
      await DeltaTable.create(URL_OF_TABLE, schema, { engine });
      const mix = Object.entries(MIX).map(([writer, commits]) => `${writer}: ${commits}`);
      console.info(`RACE_SEED=${SEED}, commits by writer: ${mix.join(', ')}`);
      const began = Date.now();
      const known = await Promise.all(Object.keys(MIX).map(run));
      console.info(`${COMMITS} commits in ${((Date.now() - began) / 1000).toFixed(1)} s`);

      const versions = known.flatMap((each) => each ?? []);
      expect(new Set(versions).size).toBe(versions.length);
      expect(await commitFiles()).toEqual(
        Array.from({ length: COMMITS + 1 }, (_, version) => `${padVersion(version)}.json`),
      );
      const expected = Object.entries(MIX).flatMap(([writer, commits]) => {
        return Array.from({ length: commits }, (_, sequence) => JSON.stringify({ writer, sequence }));
      });
      const table = await DeltaTable.open(URL_OF_TABLE, { engine });
      expect(table.version).toBe(COMMITS);
      expect((await rowTexts(table)).sort()).toEqual(expected.sort());
      expect((await readByDeltaRs()).sort()).toEqual(expected);
    });

    function run(writer: string, index: number): Promise<number[] | undefined> {
      const { endpoint, region, credentials } = server;
      const ground = grounds[writer.replace(/-\d+$/, '')]!;
      return ground.run({
        endpoint,
        region,
        credentials,
        table: URL_OF_TABLE,
        writer,
        commits: MIX[writer]!,
        seed: SEED + index,
      });
    }

    async function commitFiles(): Promise<string[]> {
      const Prefix = 'table/_delta_log/';
      const { Contents = [] } = await server
        .client()
        .send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix }));
      return Contents.map(({ Key }) => Key!.slice(Prefix.length)).filter((name) =>
        /^\d{20}\.json$/.test(name),
      );
    }

    async function readByDeltaRs(): Promise<string[]> {
      if (!('run' in python)) return [];
      vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
      vi.stubEnv('AWS_REGION', server.region);
      vi.stubEnv('AWS_ACCESS_KEY_ID', server.credentials.accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.credentials.secretAccessKey);
      vi.stubEnv('AWS_ALLOW_HTTP', 'true');
      const { rows, version } = await python.run('read', URL_OF_TABLE);
      expect(version).toBe(COMMITS);
      return rows.map(({ writer, sequence }) => JSON.stringify({ writer, sequence }));
    }
  },
);
