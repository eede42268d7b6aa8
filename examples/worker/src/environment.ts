/** What `wrangler.jsonc`, variables and secrets give the Worker. */
import { DeltaError } from 'delta-kernel-web';
import type { R2RecordBucket } from 'delta-kernel-web/catalog';
import type { R2BucketLike } from 'delta-kernel-web/r2';

/** The part of a Durable Object namespace that is used here. */
export interface WriterNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

export interface Environment {
  /** The catalog's records and, unless `S3_URL` is set, the tables. */
  readonly BUCKET: R2BucketLike & R2RecordBucket;
  /** One writer per table: see `table-writer.ts`. */
  readonly WRITERS: WriterNamespace;
  /** Secret: where it is set, every request must bring it as a bearer token. */
  readonly API_TOKEN?: string;

  readonly BATCH_MS?: string;
  readonly BATCH_ROWS?: string;
  readonly MAX_BODY_BYTES?: string;

  /** Folder of the tables in S3 (`s3://bucket/tables/`), instead of R2, with the keys as in the AWS tools. */
  readonly S3_URL?: string;
  readonly AWS_ACCESS_KEY_ID?: string;
  readonly AWS_SECRET_ACCESS_KEY?: string;
  readonly AWS_SESSION_TOKEN?: string;
  readonly AWS_REGION?: string;
  readonly AWS_ENDPOINT_URL?: string;

  /** A Unity Catalog server, instead of the catalog in R2. */
  readonly UC_URL?: string;
  readonly UC_TOKEN?: string;
  /** `catalog.schema` of the tables. */
  readonly UC_SCHEMA?: string;
}

/** A variable that is a whole number from `least` on. */
export function numberOf(text: string | undefined, name: string, otherwise: number, least = 0): number {
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new DeltaError('InvalidOption', `${name} must be a whole number from ${least} on`);
}
