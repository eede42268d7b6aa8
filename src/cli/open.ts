/** Tables as the command line names them: paths, `file:`, `http(s):` and `s3:` URLs. */
import { pathToFileURL } from 'node:url';
import '../engine/wasm/entry-node.ts';
import { DeltaError } from '../errors.ts';
import type { StorageHandler } from '../kernel/engine.ts';
import { FileSystemStorageHandler } from '../storage/node.ts';
import { DeltaTable, type OpenOptions } from '../table/delta-table.ts';
import { registerPaths, registerStorage } from '../table/location.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a table; for S3, credentials and endpoint come from the environment, as in the AWS tools. */
export async function openTable(
  location: string,
  env: Environment,
  options: OpenOptions,
): Promise<DeltaTable> {
  registerStorages(env);
  return DeltaTable.open(location, options);
}

/** Lets the library find local files and S3. */
export function registerStorages(env: Environment): void {
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
  // The SDK's notice about Node's version would stand on standard error before the one line that an error has.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { S3Client } = await loadSdk();
  const { publicS3, S3StorageHandler } = await import('../storage/s3.ts');
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
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
