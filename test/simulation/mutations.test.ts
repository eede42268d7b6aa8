/**
 * What the simulation is worth: with a rule of committing taken away, it fails within the seeds that it runs. Each
 * mutant is the code without one rule.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { isDeltaError } from '../../src/errors.ts';
import type { Committer } from '../../src/kernel/committer/committer.ts';
import type { FaultRates } from './faulty-storage.ts';
import { fileSystemCommitter } from './operations.ts';
import { simulate } from './simulate.ts';

type Mutant =
  | 'commits are not read back'
  | 'rebases check nothing'
  | 'row ids stay'
  | 'checksums forget removals';

const { mutant } = vi.hoisted(() => ({ mutant: { is: undefined as Mutant | undefined } }));

vi.mock('../../src/kernel/transaction/landed.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/transaction/landed.ts')>();
  const whoseCommit: typeof original.whoseCommit = async (...args) => {
    const landing = await original.whoseCommit(...args);
    return mutant.is === 'commits are not read back' && landing.kind === 'ours'
      ? { kind: 'others' }
      : landing;
  };
  return { ...original, whoseCommit };
});

vi.mock('../../src/kernel/transaction/conflict/winner.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/transaction/conflict/winner.ts')>();
  const readWinner: typeof original.readWinner = async (...args) => {
    const winner = await original.readWinner(...args);
    if (mutant.is !== 'commits are not read back') return winner;
    return { ...winner, commitInfo: winner.commitInfo && { ...winner.commitInfo, txnId: '' } };
  };
  return { ...original, readWinner };
});

vi.mock('../../src/kernel/transaction/conflict/checks.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/transaction/conflict/checks.ts')>();
  const checkWinner: typeof original.checkWinner = async (...args) => {
    if (mutant.is !== 'rebases check nothing') await original.checkWinner(...args);
  };
  return { ...original, checkWinner };
});

vi.mock('../../src/kernel/transaction/row-tracking.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/transaction/row-tracking.ts')>();
  const rowIdHighWaterMark: typeof original.rowIdHighWaterMark = async (...args) => {
    return mutant.is === 'row ids stay' ? -1n : original.rowIdHighWaterMark(...args);
  };
  return { ...original, rowIdHighWaterMark };
});

vi.mock('../../src/kernel/checkpoint/totals.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/checkpoint/totals.ts')>();
  class FileCounter extends original.FileCounter {
    override count(
      ...[data, action, selection, sign]: Parameters<InstanceType<typeof original.FileCounter>['count']>
    ) {
      if (mutant.is === 'checksums forget removals' && sign < 0) return;
      super.count(data, action, selection, sign);
    }
  }
  return { ...original, FileCounter };
});

/** A conflict is taken for success. */
const deaf: Committer = {
  isCatalogCommitter: () => false,
  publish: (...args) => fileSystemCommitter.publish(...args),
  commit: async (engine, actions, metadata, options) => {
    const response = await fileSystemCommitter.commit(engine, actions, metadata, options);
    if (response.kind === 'committed') return response;
    const fileMeta = { location: metadata.publishedCommitPath(), size: 1, lastModified: 1 };
    return { kind: 'committed', fileMeta };
  },
};

/** A version that is there is written over. */
const reckless: Committer = {
  ...deaf,
  commit: async (engine, actions, metadata) => {
    const location = metadata.publishedCommitPath();
    const size = await engine.jsonHandler.writeJsonFile(location, actions, { overwrite: true });
    return { kind: 'committed', fileMeta: { location, size, lastModified: metadata.inCommitTimestamp } };
  },
};

/** A look whether the version is there, then a put over it: nothing is atomic. */
const racy: Committer = {
  ...deaf,
  commit: async (engine, actions, metadata, options) => {
    try {
      await engine.storageHandler.head(metadata.publishedCommitPath());
    } catch (error) {
      if (!isDeltaError(error, 'FileNotFound')) throw error;
      return reckless.commit(engine, actions, metadata, options);
    }
    return { kind: 'conflict', version: metadata.version };
  },
};

const QUIET: FaultRates = { before: 0, after: 0, twice: 0, crash: 0 };
const LOST: FaultRates = { before: 0.05, after: 0.2, twice: 0, crash: 0 };
/** As many as each mode of `transactions*.test.ts` runs at the least. */
const SEEDS = 300;

/** The first seed that fails. */
async function firstCaught(
  rates: FaultRates,
  committer?: Committer,
): Promise<{ seed: number; error: unknown }> {
  for (let seed = 0; seed < SEEDS; seed++) {
    try {
      await simulate(seed, rates, committer);
    } catch (error) {
      return { seed, error };
    }
  }
  throw new Error(`no seed below ${SEEDS} notices`);
}

afterEach(() => {
  mutant.is = undefined;
});

it.each<[Mutant, FaultRates, RegExp]>([
  ['commits are not read back', LOST, /has two commits|is said not to be made|adds .* which is not live/],
  [
    'rebases check nothing',
    QUIET,
    /removes .* which is live|did not read|are gone|was made for|application|domain|the setting/,
  ],
  ['row ids stay', QUIET, /base row id/],
  ['checksums forget removals', QUIET, /of the checksum of version/],
])('a mutant is caught: %s', async (what, rates, message) => {
  mutant.is = what;
  const { error } = await firstCaught(rates);
  expect(String(error)).toMatch(message);
});

it.each<[string, Committer]>([
  ['a conflict is taken for success', deaf],
  ['a version that is there is written over', reckless],
  ['a version is looked for, then written', racy],
])('a committer is caught: %s', async (_what, committer) => {
  const { error } = await firstCaught(QUIET, committer);
  // The simulation's own finding, not an error of the code on the way.
  expect((error as Error).name).toBe('AssertionError');
});
