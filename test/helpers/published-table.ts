/** A catalog-managed table in a local folder, all of it published: for other engines to read. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MemoryRecordStore } from '../../src/catalog/embedded/memory-records.ts';
import { StorageCatalog } from '../../src/catalog.ts';
import { field, types } from '../../src/kernel/schema/types.ts';
import { FileSystemStorageHandler } from '../../src/storage/node.ts';
import type { DeltaTable } from '../../src/table/delta-table.ts';
import { localEngine } from './test-engine.ts';

export interface PublishedTable {
  readonly path: string;
  readonly table: DeltaTable;
  /** What it holds. */
  readonly rows: readonly PublishedRow[];
}

export interface PublishedRow {
  readonly id: number;
  readonly city: string | null;
}

/** Version 4: created through a catalog, appended to by two writers, one row deleted, then a checkpoint if wished. */
export async function publishedTable(
  folder: string,
  { checkpoint = false, properties = {} }: PublishedTableOptions = {},
): Promise<PublishedTable> {
  const catalog = new StorageCatalog({
    records: new MemoryRecordStore(),
    storage: new FileSystemStorageHandler(),
    engine: localEngine(),
    root: pathToFileURL(`${folder}/`),
  });
  const schema = types.struct([field('id', types.long), field('city', types.string)]);
  await catalog.create('t', schema, { properties });
  const [one, two] = [await catalog.open('t'), await catalog.open('t')];
  await one.append([
    { id: 1, city: 'Zürich' },
    { id: 2, city: null },
  ]);
  await two.append([{ id: 3, city: 'Lima' }]);
  await one.append([{ id: 4, city: 'Oslo' }]);
  await one.delete("city = 'Lima'");
  if (checkpoint) await one.checkpoint();
  const rows = [
    { id: 1, city: 'Zürich' },
    { id: 2, city: null },
    { id: 4, city: 'Oslo' },
  ];
  return { path: fileURLToPath(one.url), table: one, rows };
}

export interface PublishedTableOptions {
  readonly checkpoint?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
}

/**
 * Takes features out of version 0, for engines that refuse them, and the checksums, which repeat the protocol, away. All
 * else stays as it is.
 */
export async function withoutFeatures(path: string, removed: readonly string[]): Promise<void> {
  const log = join(path, '_delta_log');
  for (const name of await readdir(log)) if (name.endsWith('.crc')) await rm(join(log, name));
  const file = join(log, `${'0'.padStart(20, '0')}.json`);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const changed = lines.map((line) => {
    const action = JSON.parse(line) as { protocol?: Record<string, unknown> };
    if (action.protocol === undefined) return line;
    for (const name of ['readerFeatures', 'writerFeatures']) {
      const features = action.protocol[name] as string[];
      action.protocol[name] = features.filter((feature) => !removed.includes(feature));
    }
    return JSON.stringify(action);
  });
  await writeFile(file, `${changed.join('\n')}\n`);
}
