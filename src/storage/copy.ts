/** Copy if absent, for every storage: raw bytes, checked in length, put if absent. */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import type { CallOptions, StorageHandler } from '../kernel/engine.ts';
import { fileAlreadyExists } from './failures.ts';

/**
 * A server-side copy is no alternative: S3-compatible servers ignore its condition and overwrite. The length of what
 * was read is compared with HEAD, since a short read would publish a cut-off commit for ever.
 */
export async function copyIfAbsent(
  storage: Pick<StorageHandler, 'head' | 'readFiles' | 'put'>,
  source: URL,
  destination: URL,
  { signal }: CallOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const size = await sourceSize(storage, source, destination, { signal });
  for await (const bytes of storage.readFiles([{ location: source }], { signal })) {
    if (bytes.byteLength !== size) {
      const message = `${shownUrl(source)} has ${size} bytes, but ${bytes.byteLength} were read; nothing was copied`;
      throw new DeltaError('IOError', message, { path: shownUrl(source) });
    }
    await storage.put(destination, bytes, { overwrite: false, signal });
  }
}

async function sourceSize(
  storage: Pick<StorageHandler, 'head'>,
  source: URL,
  destination: URL,
  options: CallOptions,
): Promise<number> {
  try {
    return (await storage.head(source, options)).size;
  } catch (error) {
    if (!isDeltaError(error, 'FileNotFound')) throw error;
    // Someone may have copied and cleaned up before us.
    await storage.head(destination, options).catch((failure: unknown) => {
      throw isDeltaError(failure, 'FileNotFound') ? error : failure;
    });
    throw fileAlreadyExists(destination);
  }
}
