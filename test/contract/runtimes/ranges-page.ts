/** Reads many ranges of one file at the same time, in a page. */
import { HttpStorageHandler } from '../../../src/storage/http.ts';

async function readRanges(href: string, count: number): Promise<number> {
  const location = new URL(href);
  const slices = Array.from({ length: count }, (_, index) => ({
    location,
    range: { start: index * 10, end: index * 10 + 10 },
  }));
  const storage = new HttpStorageHandler();
  const read = async (slice: (typeof slices)[number]) => {
    let bytes = 0;
    for await (const part of storage.readFiles([slice])) bytes += part.length;
    return bytes;
  };
  return (await Promise.all(slices.map(read))).reduce((sum, bytes) => sum + bytes, 0);
}

Object.assign(globalThis, { readRanges });
