/** Local files, through the `node:fs` of Node, Deno and Bun. Locations are `file:` URLs. */
import type { Dirent, Stats } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import {
  type CallOptions,
  type FileMeta,
  type FileSlice,
  locationOf,
  type StorageHandler,
} from '../kernel/engine.ts';
import { copyIfAbsent } from './copy.ts';
import { checkFilePath, checkScheme, fileAlreadyExists, fileNotFound, ioError } from './failures.ts';
import { listingStart, sortedNames } from './listing.ts';
import { checkLength, readAhead, shortRead } from './reading.ts';

/** Files whose size and time are asked for at a time while listing. */
const STAT_WINDOW = 64;
/** Bytes between two looks at the signal. */
const READ_CHUNK = 8 * 2 ** 20;
/** Files that are being written; they never show in listings. */
const TEMPORARY = /^\.delta-kernel-web-[0-9a-f-]{36}\.tmp$/;

export class FileSystemStorageHandler implements StorageHandler {
  async *listFrom(path: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    signal?.throwIfAborted();
    const { directory, after } = listingStart(path);
    const base = locationOf(path, directory);
    const entries = await entriesOf(base);
    signal?.throwIfAborted();
    const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
    yield* statAll(base, sortedNames(files, after), signal);
  }

  readFiles(files: readonly FileSlice[], options: CallOptions = {}): AsyncIterable<Uint8Array> {
    return readAhead(files, readSlice, options);
  }

  async copyAtomic(source: URL, destination: URL, options: CallOptions = {}): Promise<void> {
    return copyIfAbsent(this, source, destination, options);
  }

  /**
   * A temporary file beside the target, flushed to disk, then renamed over it, or linked where nothing may be
   * overwritten: both are atomic. A file system without hard links is `Unsupported` for `overwrite: false`.
   */
  async put(
    path: URL,
    data: Uint8Array,
    { overwrite, signal }: CallOptions & { overwrite: boolean },
  ): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    const target = nativePath(path);
    const directory = dirname(target);
    const temporary = join(directory, `.delta-kernel-web-${globalThis.crypto.randomUUID()}.tmp`);
    try {
      await makeDirectory(directory, path);
      await writeFlushed(temporary, data);
      if (overwrite) await renameOver(temporary, target, path);
      else await linkNew(temporary, target, path);
      await flushDirectory(directory, path);
    } catch (error) {
      throw translate(error, path, 'writing');
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async head(path: URL, { signal }: CallOptions = {}): Promise<FileMeta> {
    signal?.throwIfAborted();
    const stats = await statFile(path);
    if (stats === undefined) throw fileNotFound(path);
    signal?.throwIfAborted();
    return metaOf(path, stats);
  }

  async delete(path: URL, { signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    checkFilePath(path);
    await unlink(nativePath(path)).catch((error: unknown) => {
      const failure = translate(error, path, 'deleting');
      if (!isDeltaError(failure, 'FileNotFound')) throw failure;
    });
  }

  async *listRecursive(prefix: URL, { signal }: CallOptions = {}): AsyncIterable<FileMeta> {
    signal?.throwIfAborted();
    const { directory } = listingStart(prefix);
    const base = locationOf(prefix, directory);
    const entries = await entriesOf(base);
    const names = (wanted: boolean) =>
      sortedNames(
        entries.filter((entry) => entry.isDirectory() === wanted).map((entry) => entry.name),
        '',
      );
    yield* statAll(base, names(false), signal);
    for (const name of names(true))
      yield* this.listRecursive(locationOf(base, `${directory}${name}/`), { signal });
  }
}

/** What is in a directory; nothing where there is none. */
async function entriesOf(directory: URL): Promise<Dirent[]> {
  try {
    const entries = await readdir(nativePath(directory), { withFileTypes: true });
    return entries.filter((entry) => !TEMPORARY.test(entry.name));
  } catch (error) {
    const failure = translate(error, directory, 'listing');
    if (isDeltaError(failure, 'FileNotFound')) return [];
    throw failure;
  }
}

async function* statAll(
  base: URL,
  names: readonly string[],
  signal: AbortSignal | undefined,
): AsyncIterable<FileMeta> {
  const { directory } = listingStart(base);
  for (let start = 0; start < names.length; start += STAT_WINDOW) {
    const locations = names
      .slice(start, start + STAT_WINDOW)
      .map((name) => locationOf(base, directory + name));
    const stats = await Promise.all(locations.map(statFile));
    for (const [index, location] of locations.entries()) {
      signal?.throwIfAborted();
      // Deleted since, or a link to a directory.
      const found = stats[index];
      if (found !== undefined) yield metaOf(location, found);
    }
  }
}

/** Undefined where there is no file (a directory is none). */
async function statFile(location: URL): Promise<Stats | undefined> {
  try {
    const stats = await stat(nativePath(location));
    return stats.isFile() ? stats : undefined;
  } catch (error) {
    const failure = translate(error, location, 'reading the size');
    if (isDeltaError(failure, 'FileNotFound')) return undefined;
    throw failure;
  }
}

function metaOf(location: URL, stats: Stats): FileMeta {
  return { location, lastModified: Math.floor(stats.mtimeMs), size: stats.size };
}

async function readSlice({ location, range }: FileSlice, signal: AbortSignal): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(nativePath(location), 'r');
    const stats = await file.stat();
    if (!stats.isFile()) throw fileNotFound(location);
    const { start, end } = range ?? { start: 0, end: stats.size };
    if (end > stats.size) throw shortRead(location, { start, end }, Math.max(0, stats.size - start));
    checkLength(location, end - start);
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.byteLength) {
      signal.throwIfAborted();
      const length = Math.min(READ_CHUNK, bytes.byteLength - filled);
      const { bytesRead } = await file.read(bytes, filled, length, start + filled);
      if (bytesRead === 0) throw shortRead(location, { start, end }, filled);
      filled += bytesRead;
    }
    return bytes;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw translate(error, location, 'reading');
  } finally {
    await file?.close();
  }
}

async function writeFlushed(path: string, data: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function makeDirectory(directory: string, path: URL): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(codeOf(error))) throw error;
    throw invalidPath(path, 'a file stands where its directory should be', error);
  }
}

async function renameOver(temporary: string, target: string, path: URL): Promise<void> {
  try {
    await rename(temporary, target);
  } catch (error) {
    if (!['EISDIR', 'EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
    throw invalidPath(path, 'there is a directory of that name', error);
  }
}

async function linkNew(temporary: string, target: string, path: URL): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    const message = `the file system of ${shownUrl(path)} has no hard links: put if absent cannot be atomic there`;
    throw new DeltaError('Unsupported', message, { path: shownUrl(path), cause: error });
  }
}

/** So that the new name survives a power cut, where directories can be flushed. */
async function flushDirectory(directory: string, path: URL): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // The file is there already: whether its name is durable is all that is unknown.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(codeOf(error))) throw ioError(path, 'flushing', error);
  } finally {
    await handle.close();
  }
}

function invalidPath(location: URL, problem: string, cause: unknown): DeltaError {
  const path = shownUrl(location);
  return new DeltaError('InvalidPath', `${path} cannot be a file here: ${problem}`, { path, cause });
}

function nativePath(location: URL): string {
  checkScheme(location, 'file:');
  try {
    return fileURLToPath(location);
  } catch (cause) {
    const message = `${shownUrl(location)} is no path of this machine: ${(cause as Error).message}`;
    throw new DeltaError('InvalidPath', message, { path: shownUrl(location), cause });
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

function translate(error: unknown, location: URL, what: string): unknown {
  if (isDeltaError(error)) return error;
  const path = shownUrl(location);
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fileNotFound(location, error);
    case 'EEXIST':
      return fileAlreadyExists(location, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ERR_ACCESS_DENIED':
      return new DeltaError('PermissionDenied', `${what} of ${path} is not permitted`, {
        path,
        cause: error,
      });
    case 'EISDIR':
    case 'ENAMETOOLONG':
    case 'EINVAL':
    case 'ELOOP':
    case 'ERR_INVALID_ARG_VALUE':
      return invalidPath(location, (error as Error).message, error);
    case '':
      return error;
    default:
      return ioError(location, what, error);
  }
}
