/** Tables as the command line names them: paths, `file:`, `http(s):` and `s3:` URLs, `uc://catalog.schema.table`. */
import { pathToFileURL } from 'node:url';
import '../engine/wasm/entry-node.ts';
import { DeltaError } from '../errors.ts';
import type { StorageHandler } from '../kernel/engine.ts';
import { FileSystemStorageHandler } from '../storage/node.ts';
import { DeltaTable, type OpenOptions } from '../table/delta-table.ts';
import { registerPaths, registerStorage } from '../table/location.ts';
import type { UnityCatalog } from '../unity.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a table; for S3, credentials and endpoint come from the environment, as in the AWS tools. */
export async function openTable(
  location: string,
  env: Environment,
  options: OpenOptions,
): Promise<DeltaTable> {
  registerStorages(env);
  const name = catalogName(location);
  if (name === undefined) return DeltaTable.open(location, options);
  const { version, timestamp, signal } = options;
  return (await unityCatalog(env)).open(name, { version, timestamp, signal });
}

const UC_SCHEME = 'uc://';

/** The name of a table in Unity Catalog, undefined for locations that are none. */
export function catalogName(location: string): string | undefined {
  return location.startsWith(UC_SCHEME) ? location.slice(UC_SCHEME.length).replace(/\/$/, '') : undefined;
}

/** The catalog at `UC_URL`, with the token `UC_TOKEN`; its tables in S3 lie where `AWS_ENDPOINT_URL` and region say. */
export async function unityCatalog(env: Environment): Promise<UnityCatalog> {
  const { UC_URL: url, UC_TOKEN: token } = env;
  if (!url) throw new DeltaError('InvalidOption', 'uc:// tables need UC_URL, the address of the catalog');
  const { UnityCatalog } = await import('../unity.ts');
  return new UnityCatalog({ url, token: token || undefined, s3: s3Settings(env) });
}

function s3Settings(env: Environment): { region: string; endpoint: string | undefined } {
  return {
    region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1',
    endpoint: env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined,
  };
}

/** Lets the library find local files and S3. */
export function registerStorages(env: Environment): void {
  // The SDK's notice about Node's version would stand on standard error before the one line that an error has.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  registerPaths(() => pathToFileURL(`${process.cwd()}/`));
  registerStorage(['file:'], () => new FileSystemStorageHandler());
  registerStorage(['s3:'], () => s3Storage(env));
}

/**
 * The AWS SDK is loaded only here, and finds credentials itself (environment, profile, instance); where there are
 * none, buckets are read as public ones. `AWS_ENDPOINT_URL` names another server, whose buckets are then part of the
 * path.
 */
async function s3Storage(env: Environment): Promise<StorageHandler> {
  const { S3Client } = await loadSdk();
  const { publicS3, S3StorageHandler } = await import('../storage/s3.ts');
  const { region, endpoint } = s3Settings(env);
  const server = endpoint === undefined ? {} : { endpoint, forcePathStyle: true };
  const client = new S3Client({ region, followRegionRedirects: true, ...server });
  const hasCredentials = await client.config.credentials().then(
    () => true,
    () => false,
  );
  if (hasCredentials) return new S3StorageHandler(client);
  return publicS3({ region, ...(endpoint !== undefined && { endpoint }) });
}

async function loadSdk() {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw new DeltaError('Unsupported', 's3: URLs need the package @aws-sdk/client-s3: npm install it', {
      cause,
    });
  }
}
