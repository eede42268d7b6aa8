/**
 * Tables on web servers, read only. Nothing but GET is asked of the server: a signed URL is good for one method, and
 * the length that HEAD gives may be that of a compressed form.
 *
 * The server cannot list, so the kernel reads `_last_checkpoint` and probes for commits. Servers may ignore `Range`,
 * answer another range than the one asked for, or compress what they should not: then the whole file is fetched, and
 * kept for the next slices, up to a limit.
 */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import type { CallOptions, FileMeta, FileSlice, StorageHandler } from '../kernel/engine.ts';
import { ioError } from './failures.ts';
import { discard, HttpClient, type HttpClientOptions, isPage, networkError } from './http-client.ts';
import { checkLength, readAhead, shortRead, sliceOf } from './reading.ts';
import { SharedWork } from './shared-work.ts';

export type { HttpAccess } from './http-client.ts';

export interface HttpStorageOptions extends HttpClientOptions {
  /** Bytes of whole files that are fetched, and kept, where ranges do not work. Default 128 MiB. */
  maxWholeBytes?: number;
}

interface WholeFile {
  readonly bytes: Uint8Array;
  readonly lastModified: number;
}

/** A whole file, there or on its way. */
interface KeptFile {
  readonly work: SharedWork<WholeFile>;
  /** Bytes, 0 until it is there. */
  size: number;
}

export class HttpStorageHandler implements StorageHandler {
  readonly #client: HttpClient;
  readonly #maxWholeBytes: number;
  /** Origins that answer ranges with whole files. */
  readonly #rangeless = new Set<string>();
  /** Origins that have served a range. */
  readonly #ranged = new Set<string>();
  /** Whole files by URL, oldest first. */
  readonly #wholes = new Map<string, KeptFile>();

  constructor({ maxWholeBytes = 128 * 2 ** 20, ...client }: HttpStorageOptions = {}) {
    this.#client = new HttpClient(client);
    this.#maxWholeBytes = maxWholeBytes;
  }

  // biome-ignore lint/correctness/useYield: a web server has no listing
  async *listFrom(path: URL): AsyncIterable<FileMeta> {
    throw unsupported(path, 'list files');
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, (slice, signal) => this.#read(slice, signal), options);
  }

  async copyAtomic(_source: URL, destination: URL): Promise<void> {
    throw unsupported(destination, 'write');
  }

  async put(path: URL): Promise<void> {
    throw unsupported(path, 'write');
  }

  /** Asks for the first byte and takes the length from `Content-Range`. */
  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    if (!this.#wholes.has(path.href)) {
      const response = await this.#getRange(path, 'bytes=0-0', signal);
      const size = response && (await sizeToldBy(response));
      if (response && size !== undefined)
        return { location: path, lastModified: lastModifiedOf(response), size };
      signal?.throwIfAborted();
    }
    // The server does not say, or page scripts may not see it: count.
    const { bytes, lastModified } = await this.#whole(path).work.join(signal);
    return { location: path, lastModified, size: bytes.byteLength };
  }

  async #read(slice: FileSlice, signal: AbortSignal): Promise<Uint8Array> {
    const { location, range } = slice;
    if (range === undefined) {
      const { response } = await this.#client.get(location, undefined, signal);
      return readBody(location, response, undefined, signal);
    }
    if (this.#wholes.has(location.href)) return this.#sliceOfWhole(slice, signal);
    const header = this.#rangeless.has(location.origin) ? undefined : `bytes=${range.start}-${range.end - 1}`;
    const response = await this.#getRange(location, header, signal);
    if (response === undefined) return this.#sliceOfWhole(slice, signal);
    if (response.status === 200) return this.#cut(slice, range, response, signal);
    if (response.status === 416) {
      discard(response);
      throw shortRead(location, range, 0);
    }
    const part = await readPart(location, range, response, signal);
    return part ?? this.#sliceOfWhole(slice, signal);
  }

  /**
   * A browser shows no answer at all where a server compresses a file although a range was asked for. So a page that
   * gets none, from a server that has not served a range yet, tries the whole file: undefined.
   */
  async #getRange(
    location: URL,
    header: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response | undefined> {
    try {
      const { response } = await this.#client.get(location, header, signal);
      if (response.status === 206) this.#ranged.add(location.origin);
      return response;
    } catch (error) {
      const isSilent = isDeltaError(error, 'IOError') && error.status === undefined;
      if (!isSilent || !isPage() || this.#ranged.has(location.origin)) throw error;
      return undefined;
    }
  }

  /** The slice of a whole file that came instead: kept where it is small enough, else read up to the slice's end. */
  async #cut(
    slice: FileSlice,
    range: { start: number; end: number },
    response: Response,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { location } = slice;
    if (!isEncoded(response)) this.#rangeless.add(location.origin);
    const length = lengthOf(response);
    if (length !== undefined && length <= this.#maxWholeBytes && !isEncoded(response)) {
      const bytes = await readBody(location, response, this.#maxWholeBytes, signal);
      const whole = { bytes, lastModified: lastModifiedOf(response) };
      this.#keep(location.href, async () => whole);
      return sliceOf(bytes, slice);
    }
    if (range.end > this.#maxWholeBytes) {
      discard(response);
      throw tooLarge(location, this.#maxWholeBytes);
    }
    const bytes = await readStart(location, response, range.end, signal);
    if (bytes.byteLength < range.end)
      throw shortRead(location, range, Math.max(0, bytes.byteLength - range.start));
    return bytes.slice(range.start, range.end);
  }

  async #sliceOfWhole(slice: FileSlice, signal: AbortSignal): Promise<Uint8Array> {
    return sliceOf((await this.#whole(slice.location).work.join(signal)).bytes, slice);
  }

  #whole(location: URL): KeptFile {
    const known = this.#wholes.get(location.href);
    if (known !== undefined && !known.work.abandoned) return known;
    return this.#keep(location.href, async (signal) => {
      const { response } = await this.#client.get(location, undefined, signal);
      const bytes = await readBody(location, response, this.#maxWholeBytes, signal);
      return { bytes, lastModified: lastModifiedOf(response) };
    });
  }

  #keep(key: string, fetchWhole: (signal: AbortSignal) => Promise<WholeFile>): KeptFile {
    const kept: KeptFile = { work: new SharedWork(fetchWhole), size: 0 };
    this.#wholes.set(key, kept);
    kept.work.watch(
      ({ bytes }) => {
        kept.size = bytes.byteLength;
        this.#evict();
      },
      () => {
        if (this.#wholes.get(key) === kept) this.#wholes.delete(key);
      },
    );
    return kept;
  }

  #evict(): void {
    let total = 0;
    for (const { size } of this.#wholes.values()) total += size;
    for (const [key, { size }] of this.#wholes) {
      if (total <= this.#maxWholeBytes) return;
      if (size === 0) continue;
      this.#wholes.delete(key);
      total -= size;
    }
  }
}

/** The file's size as the answer to `bytes=0-0` tells it; undefined where it does not, or not reliably. */
async function sizeToldBy(response: Response): Promise<number | undefined> {
  const total = contentRangeOf(response)?.total;
  if (response.status === 416) {
    discard(response);
    return total;
  }
  if (response.status === 200) {
    discard(response);
    // Across origins a script may not see that the length is that of a compressed form.
    return isEncoded(response) || response.type === 'cors' ? undefined : lengthOf(response);
  }
  if (isEncoded(response) || total === undefined) {
    discard(response);
    return undefined;
  }
  // A compressed form that the script cannot see does not come out as one byte.
  const body = await response.arrayBuffer().catch(() => undefined);
  return body?.byteLength === 1 ? total : undefined;
}

/** The part that was asked for; undefined where something else came, for which the whole file is the remedy. */
async function readPart(
  location: URL,
  range: { start: number; end: number },
  response: Response,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const told = contentRangeOf(response);
  const isOther = told !== undefined && (told.start !== range.start || told.end > range.end);
  if (isEncoded(response) || isOther) {
    discard(response);
    return undefined;
  }
  if (told !== undefined && told.end < range.end) {
    discard(response);
    throw shortRead(location, range, told.end - range.start);
  }
  const body = await response.arrayBuffer().catch((error: unknown) => {
    throw signal.aborted ? signal.reason : networkError(location, error);
  });
  return body.byteLength === range.end - range.start ? new Uint8Array(body) : undefined;
}

async function readBody(
  location: URL,
  response: Response,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const length = isEncoded(response) ? undefined : lengthOf(response);
  try {
    if (length !== undefined) checkLength(location, length);
    if (limit !== undefined && (length ?? 0) > limit) throw tooLarge(location, limit);
  } catch (error) {
    discard(response);
    throw error;
  }
  if (limit !== undefined && length === undefined) {
    const bytes = await readStart(location, response, limit + 1, signal);
    if (bytes.byteLength > limit) throw tooLarge(location, limit);
    return bytes;
  }
  const body = await response.arrayBuffer().catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : networkError(location, error);
  });
  // Page scripts cannot see every encoding, so across origins the length is not comparable.
  if (length !== undefined && body.byteLength !== length && response.type !== 'cors') {
    throw ioError(location, `${body.byteLength} of ${length} bytes came: reading`);
  }
  return new Uint8Array(body);
}

/** Up to `end` bytes of the body; the rest is not transferred. */
async function readStart(
  location: URL,
  response: Response,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    for (let item = await reader?.read(); item !== undefined && !item.done; item = await reader?.read()) {
      chunks.push(item.value);
      size += item.value.byteLength;
      if (size >= end) break;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : networkError(location, error);
  }
  reader?.cancel().catch(() => undefined);
  const bytes = new Uint8Array(Math.min(size, end));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.byteLength - offset), offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function lastModifiedOf(response: Response): number {
  return Date.parse(response.headers.get('Last-Modified') ?? '') || 0;
}

function isEncoded(response: Response): boolean {
  return !['', 'identity'].includes(response.headers.get('Content-Encoding') ?? '');
}

function lengthOf(response: Response): number | undefined {
  const header = response.headers.get('Content-Length');
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly total: number | undefined;
}

/** `bytes 0-9/100`, `bytes 0-9/*` or `bytes ⁎/100`; undefined where it is absent or page scripts may not see it. */
function contentRangeOf(response: Response): ContentRange | undefined {
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(
    response.headers.get('Content-Range') ?? '',
  );
  if (match === null) return undefined;
  const [, first, last, total] = match;
  return {
    start: first === undefined ? 0 : Number(first),
    end: last === undefined ? 0 : Number(last) + 1,
    total: total === undefined || total === '*' ? undefined : Number(total),
  };
}

function unsupported(location: URL, what: string): DeltaError {
  const message = `a web server cannot ${what} (${shownUrl(location)})`;
  return new DeltaError('Unsupported', message, { path: shownUrl(location) });
}

function tooLarge(location: URL, limit: number): DeltaError {
  const path = shownUrl(location);
  const message =
    `${path} is larger than ${limit} bytes and its server does not serve ranges of it: ` +
    'use a server that supports the Range header, and do not compress data files in transit';
  return new DeltaError('Unsupported', message, { path });
}
