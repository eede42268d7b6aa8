/** Directories of the browser as `FileSystemDirectoryHandle`s, for OPFS and for picked folders. */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import { fileAlreadyExists, fileNotFound, ioError } from './failures.ts';

/** `move` is implemented by every browser for its own storage, and missing in TypeScript's library. */
interface MovableFileHandle extends FileSystemFileHandle {
  move?(directory: FileSystemDirectoryHandle, name: string): Promise<void>;
}

/** Where files lie while they are written, at the top of the storage, so that no listing of a table shows them. */
export const TEMPORARY_DIRECTORY = '.delta-kernel-web-tmp';

/** The names of a path, without empty ones. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Undefined where there is no such directory. */
export async function findDirectory(
  root: FileSystemDirectoryHandle,
  segments: readonly string[],
  { create = false }: { create?: boolean } = {},
): Promise<FileSystemDirectoryHandle | undefined> {
  let directory = root;
  for (const segment of segments) {
    const next = await orMissing(directory.getDirectoryHandle(segment, { create }));
    if (next === undefined) return undefined;
    directory = next;
  }
  return directory;
}

/** Undefined where there is no such file (a directory of that name is none). */
export async function findFile(
  root: FileSystemDirectoryHandle,
  segments: readonly string[],
): Promise<File | undefined> {
  const directory = await findDirectory(root, segments.slice(0, -1));
  const handle = directory && (await orMissing(directory.getFileHandle(segments.at(-1) ?? '')));
  // Between finding and opening it, the file may be deleted.
  return handle && orMissing(handle.getFile());
}

/**
 * Writes a file so that it appears whole: to a temporary place, then moved. Without `overwrite` the check for an
 * existing file and the move happen under a lock that every page and worker of the origin shares.
 */
export async function writeFile(
  root: FileSystemDirectoryHandle,
  location: URL,
  segments: readonly string[],
  data: Uint8Array,
  { overwrite, lockName }: { overwrite: boolean; lockName: string },
): Promise<void> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (!overwrite && locks === undefined) throw unsupported(location, 'Web Locks');
  const name = segments.at(-1) ?? '';
  const temporaries = await root.getDirectoryHandle(TEMPORARY_DIRECTORY, { create: true });
  const temporaryName = globalThis.crypto.randomUUID();
  const temporary: MovableFileHandle = await temporaries.getFileHandle(temporaryName, { create: true });
  try {
    if (temporary.move === undefined || temporary.createWritable === undefined) {
      throw unsupported(location, 'FileSystemFileHandle.move and createWritable');
    }
    const writable = await temporary.createWritable();
    await writable.write(data as Uint8Array<ArrayBuffer>);
    await writable.close();
    const directory = await findDirectory(root, segments.slice(0, -1), { create: true });
    if (directory === undefined) throw fileNotFound(location);
    const move = async () => {
      // A file system move overwrites silently.
      if (!overwrite && (await nameExists(directory, name))) throw fileAlreadyExists(location);
      await temporary.move?.(directory, name);
    };
    if (locks === undefined) await move();
    else await locks.request(lockName, move);
  } finally {
    await removeName(temporaries, temporaryName);
  }
}

async function nameExists(directory: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await directory.getFileHandle(name);
    return true;
  } catch (error) {
    if (nameOf(error) === 'NotFoundError') return false;
    if (nameOf(error) === 'TypeMismatchError') return true;
    throw error;
  }
}

/** Idempotent. */
export async function removeName(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  await orMissing(directory.removeEntry(name));
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (['NotFoundError', 'TypeMismatchError'].includes(nameOf(error))) return undefined;
    throw error;
  }
}

/** The typed error for what a browser's file system throws. */
export function fileSystemError(location: URL, what: string, error: unknown): unknown {
  if (isDeltaError(error)) return error;
  const path = shownUrl(location);
  const detail = error instanceof Error ? error.message : String(error);
  switch (nameOf(error)) {
    case 'NotFoundError':
      return fileNotFound(location, error);
    case 'NotAllowedError':
    case 'SecurityError':
      return new DeltaError('PermissionDenied', `${what} of ${path} is not permitted: ${detail}`, {
        path,
        cause: error,
      });
    case 'QuotaExceededError':
      return new DeltaError('Generic', `the browser's storage is full: ${what} of ${path} failed`, {
        path,
        cause: error,
      });
    case 'TypeMismatchError':
      return new DeltaError('InvalidPath', `a file stands where a directory of ${path} should be`, {
        path,
        cause: error,
      });
    case 'TypeError':
      return new DeltaError('InvalidPath', `${path} cannot be a file here: ${detail}`, {
        path,
        cause: error,
      });
    default:
      return ioError(location, what, error);
  }
}

function nameOf(error: unknown): string {
  return String((error as { name?: unknown } | null)?.name ?? '');
}

function unsupported(location: URL, what: string): DeltaError {
  const message = `this browser lacks ${what}, without which ${shownUrl(location)} cannot be written safely`;
  return new DeltaError('Unsupported', message, { path: shownUrl(location) });
}
