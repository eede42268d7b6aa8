/**
 * Snapshots of tables that other engines wrote. Parquet checkpoints are read by hyparquet, so that these tests need
 * nothing of ours but the kernel and the file storage. Expected versions come from the names of the commits, numbers
 * of files from the writers' own checksums and from the corpus's catalogue.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, it } from 'vitest';
import { actionField } from '../../../src/kernel/actions/schemas.ts';
import type { Engine, ParquetHandler } from '../../../src/kernel/engine.ts';
import { history } from '../../../src/kernel/history/history.ts';
import { LogPath } from '../../../src/kernel/log/log-path.ts';
import { loadProtocolAndMetadata } from '../../../src/kernel/log/protocol-metadata.ts';
import { readActions } from '../../../src/kernel/log/read-actions.ts';
import { types } from '../../../src/kernel/schema/types.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { FileSystemStorageHandler } from '../../../src/storage/node.ts';
import { RowData, rowEngine } from '../../helpers/row-engine.ts';
import { sharedDir, sharedMissing } from '../../helpers/shared.ts';

const shared = sharedDir();
const tablesDir = shared === undefined ? '' : join(shared, 'corpus/tables');
const withoutCorpus = shared === undefined;

/** Tables that must not open, and why. */
const REFUSED: Readonly<Record<string, object>> = {
  'delta-rs/simple_table_features': { code: 'Unsupported' },
  'golden/data-reader-absolute-paths-escaped-chars': { code: 'MissingMetadata' },
  'golden/deltalog-invalid-protocol-version': { code: 'Unsupported' },
  'golden/deltalog-state-reconstruction-from-checkpoint-missing-protocol': { code: 'MissingProtocol' },
  'golden/deltalog-state-reconstruction-without-metadata': { code: 'MissingMetadata' },
  'golden/versions-not-contiguous': { code: 'InvalidLog', version: 1 },
  'java-kernel/catalog-owned-preview': { code: 'MaxCatalogVersion', feature: 'catalogManaged' },
  'kernel/table-with-geo': { code: 'Unsupported', feature: 'geospatial' },
  'unity-catalog/catalog_managed_0': { code: 'MaxCatalogVersion', feature: 'catalogManaged' },
};

/** Numbers of live files that the catalogue gives. */
const LIVE_FILES: Readonly<Record<string, number>> = {
  'golden/checkpoint': 1,
  'golden/corrupted-last-checkpoint': 11,
  'golden/update-deleted-directory': 10,
  'golden/deltalog-getChanges': 0,
  // Its checksum was written by hand and does not tell of this log.
  'kernel/crc-full': 0,
};

/** `source/name` of every folder with commits below the corpus. */
function tables(dir = tablesDir): string[] {
  if (existsSync(join(dir, '_delta_log')))
    return commitVersions(dir).length > 0 ? [relative(tablesDir, dir)] : [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? tables(join(dir, entry.name)) : [],
  );
}

function commitVersions(dir: string): number[] {
  return readdirSync(join(dir, '_delta_log')).flatMap((name) =>
    /^\d{20}\.json$/.test(name) ? [Number.parseInt(name, 10)] : [],
  );
}

function corpusEngine(): Engine {
  const parquetHandler: Pick<ParquetHandler, 'readParquetFiles'> = {
    async *readParquetFiles(files, schema) {
      for (const { location } of files) {
        const file = new Uint8Array(readFileSync(location)).buffer;
        yield new RowData(schema, await parquetReadObjects({ file, compressors }));
      }
    },
  };
  const engine = rowEngine(new FileSystemStorageHandler());
  return { ...engine, parquetHandler: parquetHandler as ParquetHandler };
}

async function liveFiles(engine: Engine, snapshot: Snapshot): Promise<number> {
  const seen = new Set<string>();
  let live = 0;
  const schema = types.struct([actionField('add', 'path'), actionField('remove', 'path')]);
  let commit: { version: number; adds: string[]; removes: string[] } = { version: -1, adds: [], removes: [] };
  const settle = () => {
    for (const path of commit.adds) if (!seen.has(path)) live++;
    for (const path of [...commit.adds, ...commit.removes]) seen.add(path);
  };
  for await (const { data, version } of readActions(engine, snapshot.logSegment, schema)) {
    if (version !== commit.version) {
      settle();
      commit = { version, adds: [], removes: [] };
    }
    for (const action of ['add', 'remove'] as const) {
      const paths = data.column([action, 'path'])!;
      for (let row = 0; row < data.length; row++) {
        const path = paths.getString(row);
        if (path !== null) commit[`${action}s`].push(path);
      }
    }
  }
  settle();
  return live;
}

describe.skipIf(withoutCorpus)(`snapshots of the corpus${withoutCorpus ? ` (${sharedMissing})` : ''}`, () => {
  const all = withoutCorpus ? [] : tables();

  it('finds the tables', () => {
    expect(all.length).toBeGreaterThan(150);
  });

  it.each(all)('%s', async (path) => {
    const engine = corpusEngine();
    const name = path.replace(/\/delta$/, '');
    const root = pathToFileURL(join(tablesDir, path));
    const refused = REFUSED[name];
    if (refused !== undefined) {
      await expect(Snapshot.load(engine, root)).rejects.toMatchObject({ ...refused, table: `${root.href}/` });
      return;
    }
    const snapshot = await Snapshot.load(engine, root);
    const versions = commitVersions(join(tablesDir, path));
    expect(snapshot.version).toBe(Math.max(...versions));
    const count = await liveFiles(engine, snapshot);
    expect(count).toBe(LIVE_FILES[name] ?? snapshot.checksum?.numFiles ?? count);
    const entries = await history(engine, snapshot);
    expect(entries.map(({ version }) => version)).toEqual(versions.sort((a, b) => b - a));
    expect(await snapshot.refresh(engine)).toBe(snapshot);
    if (versions.includes(0)) {
      expect((await Snapshot.load(engine, root, { version: 0 })).version).toBe(0);
    }
  });

  it('gives a checksum and the log the same protocol and metadata', async () => {
    const engine = corpusEngine();
    for (const path of all) {
      const snapshot = await Snapshot.load(engine, pathToFileURL(join(tablesDir, path))).catch(
        () => undefined,
      );
      if (snapshot?.checksum === undefined) continue;
      const { checksum: _, ...withoutChecksum } = snapshot.logSegment;
      const fromLog = await loadProtocolAndMetadata(engine, withoutChecksum, {});
      expect(fromLog.protocol).toEqual(snapshot.protocol);
      expect(fromLog.metadata.configuration).toEqual(snapshot.metadata.configuration);
      expect(fromLog.metadata.schema).toEqual(snapshot.metadata.schema);
      expect(fromLog.metadata.partitionColumns).toEqual(snapshot.metadata.partitionColumns);
    }
  });

  it('knows the clustering columns of each version', async () => {
    const engine = corpusEngine();
    const root = pathToFileURL(join(tablesDir, 'spark-4.2/clustered/delta'));
    const columns = async (version?: number) =>
      (await Snapshot.load(engine, root, { version })).clusteringColumns(engine);
    expect(await columns(0)).toEqual([['k'], ['id']]);
    expect(await columns()).toEqual([['id']]);
  });

  it('opens a catalog-managed table with what its catalog says', async () => {
    const root = pathToFileURL(`${join(tablesDir, 'unity-catalog/catalog_managed_0/delta')}/`);
    const staged = readdirSync(new URL('_delta_log/_staged_commits/', root)).sort();
    const logTail = staged.map((name) => LogPath.stagedCommit(root, name, 1, 1));
    const engine = corpusEngine();
    const snapshot = await Snapshot.load(engine, root, { logTail, maxCatalogVersion: 2 });
    expect(snapshot).toMatchObject({ version: 2, logSegment: { maxPublishedVersion: 0 } });
    const entries = await history(engine, snapshot);
    expect(entries.map(({ version, isStaged }) => [version, isStaged])).toEqual([
      [2, true],
      [1, true],
      [0, false],
    ]);
    expect(entries.slice(0, 2).map(({ timestamp }) => timestamp)).toEqual([1749830881799, 1749830871085]);
    expect(await snapshot.timestamp(engine)).toBe(1749830881799);
    const earlier = { logTail, maxCatalogVersion: 2, timestamp: 1749830881798 };
    expect((await Snapshot.load(engine, root, earlier)).version).toBe(1);
  });
});
