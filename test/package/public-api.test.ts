/** What the package exports, pinned: a change here is a change for users. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

it('exports these values at the root', async () => {
  expect(await exportsOf('slim')).toMatchInlineSnapshot(`
    [
      "ChangesScan",
      "CommitMetadata",
      "DefaultEngine",
      "DeltaError",
      "DeltaTable",
      "ExpressionBuilder",
      "ExpressionError",
      "FileSystemCommitter",
      "HttpStorageHandler",
      "IncrementalScan",
      "LogPath",
      "MemoryStorageHandler",
      "PredicateBuilder",
      "Scan",
      "Snapshot",
      "TableChanges",
      "TableScan",
      "addFilesSchema",
      "and",
      "cleanUpLog",
      "col",
      "columnPathToString",
      "compareUtf8",
      "countTombstones",
      "createEngine",
      "createTable",
      "dataFileMeta",
      "diffSnapshots",
      "expressionToString",
      "field",
      "init",
      "isDeltaError",
      "jsonWriters",
      "lit",
      "liveRecords",
      "not",
      "or",
      "parseColumnPath",
      "parsePredicate",
      "parseSchema",
      "predicateToString",
      "publishByCopies",
      "referencedColumns",
      "registerStorage",
      "rowsToNdjson",
      "scanFileSchema",
      "scanFilesFromJson",
      "scanFilesToJson",
      "schemaToJson",
      "toRecordBatch",
      "typeToString",
      "types",
      "vacuum",
      "valueReader",
      "visitScanFiles",
      "withCounting",
      "withRangeCoalescing",
      "withRetries",
    ]
  `);
});

it.each(['index.browser', 'index.node', 'index.workerd'])('%s exports the same', async (entry) => {
  expect(await exportsOf(entry)).toEqual(await exportsOf('slim'));
});

it('exports one storage per subpath', async () => {
  const subpaths = ['s3', 'r2', 'opfs', 'directory', 'node'];
  const names = await Promise.all(subpaths.map(exportsOf));
  expect(Object.fromEntries(subpaths.map((subpath, i) => [subpath, names[i]]))).toMatchInlineSnapshot(`
    {
      "directory": [
        "DirectoryStorageHandler",
      ],
      "node": [
        "FileSystemStorageHandler",
      ],
      "opfs": [
        "OpfsStorageHandler",
      ],
      "r2": [
        "R2StorageHandler",
      ],
      "s3": [
        "S3StorageHandler",
        "publicS3",
      ],
    }
  `);
});

it('exports catalogs, the same on every platform', async () => {
  const subpaths = ['unity', 'catalog'];
  const names = await Promise.all(subpaths.map((subpath) => exportsOf(`${subpath}.browser`)));
  for (const platform of ['node', 'workerd']) {
    const same = subpaths.map((subpath) => exportsOf(`${subpath}.${platform}`));
    expect(await Promise.all(same)).toEqual(names);
  }
  expect(Object.fromEntries(subpaths.map((subpath, i) => [subpath, names[i]]))).toMatchInlineSnapshot(`
    {
      "catalog": [
        "CatalogCommitter",
        "EmbeddedCatalog",
        "MemoryRecordStore",
        "OpfsRecordStore",
        "R2RecordStore",
        "StorageCatalog",
        "logTailOf",
      ],
      "unity": [
        "CatalogCommitter",
        "UCCommitter",
        "UnityCatalog",
        "UnityCatalogError",
        "UnityRestClient",
        "VendedCredentials",
        "parseTableName",
      ],
    }
  `);
});

it('exports contract suites', async () => {
  expect(await exportsOf('testing')).toEqual(['committerContract']);
});

/** Names of an entry's exports, without running it. */
async function exportsOf(entry: string): Promise<string[]> {
  const result = await build({
    entryPoints: [`${dist}/${entry}.js`],
    bundle: true,
    format: 'esm',
    packages: 'external',
    external: ['*.wasm'],
    write: false,
    metafile: true,
    outdir: '/',
  });
  return Object.values(result.metafile.outputs)
    .flatMap((output) => output.exports)
    .sort();
}
