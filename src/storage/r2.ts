/**
 * A Workers R2 binding. Locations are `r2://bucket/key`; which bucket the binding stands for only its configuration
 * knows, so the host is a name, checked where `bucketName` is given.
 */
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
import { checkFilePath, checkScheme, fileAlreadyExists, fileNotFound, ioError } from './failures.ts';
import { listingStart } from './listing.ts';
import { abortable, checkLength, readAhead } from './reading.ts';

/** The part of the Workers `R2Bucket` that is used here. */
export interface R2BucketLike {
  head(key: string): Promise<R2ObjectLike | null>;
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<(R2ObjectLike & { arrayBuffer(): Promise<ArrayBuffer> }) | null>;
  put(key: string, value: Uint8Array, options?: { onlyIf?: Headers }): Promise<R2ObjectLike | null>;
  delete(key: string): Promise<void>;
  list(options: {
    prefix?: string;
    delimiter?: string;
    startAfter?: string;
    cursor?: string;
  }): Promise<{ objects: R2ObjectLike[]; truncated: boolean; cursor?: string }>;
}

export interface R2ObjectLike {
  readonly key: string;
  readonly size: number;
  readonly uploaded: Date;
}

export interface R2StorageOptions {
  /** Refuses locations of other hosts; then `s3://` locations of that bucket are taken as well. */
  bucketName?: string;
  /** As for S3: test once that the binding honours the condition. Default true. */
  verifyConditionalPut?: boolean;
}

export class R2StorageHandler implements StorageHandler {
  readonly #bucket: R2BucketLike;
  readonly #bucketName: string | undefined;
  readonly #conditionalPut: ConditionalPutTest | undefined;

  constructor(bucket: R2BucketLike, { bucketName, verifyConditionalPut = true }: R2StorageOptions = {}) {
    this.#bucket = bucket;
    this.#bucketName = bucketName;
    if (verifyConditionalPut) {
      this.#conditionalPut = new ConditionalPutTest({
        putIfAbsent: (location) => this.#putIfAbsent(location, new Uint8Array(0)),
        remove: (location) => this.delete(location),
      });
    }
  }

  async *listFrom(path: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory, after } = listingStart(path);
    for await (const { name, file } of this.#list(path, directory, { after, delimiter: '/' }, signal)) {
      if (!name.includes('/')) yield file;
    }
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, (slice) => this.#read(slice), options);
  }

  async copyAtomic(source: URL, destination: URL, options: CallOptions = {}): Promise<void> {
    return copyIfAbsent(this, source, destination, options);
  }

  /** The signal is looked at before the request is sent and not after: its outcome must be known. */
  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    if (overwrite) {
      await this.#call(path, 'writing', () => this.#bucket.put(this.#keyOf(path), data));
      return;
    }
    await this.#conditionalPut?.pass(path);
    signal?.throwIfAborted();
    await this.#putIfAbsent(path, data);
  }

  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    checkFilePath(path);
    const object = await this.#call(path, 'HEAD', () => this.#bucket.head(this.#keyOf(path)), signal);
    if (object === null) throw fileNotFound(path);
    return { location: path, lastModified: object.uploaded.getTime(), size: object.size };
  }

  async delete(path: URL, { signal }: CallOptions = {}): Promise<void> {
    checkFilePath(path);
    await this.#call(path, 'deleting', () => this.#bucket.delete(this.#keyOf(path)), signal);
  }

  async *listRecursive(prefix: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    const { directory } = listingStart(prefix);
    for await (const { file } of this.#list(prefix, directory, { after: '' }, signal)) yield file;
  }

  async *#list(
    base: URL,
    directory: string,
    { after, delimiter }: { after: string; delimiter?: string },
    signal: AbortSignal | undefined,
  ): AsyncIterable<{ name: string; file: FileMeta }> {
    const prefix = this.#keyOf(locationOf(base, directory));
    const options = {
      prefix,
      ...(delimiter === undefined ? {} : { delimiter }),
      ...(after === '' ? {} : { startAfter: prefix + after }),
    };
    let cursor: string | undefined;
    do {
      const request = cursor === undefined ? options : { ...options, cursor };
      const page = await this.#call(base, 'listing', () => this.#bucket.list(request), signal);
      for (const { key, size, uploaded } of page.objects) {
        const name = key.slice(prefix.length);
        if (name === '' || name.endsWith('/') || compareUtf8(name, after) <= 0) continue;
        yield {
          name,
          file: { location: locationOf(base, `/${key}`), lastModified: uploaded.getTime(), size },
        };
      }
      if (page.truncated && page.cursor === undefined)
        throw ioError(base, 'the listing ended early: listing');
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  }

  async #read({ location, range }: FileSlice): Promise<Uint8Array> {
    checkFilePath(location);
    const options = range && { range: { offset: range.start, length: range.end - range.start } };
    return this.#call(location, 'reading', async () => {
      const object = await this.#bucket.get(this.#keyOf(location), options);
      if (object === null) throw fileNotFound(location);
      if (range === undefined) checkLength(location, object.size);
      const bytes = new Uint8Array(await object.arrayBuffer());
      if (range === undefined && bytes.byteLength !== object.size) {
        throw ioError(location, `${bytes.byteLength} of ${object.size} bytes came: reading`);
      }
      return bytes;
    });
  }

  /**
   * The condition as a header: older Workers took `onlyIf: { etagDoesNotMatch: '*' }` for an ETag that is a star, and
   * overwrote. A condition that fails is told by null.
   */
  async #putIfAbsent(path: URL, data: Uint8Array): Promise<void> {
    const onlyIf = new Headers({ 'If-None-Match': '*' });
    const written = await this.#call(path, 'writing', () =>
      this.#bucket.put(this.#keyOf(path), data, { onlyIf }),
    );
    if (written === null) throw fileAlreadyExists(path);
  }

  #keyOf(location: URL): string {
    if (this.#bucketName === undefined) checkScheme(location, 'r2:');
    else checkScheme(location, 'r2:', 's3:', 's3a:');
    if (this.#bucketName !== undefined && location.host !== this.#bucketName) {
      const message = `${shownUrl(location)} lies in another bucket than ${this.#bucketName}`;
      throw new DeltaError('Unsupported', message, { path: shownUrl(location) });
    }
    return pathOf(location).slice(1);
  }

  async #call<T>(location: URL, what: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await abortable(call(), signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw r2Error(location, what, error);
    }
  }
}

/** The binding's errors end in R2's own code in parentheses. */
function r2Error(location: URL, what: string, error: unknown): unknown {
  if (isDeltaError(error)) return error;
  const code = /\((\d{5})\)\s*$/.exec(error instanceof Error ? error.message : '')?.[1];
  const path = shownUrl(location);
  switch (code) {
    case '10007':
      return fileNotFound(location, error);
    case '10031':
      return fileAlreadyExists(location, error);
    case '10002':
    case '10003':
    case '10042':
      return new DeltaError('PermissionDenied', `${what} of ${path} is not permitted`, {
        path,
        cause: error,
      });
    case '10020':
    case '10029':
      return new DeltaError('InvalidPath', `${path} cannot be a key: ${(error as Error).message}`, {
        path,
        cause: error,
      });
    default:
      return ioError(location, what, error);
  }
}
