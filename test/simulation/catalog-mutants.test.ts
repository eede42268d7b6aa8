/**
 * What the simulation of catalogs is worth: with one rule of committing or publishing broken, it fails within a few
 * seeds. Each mutant is the real committer, or the real catalog, but for that rule.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CatalogCommitter } from '../../src/catalog/catalog-committer.ts';
import type { RecordStore } from '../../src/catalog/embedded/record-store.ts';
import type { CatalogTable, RatifiedCommit } from '../../src/catalog/staged-commit.ts';
import { isDeltaError } from '../../src/errors.ts';
import { CommitMetadata } from '../../src/kernel/committer/commit-metadata.ts';
import type { Committer, PublishMetadata } from '../../src/kernel/committer/committer.ts';
import type { Engine } from '../../src/kernel/engine.ts';
import type { FilteredEngineData } from '../../src/kernel/engine-data.ts';
import { logRootOf } from '../../src/kernel/log/log-path.ts';
import type { CatalogMutant } from './catalog-sides.ts';
import { simulateCatalog } from './catalog-simulation.ts';
import type { FaultRates } from './faulty-storage.ts';

/** Whether the kernel recognises a commit of its own when it rebases: it would make up for some broken committers. */
const { kernel } = vi.hoisted(() => ({ kernel: { recognises: true } }));

vi.mock('../../src/kernel/transaction/conflict/winner.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/kernel/transaction/conflict/winner.ts')>();
  const readWinner: typeof original.readWinner = async (...args) => {
    const winner = await original.readWinner(...args);
    if (kernel.recognises || winner.commitInfo === undefined) return winner;
    return { ...winner, commitInfo: { ...winner.commitInfo, txnId: '' } };
  };
  return { ...original, readWinner };
});

afterEach(() => {
  kernel.recognises = true;
});

const QUIET: FaultRates = { before: 0, after: 0, twice: 0, crash: 0 };
const LOST: FaultRates = { before: 0.03, after: 0.1, twice: 0, crash: 0 };
const CRASHES: FaultRates = { before: 0.05, after: 0.05, twice: 0.1, crash: 0.03 };

/** The real committer with other methods in place of its own. */
function committer(change: (real: Committer, table: CatalogTable) => Partial<Committer>): CatalogMutant {
  return {
    committer: (table) => {
      const real = new CatalogCommitter(table);
      const same: Committer = {
        isCatalogCommitter: () => true,
        commit: (...args) => real.commit(...args),
        publish: (...args) => real.publish(...args),
      };
      return { ...same, ...change(same, table) };
    },
  };
}

/** The real committer over a catalog whose answers are changed. */
function over(change: (table: CatalogTable) => Partial<CatalogTable>): CatalogMutant {
  return { committer: (table) => new CatalogCommitter({ ...table, ...change(table) }) };
}

function records(change: (real: RecordStore) => Partial<RecordStore>): CatalogMutant {
  return {
    records: (real) => ({
      read: (key) => real.read(key),
      replace: (...args) => real.replace(...args),
      remove: (key) => real.remove(key),
      keys: (prefix) => real.keys(prefix),
      ...change(real),
    }),
  };
}

const taken = (metadata: CommitMetadata) => {
  const fileMeta = {
    location: metadata.publishedCommitPath(),
    size: 1,
    lastModified: metadata.inCommitTimestamp,
  };
  return { kind: 'committed', fileMeta } as const;
};

async function publishInSteps(engine: Engine, { commitsToPublish }: PublishMetadata, reverse: boolean) {
  const commits = reverse ? [...commitsToPublish].reverse() : commitsToPublish;
  for (const { location, publishedLocation } of commits) {
    try {
      await engine.storageHandler.copyAtomic(location, publishedLocation);
    } catch (error) {
      if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
    }
  }
}

async function stagedFiles(engine: Engine, { tableRoot, version }: CommitMetadata): Promise<string[]> {
  const names: string[] = [];
  const folder = new URL('_staged_commits/', logRootOf(tableRoot));
  for await (const { location } of engine.storageHandler.listFrom(folder)) {
    const name = location.pathname.split('/').at(-1)!;
    if (Number(name.slice(0, 20)) === version) names.push(name);
  }
  return names;
}

const MUTANTS: readonly [what: string, rates: FaultRates, message: RegExp, mutant: CatalogMutant][] = [
  [
    'a conflict is taken for success',
    QUIET,
    /is said to be made|the commits to publish/,
    committer((real) => ({
      commit: async (engine, actions, metadata) => {
        const response = await real.commit(engine, actions, metadata);
        return response.kind === 'committed' ? response : taken(metadata);
      },
    })),
  ],
  [
    'a lost answer is taken for success',
    LOST,
    /is said to be made|published version/,
    over((table) => ({
      ratify: async (...args) => {
        const outcome = await table.ratify(...args);
        return outcome.kind === 'unknown' ? { kind: 'ratified' } : outcome;
      },
    })),
  ],
  [
    'a lost answer is taken for a refusal, and the version after it is ratified as well',
    LOST,
    /was committed before|the time of version/,
    committer((real) => ({
      commit: async (engine, actions, metadata) => {
        const all: FilteredEngineData[] = [];
        for await (const batch of actions) all.push(batch);
        const again = async function* () {
          yield* all;
        };
        try {
          return await real.commit(engine, again(), metadata);
        } catch (error) {
          if (!isDeltaError(error, 'IOError')) throw error;
          const version = metadata.version + 1;
          const runtime = { now: () => 0, uuid: () => crypto.randomUUID() };
          const next = new CommitMetadata({ ...metadata, version }, runtime);
          return real.commit(engine, again(), next).catch(() => Promise.reject(error));
        }
      },
    })),
  ],
  [
    'a lost answer is taken for a refusal, and the staged file is cleaned up',
    LOST,
    /_staged_commits.* does not exist/,
    committer((real, table) => {
      return {
        commit: async (engine, actions, metadata) => {
          let staged: RatifiedCommit | undefined;
          const spy: CatalogTable = {
            ...table,
            ratify: (commit, ...rest) => {
              staged = commit;
              return table.ratify(commit, ...rest);
            },
          };
          try {
            return await new CatalogCommitter(spy).commit(engine, actions, metadata);
          } catch (error) {
            if (staged !== undefined && isDeltaError(error, 'IOError')) {
              const folder = new URL('_staged_commits/', logRootOf(metadata.tableRoot));
              await engine.storageHandler.delete?.(new URL(staged.fileName, folder));
            }
            throw error;
          }
        },
        publish: (...args) => real.publish(...args),
      };
    }),
  ],
  [
    'the file of another is ratified',
    QUIET,
    /is said to be made|published version/,
    committer((_real, table) => ({
      commit: async (engine, actions, metadata) => {
        const spy: CatalogTable = {
          ...table,
          ratify: async (commit, ...rest) => {
            const [fileName = commit.fileName] = await stagedFiles(engine, metadata);
            return table.ratify({ ...commit, fileName }, ...rest);
          },
        };
        return new CatalogCommitter(spy).commit(engine, actions, metadata);
      },
    })),
  ],
  [
    'commits are published backwards',
    QUIET,
    /have no gap/,
    committer((_real, table) => ({
      publish: async (engine, metadata) => {
        await publishInSteps(engine, metadata, true);
        await table.notifyPublished(metadata.publishVersion).catch(() => undefined);
      },
    })),
  ],
  [
    'only the newest commit is published',
    QUIET,
    /have no gap|has a gap/,
    committer((_real, table) => ({
      publish: async (engine, metadata) => {
        const commitsToPublish = metadata.commitsToPublish.slice(-1);
        await publishInSteps(engine, { ...metadata, commitsToPublish }, false);
        await table.notifyPublished(metadata.publishVersion).catch(() => undefined);
      },
    })),
  ],
  [
    'the catalog is told before the commits are there',
    CRASHES,
    /is told of what is there|the log tail must hold every commit/,
    committer((real, table) => ({
      publish: async (engine, metadata) => {
        await table.notifyPublished(metadata.publishVersion);
        await real.publish(engine, metadata);
      },
    })),
  ],
  [
    'a published commit is cut short',
    QUIET,
    /published version/,
    committer((_real, table) => ({
      publish: async (engine, metadata) => {
        for (const { location, publishedLocation } of metadata.commitsToPublish) {
          for await (const bytes of engine.storageHandler.readFiles([{ location }])) {
            const cut = bytes.subarray(0, bytes.lastIndexOf(10, -2) + 1);
            await engine.storageHandler.put(publishedLocation, cut, { overwrite: true });
          }
        }
        await table.notifyPublished(metadata.publishVersion).catch(() => undefined);
      },
    })),
  ],
  [
    'the record is replaced whatever it is by now',
    QUIET,
    /is ratified once|newest version|every version was seen/,
    records((real) => ({
      replace: async (key, text, tag) => {
        if (tag === undefined) return real.replace(key, text, tag);
        return real.replace(key, text, (await real.read(key))?.tag);
      },
    })),
  ],
  [
    'the newest version is forgotten with the commits that are published',
    QUIET,
    /newest version|is ratified once|does not follow/,
    records((real) => ({
      replace: (key, text, tag) => {
        const record = JSON.parse(text) as { latestVersion: number; unpublished: { version: number }[] };
        const latestVersion = record.unpublished.at(-1)?.version ?? 0;
        return real.replace(key, JSON.stringify({ ...record, latestVersion }), tag);
      },
    })),
  ],
  [
    'commits that are not published are forgotten',
    QUIET,
    /is told of what is there|has a gap/,
    records((real) => ({
      replace: (key, text, tag) => {
        const record = JSON.parse(text) as { unpublished: unknown[] };
        return real.replace(
          key,
          JSON.stringify({ ...record, unpublished: record.unpublished.slice(-2) }),
          tag,
        );
      },
    })),
  ],
];

const SEEDS = 20;

/** What the first seed that fails says. */
async function firstFailure(rates: FaultRates, mutant: CatalogMutant, seeds = SEEDS): Promise<string> {
  for (let seed = 0; seed < seeds; seed++) {
    try {
      await simulateCatalog({ kind: 'embedded', seed, rates, writers: 5, commits: 2, mutant });
    } catch (error) {
      return `seed ${seed}: ${String(error)}`;
    }
  }
  return `no seed below ${seeds} notices`;
}

describe('a mutant is caught', () => {
  it.each(MUTANTS)('%s', async (_what, rates, message, mutant) => {
    const failure = await firstFailure(rates, mutant);
    expect(failure).toMatch(message);
  });
});

it.each([QUIET, LOST, CRASHES])('the real committer passes with %j', async (rates) => {
  expect(await firstFailure(rates, {}, 4)).toBe('no seed below 4 notices');
});

describe('where the kernel recognises no commit of its own', () => {
  const deaf = committer((real) => ({
    commit: async (engine, actions, metadata) => {
      try {
        return await real.commit(engine, actions, metadata);
      } catch (error) {
        if (!isDeltaError(error, 'IOError')) throw error;
        return { kind: 'conflict', version: metadata.version };
      }
    },
  }));

  it('a committer is caught that takes a lost answer for a conflict', async () => {
    kernel.recognises = false;
    expect(await firstFailure(LOST, deaf)).toMatch(/was committed before/);
  });

  it('the real committer still finds out what became of its commits', async () => {
    kernel.recognises = false;
    expect(await firstFailure(LOST, {}, 4)).toBe('no seed below 4 notices');
  });
});
