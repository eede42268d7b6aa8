/** One writer of the race, wherever it runs: appends rows that nobody else appends. */
import { S3Client } from '@aws-sdk/client-s3';
import { DeltaTable } from 'delta-kernel-web';
import { S3StorageHandler } from 'delta-kernel-web/s3';

export interface WriterOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** `s3://bucket/table/` */
  readonly table: string;
  /** Its name in the rows. */
  readonly writer: string;
  readonly commits: number;
  /** Of the pauses between commits. */
  readonly seed: number;
}

/** A commit loses to many others here: the default of 20 attempts is for fewer writers. */
const MAX_ATTEMPTS = 200;
const MAX_PAUSE_MS = 40;

/** @returns the versions that its commits made. */
export async function runWriter(options: WriterOptions): Promise<number[]> {
  const { endpoint, region, credentials, table: url, writer, commits } = options;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const table = await DeltaTable.open({ storage: new S3StorageHandler(client), url });
  const random = randomOf(options.seed);
  const pauses = { random };
  const versions: number[] = [];
  for (let sequence = 0; sequence < commits; sequence++) {
    await new Promise((resolve) => setTimeout(resolve, random() * MAX_PAUSE_MS));
    versions.push(await table.append([{ writer, sequence }], { maxAttempts: MAX_ATTEMPTS, pauses }));
  }
  return versions;
}

/** Mulberry32: numbers from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
