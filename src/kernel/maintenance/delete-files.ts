/** Deleting many files. */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine, StorageHandler } from '../engine.ts';

/** Requests at the same time. */
const PARALLEL = 16;

export type DeletingStorage = StorageHandler & Required<Pick<StorageHandler, 'delete'>>;

/** The storage, where it can delete; else `Unsupported`. */
export function deletingStorage({ storageHandler }: Engine, tableRoot: URL, what: string): DeletingStorage {
  if (storageHandler.delete !== undefined) return storageHandler as DeletingStorage;
  const message = `${what} is not possible: the storage cannot delete files`;
  throw new DeltaError('Unsupported', message, { table: shownUrl(tableRoot) });
}

/**
 * Deletes files in about their order: none of the next group before all of this one are gone. A failure ends it, once
 * the deletions under way have ended.
 */
export async function deleteInOrder(
  storage: DeletingStorage,
  locations: readonly URL[],
  { signal }: CallOptions,
): Promise<void> {
  for (let start = 0; start < locations.length; start += PARALLEL) {
    signal?.throwIfAborted();
    const group = locations.slice(start, start + PARALLEL);
    const results = await Promise.allSettled(group.map((location) => storage.delete(location, { signal })));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}
