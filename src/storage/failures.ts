/** Errors that several storages raise. */
import { DeltaError, shownUrl } from '../errors.ts';

export function fileNotFound(location: URL, cause?: unknown): DeltaError {
  return new DeltaError('FileNotFound', `${shownUrl(location)} does not exist`, {
    path: shownUrl(location),
    cause,
  });
}

export function fileAlreadyExists(location: URL, cause?: unknown): DeltaError {
  const message = `${shownUrl(location)} exists already`;
  return new DeltaError('FileAlreadyExists', message, { path: shownUrl(location), cause });
}

export function ioError(location: URL, what: string, cause?: unknown): DeltaError {
  const detail = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new DeltaError('IOError', `${what} of ${shownUrl(location)} failed${detail}`, {
    path: shownUrl(location),
    cause,
  });
}

/** Refuses a location of another scheme: no storage may read what it was not made for. */
export function checkScheme(location: URL, ...schemes: string[]): void {
  if (schemes.includes(location.protocol)) return;
  const message = `this storage holds ${schemes.join(' and ')} locations, not ${shownUrl(location)}`;
  throw new DeltaError('Unsupported', message, { path: shownUrl(location) });
}

/** A put at a path that names a directory is the caller's mistake; every storage refuses it alike. */
export function checkFilePath(location: URL): void {
  if (!location.pathname.endsWith('/') && location.pathname !== '') return;
  const message = `${shownUrl(location)} names a directory, not a file`;
  throw new DeltaError('InvalidPath', message, { path: shownUrl(location) });
}
