/** The R2 bucket behind a Worker's binding, in this process. */
import { type Miniflare, Headers as MiniflareHeaders } from 'miniflare';
import type { R2RecordBucket } from '../../src/catalog/embedded/r2-records.ts';
import type { R2BucketLike } from '../../src/storage/r2.ts';

/** The part of miniflare's bucket that is used here: its types come with a package that is not installed. */
export interface Bucket {
  get(key: string, options?: object): Promise<{ text(): Promise<string> } | null>;
  put(key: string, value: string | Uint8Array, options?: object): Promise<object | null>;
  head(key: string): Promise<object | null>;
  delete(key: string): Promise<void>;
  list(options: object): Promise<{ objects: { key: string; size: number; uploaded: Date }[] }>;
}

export async function bucketOf(worker: Miniflare): Promise<Bucket> {
  return (await worker.getR2Bucket('BUCKET')) as unknown as Bucket;
}

/** The same for storages and record stores. */
export function asBinding(bucket: Bucket): R2BucketLike & R2RecordBucket {
  const binding = {
    get: (key: string, options?: object) => bucket.get(key, options),
    // The way into workerd takes only headers of its own class.
    put: (key: string, value: string | Uint8Array, { onlyIf }: { onlyIf?: Headers } = {}) =>
      bucket.put(key, value, onlyIf && { onlyIf: new MiniflareHeaders([...onlyIf]) }),
    head: (key: string) => bucket.head(key),
    delete: (key: string) => bucket.delete(key),
    list: (options: object) => bucket.list(options),
  };
  return binding as unknown as R2BucketLike & R2RecordBucket;
}
