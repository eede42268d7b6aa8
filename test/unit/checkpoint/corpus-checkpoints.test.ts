/**
 * Tables of other engines, copied into memory, checkpointed by us and read again from that checkpoint alone: their
 * state is what scans of their own log say, which other tests hold against other engines.
 */
import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { locationOf } from '../../../src/kernel/engine.ts';
import { commitFileName, padVersion } from '../../../src/kernel/log/log-path.ts';
import { joinPath } from '../../../src/kernel/paths.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import { corpusTables } from '../../helpers/corpus.ts';
import { copyToMemory, type MemoryCopy } from '../../helpers/memory-copy.ts';
import { sharedDir, sharedMissing } from '../../helpers/shared.ts';
import { stateOf } from '../../helpers/table-state.ts';
import { testEngine } from '../../helpers/test-engine.ts';

it.skipIf(sharedDir() !== undefined)(sharedMissing, () => undefined);

const EMPTY_COMMIT = '{"commitInfo":{"timestamp":2000000000000,"inCommitTimestamp":2000000000000}}\n';

/** Why tables are not checkpointed. */
const refused: Record<string, string> = {};

describe.skipIf(sharedDir() === undefined)('checkpoints of tables of other engines', () => {
  it.each(corpusTables())('$name', async ({ name, dir }) => {
    const copy = copyToMemory(`${dir}/delta`, (path) => path.startsWith('_delta_log/'));
    const latest = await tryOpen(copy, name);
    if (latest === undefined) return;
    const { logRoot, version } = latest.logSegment;
    const expected = await stateOf(testEngine(copy.storage), latest).catch((error) =>
      noteRefusal(name, error),
    );
    if (expected === undefined) return;
    // One more version without a change, since many have a checkpoint at their latest one.
    copy.storage.set(joinPath(logRoot, commitFileName(version + 1)), EMPTY_COMMIT);
    const engine = testEngine(copy.storage);
    const snapshot = await Snapshot.load(engine, copy.root);

    const written = await snapshot.checkpoint(engine).catch((error: unknown) => noteRefusal(name, error));
    if (written === undefined) return;
    expect(written.result).toBe('written');
    expect(await stateOf(engine, written.snapshot)).toEqual(expected);
    expect((await written.snapshot.checkpoint(engine)).result).toBe('alreadyExists');

    const alone = await onlyCheckpoint(copy, version + 1);
    const reloaded = await Snapshot.load(testEngine(alone.storage), alone.root);
    expect(reloaded.version).toBe(version + 1);
    expect(await stateOf(testEngine(alone.storage), reloaded)).toEqual(expected);
  });

  it.each([
    'spark-4.2/basic_partitioned',
    'spark-4.2/ckpt_multipart',
    'spark-4.2/cm_id',
    'spark-4.2/dv_delete',
    'spark-4.2/row_tracking',
    'spark-4.2/v2ckpt_json',
    'kernel/app-txn-no-checkpoint',
    'golden/log-replay-dv-key-cases',
    'golden/data-skipping-change-stats-collected-across-versions',
  ])('%s at every version, each built upon the one before', async (name) => {
    const { dir } = corpusTables().find((table) => table.name === name)!;
    const original = copyToMemory(`${dir}/delta`, (path) => path.startsWith('_delta_log/'));
    const built = { storage: original.storage.clone(), root: original.root };
    const versions = original.storage.paths().flatMap((path) => {
      const found = /_delta_log\/(\d{20})\.json$/.exec(path);
      return found === null ? [] : [Number(found[1])];
    });
    for (const version of versions) {
      const source = testEngine(original.storage);
      const expected = await stateOf(source, await Snapshot.load(source, original.root, { version }));
      const engine = testEngine(built.storage);
      // Besides the table's own checkpoints, this one reads ours of the version before.
      await (await Snapshot.load(engine, built.root, { version })).checkpoint(engine, { sidecarRows: 2 });
      const reloaded = await Snapshot.load(testEngine(built.storage), built.root, { version });
      expect(reloaded.logSegment.checkpointVersion).toBe(version);
      expect(await stateOf(engine, reloaded), `version ${version}`).toEqual(expected);
    }
    expect(versions.length).toBeGreaterThan(1);
  });

  it('leaves out those that this version cannot read or write', () => {
    expect(refused).toMatchInlineSnapshot(`
      {
        "delta-rs/simple_table_features": "Unsupported",
        "golden/collations-table": "Unsupported collations",
        "golden/data-reader-absolute-paths-escaped-chars": "MissingMetadata",
        "golden/deltalog-invalid-protocol-version": "Unsupported",
        "golden/deltalog-state-reconstruction-from-checkpoint-missing-protocol": "MissingProtocol",
        "golden/deltalog-state-reconstruction-without-metadata": "MissingMetadata",
        "golden/log-store-listFrom": "TableNotFound",
        "golden/no-delta-log-folder": "TableNotFound",
        "golden/versions-not-contiguous": "InvalidLog",
        "java-kernel/catalog-owned-preview": "MaxCatalogVersion catalogManaged",
        "java-kernel/parquet-basic-row-indexes": "TableNotFound",
        "kernel/crc-malformed": "TableNotFound",
        "kernel/table-with-geo": "Unsupported geospatial",
        "kernel/type-widening": "Unsupported typeWidening",
        "unity-catalog/catalog_managed_0": "MaxCatalogVersion catalogManaged",
        "unity-catalog/etc/data/external/unity/default/tables/marksheet_uniform": "Unsupported icebergCompatV2",
      }
    `);
  });
});

async function tryOpen(copy: MemoryCopy, name: string): Promise<Snapshot | undefined> {
  return Snapshot.load(testEngine(copy.storage), copy.root).catch((error: unknown) =>
    noteRefusal(name, error),
  );
}

function noteRefusal(name: string, error: unknown): undefined {
  if (!isDeltaError(error)) throw error;
  refused[name] = `${error.code}${error.feature === undefined ? '' : ` ${error.feature}`}`;
}

/** The table with nothing in its log but the checkpoint of `version` and its sidecars. */
async function onlyCheckpoint({ storage, root }: MemoryCopy, version: number): Promise<MemoryCopy> {
  const alone = storage.clone();
  for (const path of alone.paths()) {
    const name = path.slice('/t/_delta_log/'.length);
    if (name !== `${padVersion(version)}.checkpoint.parquet` && !name.startsWith('_sidecars/')) {
      await alone.delete(locationOf(root, path));
    }
  }
  return { storage: alone, root };
}
