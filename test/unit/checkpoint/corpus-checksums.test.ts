/** Checksums of Spark's tables: ours, counted from the log or from the one before, say what Spark's say. */
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { locationOf } from '../../../src/kernel/engine.ts';
import { checksumFileName } from '../../../src/kernel/log/log-path.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import type { MemoryStorageHandler } from '../../../src/storage/memory.ts';
import { corpusTables } from '../../helpers/corpus.ts';
import { copyToMemory, type MemoryCopy } from '../../helpers/memory-copy.ts';
import { sharedDir, sharedMissing } from '../../helpers/shared.ts';
import { testEngine } from '../../helpers/test-engine.ts';

type Json = Record<string, unknown>;

it.skipIf(sharedDir() !== undefined)(sharedMissing, () => undefined);

/** Made by hand to try readers: their checksums say what their logs do not. */
const HAND_MADE = ['kernel/crc-full', 'kernel/crc-malformed'];

const sparks = corpusTables().filter(({ name }) => !HAND_MADE.includes(name));
const tables = sparks.map(({ name, dir }) => {
  const copy = copyToMemory(`${dir}/delta`, (path) => path.startsWith('_delta_log/'));
  return { name, copy, versions: checksumVersions(copy.storage) };
});
let incremental = 0;
let counted = 0;

describe.skipIf(sharedDir() === undefined)('checksums of tables of Spark', () => {
  it.each(tables.filter(({ versions }) => versions.length > 0))('$name', async ({ copy, versions }) => {
    for (const version of versions) {
      const spark = await checksumOf(copy, version);
      const whole = await without(copy, versions);
      const replayed = await writtenBy(whole, version, {});
      if (replayed === undefined) continue;
      counted += 1;
      expect(replayed, `version ${version}`).toMatchObject(comparable(spark));

      if (!versions.includes(version - 1)) continue;
      const step = await without(
        copy,
        versions.filter((each) => each !== version - 1),
      );
      const followed = await writtenBy(step, version, { recompute: false });
      if (followed === undefined) continue;
      incremental += 1;
      const known = await checksumOf(copy, version - 1);
      const lists = ['setTransactions', 'domainMetadata'].filter((name) => known[name] !== undefined);
      expect(followed, `version ${version} from the one before`).toMatchObject(
        Object.fromEntries(
          Object.entries(comparable(spark)).filter(
            ([name]) => !['setTransactions', 'domainMetadata'].includes(name) || lists.includes(name),
          ),
        ),
      );
    }
  });

  it('has seen enough of them', () => {
    expect({ counted, incremental }).toMatchInlineSnapshot(`
      {
        "counted": 153,
        "incremental": 87,
      }
    `);
  });
});

function checksumVersions(storage: MemoryStorageHandler): number[] {
  return storage.paths().flatMap((path) => {
    const found = /\/_delta_log\/(\d{20})\.crc$/.exec(path);
    return found === null ? [] : [Number(found[1])];
  });
}

/** The table without the checksums of `versions`. */
async function without({ storage, root }: MemoryCopy, versions: readonly number[]): Promise<MemoryCopy> {
  const copy = storage.clone();
  for (const version of versions) await copy.delete(locationOf(root, checksumPath(version)));
  return { storage: copy, root };
}

const checksumPath = (version: number) => `/t/_delta_log/${checksumFileName(version)}`;

/** Our checksum of a version; undefined where the table, or a checksum of it, is refused. */
async function writtenBy(
  copy: MemoryCopy,
  version: number,
  options: { recompute?: boolean },
): Promise<Json | undefined> {
  const engine = testEngine(copy.storage);
  try {
    const snapshot = await Snapshot.load(engine, copy.root, { version });
    const { result, snapshot: after } = await snapshot.writeChecksum(engine, options);
    expect(result).toBe('written');
    expect((await after.writeChecksum(engine)).result).toBe('alreadyExists');
  } catch (error) {
    if (isDeltaError(error, 'Unsupported', 'MaxCatalogVersion', 'ChecksumWriteUnsupported', 'InvalidLog')) {
      return undefined;
    }
    throw error;
  }
  return checksumOf(copy, version);
}

async function checksumOf({ storage, root }: MemoryCopy, version: number): Promise<Json> {
  for await (const bytes of storage.readFiles([{ location: locationOf(root, checksumPath(version)) }])) {
    return parse(new TextDecoder().decode(bytes)) as Json;
  }
  throw new Error('no checksum');
}

/** What two writers must agree on. Bins of histograms are each writer's own. */
function comparable(spark: Json): Json {
  const names = [
    'txnId',
    'tableSizeBytes',
    'numFiles',
    'numMetadata',
    'numProtocol',
    'inCommitTimestampOpt',
    'numDeletedRecordsOpt',
    'numDeletionVectorsOpt',
    'setTransactions',
    'domainMetadata',
    'protocol',
    'metadata',
  ];
  return Object.fromEntries(
    names.flatMap((name) => (spark[name] === undefined ? [] : [[name, spark[name]]])),
  );
}
