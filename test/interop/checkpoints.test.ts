/** Tables that are left with nothing but our checkpoint, read by delta-rs. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { padVersion } from '../../src/kernel/log/log-path.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { corpusTables } from '../helpers/corpus.ts';
import { sharedDir, sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';
import { type DeltaRsResult, deltaRs } from './python.ts';

/** With what delta-rs can read: partitions, statistics, transactions, V2 checkpoints, column mapping. */
const TABLES = [
  'spark-4.2/basic_partitioned',
  'spark-4.2/types_all',
  'spark-4.2/partition_escapes',
  'spark-4.2/check_constraints',
  'spark-4.2/ckpt_multipart',
  'spark-4.2/v2ckpt_json',
  'spark-4.2/row_tracking',
  'kernel/app-txn-no-checkpoint',
  'kernel/v1-single-part-struct-stats-only',
  'delta-rs/table_with_deletion_logs',
  'delta-rs/simple_table',
];

const python = await deltaRs();
const missing = 'missing' in python ? python.missing : sharedDir() === undefined ? sharedMissing : undefined;
const read = (path: string): Promise<DeltaRsResult> => {
  if ('run' in python) return python.run('read', path);
  throw new Error(python.missing);
};

describe.skipIf(missing !== undefined)(
  `delta-rs over our checkpoints${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const scratch = mkdtempSync(join(tmpdir(), 'delta-checkpoints-'));
    afterAll(() => rmSync(scratch, { recursive: true }));
    const dirs = new Map(corpusTables().map(({ name, dir }) => [name, join(dir, 'delta')]));

    it.each(TABLES.flatMap((name) => [1, undefined].map((sidecarRows) => ({ name, sidecarRows }))))(
      '$name, rows per sidecar: $sidecarRows',
      async ({ name, sidecarRows }) => {
        const path = join(scratch, name, String(sidecarRows));
        mkdirSync(dirname(path), { recursive: true });
        cpSync(dirs.get(name)!, path, { recursive: true });
        const expected = await read(path);
        await onlyOurCheckpoint(path, sidecarRows);
        const actual = await read(path);
        expect(actual.version).toBe(expected.version);
        expect(actual.schema).toEqual(expected.schema);
        expect(sorted(actual.rows)).toEqual(sorted(expected.rows));
        expect(sorted(actual.actions)).toEqual(sorted(expected.actions));
      },
    );
  },
);

/** Replaces the whole log of a table by our checkpoint of its newest version. */
async function onlyOurCheckpoint(path: string, sidecarRows: number | undefined): Promise<void> {
  const engine = localEngine();
  const root = pathToFileURL(`${path}/`);
  const log = join(path, '_delta_log');
  let snapshot = await Snapshot.load(engine, root);
  const { version, logSegment } = snapshot;
  if (logSegment.checkpointVersion === version) {
    // The log has all commits: without its checkpoints the same version is built from them.
    for (const name of readdirSync(log)) if (/checkpoint/.test(name)) rmSync(join(log, name));
    snapshot = await Snapshot.load(engine, root);
  }
  const { result } = await snapshot.checkpoint(engine, { sidecarRows });
  expect(result).toBe('written');
  for (const name of readdirSync(log)) {
    const isOurs = name === `${padVersion(version)}.checkpoint.parquet` || name.startsWith('_');
    if (!isOurs && name !== `${padVersion(version)}.json`) rmSync(join(log, name), { recursive: true });
  }
}

function sorted(rows: readonly Record<string, unknown>[]): string[] {
  return rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
}
