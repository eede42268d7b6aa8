/**
 * S3 and what speaks its protocol, through a client of the user's: credentials, region, endpoint, path style and
 * retries are the client's. Locations are `s3://bucket/key`.
 *
 * ```ts
 * new S3StorageHandler(new S3Client({ region: 'eu-central-1' }));
 * ```
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import {
  type CallOptions,
  compareUtf8,
  type FileMeta,
  type FileSlice,
  locationOf,
  pathOf,
  type StorageHandler,
} from '../kernel/engine.ts';
import { ConditionalPutTest } from './conditional-put.ts';
import { copyIfAbsent } from './copy.ts';
import { checkFilePath, checkScheme, ioError } from './failures.ts';
import { compareFiles, listingStart } from './listing.ts';
import { jitteredMs, type Pauses, sleepFor } from './pause.ts';
import { checkLength, readAhead } from './reading.ts';
import { isConditionalConflict, s3Error } from './s3-errors.ts';
import { type S3Listing, withOwnXml } from './s3-xml.ts';

/** Tries of one put while the store says that another conditional write of the key is under way. */
const CONFLICT_TRIES = 10;

export interface S3StorageOptions extends Pauses {
  /**
   * Before the first put if absent in a bucket, test that the store does not ignore the condition (three small
   * requests). Default true; a store that is known to be right can do without.
   */
  verifyConditionalPut?: boolean;
}

export interface PublicS3Options extends S3StorageOptions {
  /** Of the bucket; default `us-east-1`, and where the bucket says that it lies elsewhere, there. */
  region?: string;
  /** Of an S3-compatible store, addressed in path style. */
  endpoint?: string;
}

/** Public buckets, read without credentials. */
export function publicS3({
  region = 'us-east-1',
  endpoint,
  ...options
}: PublicS3Options = {}): S3StorageHandler {
  const client = new S3Client({
    region,
    followRegionRedirects: true,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: '', secretAccessKey: '' },
    signer: { sign: async (request) => request },
  });
  return new S3StorageHandler(client, options);
}

interface S3Key {
  readonly Bucket: string;
  readonly Key: string;
}

export class S3StorageHandler implements StorageHandler {
  readonly #client: S3Client;
  readonly #random: () => number;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #conditionalPut: ConditionalPutTest | undefined;

  constructor(client: S3Client, options: S3StorageOptions = {}) {
    this.#client = client;
    this.#random = options.random ?? Math.random;
    this.#sleep = options.sleep ?? sleepFor;
    if (options.verifyConditionalPut ?? true) {
      this.#conditionalPut = new ConditionalPutTest({
        putIfAbsent: (location) => this.#put(location, new Uint8Array(0), false),
        remove: (location) => this.delete(location),
      });
    }
  }

  async *listFrom(path: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory, after } = listingStart(path);
    const files = this.#list(path, { directory, after, delimiter: '/' }, signal);
    const { Bucket } = s3KeyOf(path);
    // Directory buckets (S3 Express) list in no order.
    if (!Bucket.endsWith('--x-s3')) return yield* files;
    const all: FileMeta[] = [];
    for await (const file of files) all.push(file);
    yield* all.sort(compareFiles);
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, (slice, signal) => this.#read(slice, signal), options);
  }

  async copyAtomic(source: URL, destination: URL, options: CallOptions = {}): Promise<void> {
    return copyIfAbsent(this, source, destination, options);
  }

  /**
   * `If-None-Match: *` where nothing may be overwritten. The signal is looked at before the request is sent and not
   * after: a put whose answer nobody waited for may have landed. For the same reason `FileAlreadyExists` may mean
   * this very put, when the client sent it twice.
   */
  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    if (!overwrite) {
      await this.#conditionalPut?.pass(path);
      signal?.throwIfAborted();
    }
    await this.#put(path, data, overwrite);
  }

  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    checkFilePath(path);
    const command = withOwnXml(this.#client, new HeadObjectCommand(s3KeyOf(path)));
    const head = await this.#send(path, 'HEAD', signal, (abort) => this.#client.send(command, abort));
    if (head.ContentLength === undefined) throw ioError(path, 'HEAD without a length: reading the size');
    return { location: path, lastModified: head.LastModified?.getTime() ?? 0, size: head.ContentLength };
  }

  async delete(path: URL, { signal }: CallOptions = {}): Promise<void> {
    checkFilePath(path);
    try {
      const command = withOwnXml(this.#client, new DeleteObjectCommand(s3KeyOf(path)));
      await this.#send(path, 'DELETE', signal, (abort) => this.#client.send(command, abort));
    } catch (error) {
      if (!isDeltaError(error, 'FileNotFound')) throw error;
    }
  }

  listRecursive(prefix: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory } = listingStart(prefix);
    return this.#list(prefix, { directory, after: '', delimiter: undefined }, signal);
  }

  async *#list(
    base: URL,
    { directory, after, delimiter }: { directory: string; after: string; delimiter: string | undefined },
    signal: AbortSignal | undefined,
  ): AsyncIterable<FileMeta> {
    const { Bucket } = s3KeyOf(base);
    const Prefix = directory.slice(1);
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix,
        Delimiter: delimiter,
        // Keys may hold characters that XML cannot.
        EncodingType: 'url',
        StartAfter: after === '' || Bucket.endsWith('--x-s3') ? undefined : Prefix + after,
        ContinuationToken: token,
      });
      let page: S3Listing | undefined;
      withOwnXml(this.#client, command, (listing) => {
        page = listing;
      });
      await this.#send(base, 'LIST', signal, (abort) => this.#client.send(command, abort));
      const { isTruncated, nextContinuationToken } = page!;
      yield* filesOf(base, page!, { Prefix, after, delimiter });
      if (isTruncated && !nextContinuationToken) throw ioError(base, 'the listing ended early: listing');
      token = isTruncated ? nextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async #read({ location, range }: FileSlice, signal: AbortSignal): Promise<Uint8Array> {
    checkFilePath(location);
    const Range = range && `bytes=${range.start}-${range.end - 1}`;
    return this.#send(location, 'GET', signal, async (abort) => {
      const command = withOwnXml(this.#client, new GetObjectCommand({ ...s3KeyOf(location), Range }));
      const output = await this.#client.send(command, abort);
      return bodyOf(location, range, output);
    });
  }

  async #put(path: URL, data: Uint8Array, overwrite: boolean): Promise<void> {
    const condition = overwrite ? {} : { IfNoneMatch: '*' };
    for (let attempt = 0; ; attempt++) {
      const command = new PutObjectCommand({
        ...s3KeyOf(path),
        Body: data,
        ContentLength: data.length,
        ...condition,
      });
      try {
        await this.#client.send(withOwnXml(this.#client, command));
        return;
      } catch (error) {
        // Nothing was written: another conditional write of the key was under way, and may yet fail.
        if (!isConditionalConflict(error) || attempt + 1 === CONFLICT_TRIES)
          throw s3Error(path, 'PUT', error);
      }
      await this.#sleep(jitteredMs(attempt, 50, 2_000, this.#random));
    }
  }

  async #send<T>(
    location: URL,
    what: string,
    signal: AbortSignal | undefined,
    send: (abort: { abortSignal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await send(signal === undefined ? {} : { abortSignal: signal });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw s3Error(location, what, error);
    }
  }
}

/** `s3:`, and the names that Hadoop gives to the same thing. */
function s3KeyOf(location: URL): S3Key {
  checkScheme(location, 's3:', 's3a:', 's3n:');
  const path = pathOf(location);
  if (location.host === '' || /(^|\/)\.\.?(\/|$)/.test(path)) {
    const message = `${shownUrl(location)} is no s3://bucket/key`;
    throw new DeltaError('InvalidPath', message, { path: shownUrl(location) });
  }
  return { Bucket: location.host, Key: path.slice(1) };
}

function* filesOf(
  base: URL,
  { encodingType, contents }: S3Listing,
  { Prefix, after, delimiter }: { Prefix: string; after: string; delimiter: string | undefined },
): Iterable<FileMeta> {
  // A server that ignores the request for encoding says so by leaving it out of the answer.
  const decode = encodingType === 'url' ? decodeListedKey : (key: string) => key;
  for (const { key, size, lastModified } of contents) {
    const name = decode(key).slice(Prefix.length);
    if (name === '' || name.endsWith('/') || compareUtf8(name, after) <= 0) continue;
    if (delimiter !== undefined && name.includes(delimiter)) continue;
    const location = locationOf(base, `/${Prefix}${name}`);
    yield { location, lastModified, size };
  }
}

function decodeListedKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

/** The body, as long as it was announced. A store that ignores ranges gives the whole object, which is cut here. */
async function bodyOf(
  location: URL,
  range: FileSlice['range'],
  { Body, ContentLength, ContentRange }: GetObjectCommandOutput,
): Promise<Uint8Array> {
  if (ContentLength !== undefined) checkLength(location, ContentLength);
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array(0);
  if (ContentLength !== undefined && bytes.byteLength !== ContentLength) {
    throw ioError(location, `${bytes.byteLength} of ${ContentLength} bytes came: reading`);
  }
  if (range === undefined) return bytes;
  if (ContentRange === undefined && bytes.byteLength >= range.end) return bytes.slice(range.start, range.end);
  if (ContentRange !== undefined && !ContentRange.startsWith(`bytes ${range.start}-`)) {
    throw ioError(location, `asked for bytes [${range.start}, ${range.end}), got "${ContentRange}": reading`);
  }
  return bytes;
}
