/** Whole small files of the log. */
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';

/** The text of a file, undefined where there is none. A byte order mark is left out. */
export async function readTextIfExists(
  engine: Engine,
  location: URL,
  options: CallOptions,
): Promise<string | undefined> {
  try {
    for await (const bytes of engine.storageHandler.readFiles([{ location }], options)) {
      return new TextDecoder().decode(bytes);
    }
  } catch (error) {
    if (isDeltaError(error, 'FileNotFound')) return undefined;
    throw error;
  }
  throw new DeltaError('Internal', `the storage handler gave no bytes for ${location.pathname}`);
}
