/** Tables by name, in whichever catalog the environment says. */
import type { DeltaTable } from 'delta-kernel-web';
import { DeltaError } from 'delta-kernel-web';
import { R2RecordStore, StorageCatalog } from 'delta-kernel-web/catalog';
import { R2StorageHandler } from 'delta-kernel-web/r2';
import { UnityCatalog } from 'delta-kernel-web/unity';
import type { Environment } from './environment.ts';

export interface TableLayout {
  readonly partitionBy?: readonly string[];
}

export interface Tables {
  open(name: string): Promise<DeltaTable>;
  /** @param schema JSON text of a Delta schema. */
  create(name: string, schema: string, layout: TableLayout): Promise<DeltaTable>;
}

export async function tablesOf(env: Environment): Promise<Tables> {
  return env.UC_URL ? unityTables(env, env.UC_URL) : storedTables(env);
}

/** Unity Catalog orders the commits and hands out credentials for S3. */
function unityTables(env: Environment, url: string): Tables {
  const { UC_TOKEN: token, UC_SCHEMA: schema } = env;
  if (!schema) throw new DeltaError('InvalidOption', 'UC_URL needs UC_SCHEMA: catalog.schema');
  const s3 = { endpoint: env.AWS_ENDPOINT_URL || undefined, region: env.AWS_REGION || undefined };
  const unity = new UnityCatalog({ url, token, s3 });
  return {
    open: (name) => unity.open(`${schema}.${name}`),
    create: (name, text, layout) => unity.create(`${schema}.${name}`, text, layout),
  };
}

/** One record per table in R2 orders the commits; the tables lie in R2 or S3. */
async function storedTables(env: Environment): Promise<Tables> {
  const records = new R2RecordStore(env.BUCKET);
  if (!env.S3_URL) {
    return new StorageCatalog({
      records,
      storage: new R2StorageHandler(env.BUCKET),
      root: 'r2://bucket/tables/',
    });
  }
  return new StorageCatalog({ records, storage: await s3Of(env), root: env.S3_URL });
}

/** The SDK is only started where it is needed. */
async function s3Of(env: Environment) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new DeltaError('InvalidOption', 'S3_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const [{ S3Client }, { S3StorageHandler }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('delta-kernel-web/s3'),
  ]);
  const client = new S3Client({
    region: env.AWS_REGION || 'us-east-1',
    ...(env.AWS_ENDPOINT_URL && { endpoint: env.AWS_ENDPOINT_URL, forcePathStyle: true }),
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
    },
  });
  return new S3StorageHandler(client);
}
