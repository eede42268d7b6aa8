/** What was asked of a storage, and how much came: how a reader reads is behaviour, so tests and tools count it. */
import type { FileSlice, StorageHandler } from '../kernel/engine.ts';
import { forward } from './forward.ts';

export interface StorageCounts {
  lists: number;
  /** Slices read; empty ones are not, since they cost no request. */
  reads: number;
  bytesRead: number;
  heads: number;
  puts: number;
  bytesWritten: number;
  copies: number;
  deletes: number;
}

export interface CountedStorage {
  readonly storage: StorageHandler;
  /** Live; assign to reset. */
  readonly counts: StorageCounts;
  /** Every slice asked for, in order. */
  readonly slices: FileSlice[];
}

/** Counts at the point where it is put: around a storage its requests, around a wrapper the wrapper's callers. */
export function withCounting(inner: StorageHandler): CountedStorage {
  const counts: StorageCounts = {
    lists: 0,
    reads: 0,
    bytesRead: 0,
    heads: 0,
    puts: 0,
    bytesWritten: 0,
    copies: 0,
    deletes: 0,
  };
  const slices: FileSlice[] = [];
  const storage = forward(inner, {
    listFrom(path, options) {
      counts.lists++;
      return inner.listFrom(path, options);
    },
    async *readFiles(files, options) {
      slices.push(...files);
      counts.reads += files.filter(({ range }) => range === undefined || range.end > range.start).length;
      for await (const bytes of inner.readFiles(files, options)) {
        counts.bytesRead += bytes.byteLength;
        yield bytes;
      }
    },
    copyAtomic(source, destination, options) {
      counts.copies++;
      return inner.copyAtomic(source, destination, options);
    },
    put(path, data, options) {
      counts.puts++;
      counts.bytesWritten += data.byteLength;
      return inner.put(path, data, options);
    },
    head(path, options) {
      counts.heads++;
      return inner.head(path, options);
    },
    delete(path, options) {
      counts.deletes++;
      return inner.delete!(path, options);
    },
    listRecursive(prefix, options) {
      counts.lists++;
      return inner.listRecursive!(prefix, options);
    },
  });
  return { storage, counts, slices };
}
