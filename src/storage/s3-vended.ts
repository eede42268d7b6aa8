/** S3 with credentials that somebody hands out for a while: a catalog. */
import { S3Client } from '@aws-sdk/client-s3';
import { S3StorageHandler, type S3StorageOptions } from './s3.ts';

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface VendedS3Options extends S3StorageOptions {
  /** Asked before every request: whoever gives them keeps them and renews them in time. */
  readonly keys: () => Promise<S3Keys>;
  /** Asked for new ones when the store says that those in use have expired. */
  readonly renew: () => Promise<S3Keys>;
  /** Default `us-east-1`; without an endpoint, buckets elsewhere say where they are. */
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Default true where there is an endpoint. */
  readonly forcePathStyle?: boolean | undefined;
}

const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired', 'InvalidToken']);

/** A request that is refused because its credentials have expired is sent once more, with new ones. */
export function vendedS3(options: VendedS3Options): S3StorageHandler {
  const { keys, renew, region = 'us-east-1', endpoint, forcePathStyle, ...storage } = options;
  const client = new S3Client({
    region,
    ...(endpoint === undefined
      ? { followRegionRedirects: true, ...(forcePathStyle && { forcePathStyle }) }
      : { endpoint, forcePathStyle: forcePathStyle ?? true }),
    // Past its time at once, so that the SDK keeps none and asks before every request.
    credentials: async () => ({ ...(await keys()), expiration: new Date(0) }),
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (!EXPIRED.has((error as { name?: string }).name ?? '')) throw error;
        await renew();
        return next(args);
      }
    },
    { step: 'initialize', name: 'renewExpiredCredentials' },
  );
  return new S3StorageHandler(client, storage);
}
