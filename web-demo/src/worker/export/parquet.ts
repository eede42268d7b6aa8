/** Rows as a Parquet file: the package's own writer, over a storage that keeps what is written. */
import { createEngine, type EngineData, type StorageHandler } from 'delta-kernel-web';
import type { Rows } from './format.ts';

const FILE = new URL('memory:///export.parquet');

/** The file comes in one piece at the end: its row groups are compressed before, but all are in memory. */
export async function* parquet({ rows, none }: Rows): AsyncGenerator<Uint8Array> {
  const storage = new OneFile();
  const engine = createEngine({ storage });
  const batches = async function* (): AsyncGenerator<EngineData> {
    let isEmpty = true;
    for await (const batch of rows) {
      isEmpty = false;
      yield batch;
    }
    if (isEmpty) yield none();
  };
  await engine.parquetHandler.writeParquetFile(FILE, batches(), { compression: 'zstd' });
  yield storage.bytes;
}

class OneFile implements StorageHandler {
  bytes = new Uint8Array(0);

  async put(_: URL, data: Uint8Array): Promise<void> {
    this.bytes = data as Uint8Array<ArrayBuffer>;
  }

  async head(location: URL) {
    return { location, size: this.bytes.length, lastModified: 0 };
  }

  listFrom(): never {
    throw new Error('an export lists nothing');
  }

  readFiles(): never {
    throw new Error('an export reads nothing');
  }

  copyAtomic(): never {
    throw new Error('an export copies nothing');
  }
}
