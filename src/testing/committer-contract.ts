/**
 * What every committer must do, whoever decides on versions: a file system, Unity Catalog, or a catalog of your own.
 * Plain functions, as in the other contract suites: give each case a fresh harness.
 *
 * @example
 * for (const { name, run } of committerContract) test(name, async () => run(await harness()));
 */
import { CommitMetadata, type CommitMetadataFields } from '../kernel/committer/commit-metadata.ts';
import type { CatalogCommit, Committer } from '../kernel/committer/committer.ts';
import type { Engine, FileMeta, Runtime } from '../kernel/engine.ts';
import { allSelected, type FilteredEngineData } from '../kernel/engine-data.ts';
import type { Scalar } from '../kernel/expressions/types.ts';
import { field, type StructType, types } from '../kernel/schema/types.ts';
import { equal, failsWith } from './assertions.ts';

/** A table that is there, at some version, and whose next version is free. */
export interface CommitterHarness {
  readonly engine: Engine;
  /** Ends in `/`. */
  readonly tableRoot: URL;
  readonly nextVersion: number;
  /** Another writer each time: nothing is shared but what the table or its catalog keeps. */
  committer(): Committer;
  /** Protocol and metadata that the table has, and whatever else its catalog looks at. */
  readonly fields: Pick<CommitMetadataFields, 'commitType' | 'readProtocol' | 'readMetadata'>;
}

export interface CommitterCase {
  readonly name: string;
  /** Only for committers whose `isCatalogCommitter` is this. */
  readonly isCatalog?: boolean;
  run(harness: CommitterHarness): Promise<void>;
}

const SCHEMA: StructType = types.struct([
  field('commitInfo', types.struct([field('txnId', types.string), field('note', types.string)])),
]);

const TIME = 1_700_000_000_000;
let transactions = 0;

class Uuids implements Runtime {
  now(): number {
    return TIME;
  }

  uuid(): string {
    return globalThis.crypto.randomUUID();
  }
}

/** One attempt of a transaction of its own. */
function attempt(
  { tableRoot, nextVersion, fields }: CommitterHarness,
  version = nextVersion,
  maxPublishedVersion = nextVersion - 1,
): CommitMetadata {
  transactions += 1;
  return new CommitMetadata(
    {
      ...fields,
      tableRoot,
      version,
      inCommitTimestamp: TIME + version,
      txnId: `txn-${transactions}`,
      maxPublishedVersion,
      domainMetadataChanges: [],
    },
    new Uuids(),
  );
}

/** Lines of a commit, in batches of one and two rows. */
async function* actionsOf(
  { engine }: CommitterHarness,
  { txnId }: CommitMetadata,
  notes: readonly string[] = ['one', 'two', 'three'],
): AsyncGenerator<FilteredEngineData> {
  const rows = notes.map((note): Scalar[] => {
    return [{ type: SCHEMA.fields[0]!.type, value: [txnId, note] }];
  });
  for (const batch of [rows.slice(0, 1), rows.slice(1)]) {
    yield allSelected(engine.evaluationHandler.createMany(SCHEMA, batch));
  }
}

function linesOf({ txnId }: CommitMetadata, notes: readonly string[] = ['one', 'two', 'three']): string {
  return notes.map((note) => `${JSON.stringify({ commitInfo: { txnId, note } })}\n`).join('');
}

async function commit(harness: CommitterHarness, metadata: CommitMetadata): Promise<FileMeta | undefined> {
  const response = await harness.committer().commit(harness.engine, actionsOf(harness, metadata), metadata);
  if (response.kind === 'committed') return response.fileMeta;
  equal(response, { kind: 'conflict', version: metadata.version }, 'conflict');
  return undefined;
}

async function mustCommit(harness: CommitterHarness, metadata: CommitMetadata): Promise<FileMeta> {
  const file = await commit(harness, metadata);
  if (file === undefined) throw new Error(`version ${metadata.version} was not committed`);
  return file;
}

async function textOf({ engine }: CommitterHarness, location: URL): Promise<string> {
  for await (const bytes of engine.storageHandler.readFiles([{ location }]))
    return new TextDecoder().decode(bytes);
  throw new Error('nothing was read');
}

async function namesIn({ engine, tableRoot }: CommitterHarness, directory: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { location } of engine.storageHandler.listFrom(new URL(directory, tableRoot))) {
    names.push(location.pathname.slice(location.pathname.lastIndexOf('/') + 1));
  }
  return names;
}

function toPublish(metadata: CommitMetadata, { location, size }: FileMeta): CatalogCommit {
  return { version: metadata.version, location, size, publishedLocation: metadata.publishedCommitPath() };
}

export const committerContract: readonly CommitterCase[] = [
  {
    name: 'commits all actions in order, and says where they are, how long they are, and when that was',
    run: async (harness) => {
      const metadata = attempt(harness);
      const file = await mustCommit(harness, metadata);
      equal(await textOf(harness, file.location), linesOf(metadata), 'the commit');
      equal((await harness.engine.storageHandler.head(file.location)).size, file.size, 'its size');
      equal(file.lastModified, metadata.inCommitTimestamp, 'its time');
    },
  },
  {
    name: 'answers a version that another writer has with a conflict, and leaves that commit alone',
    run: async (harness) => {
      const [first, second] = [attempt(harness), attempt(harness)];
      const file = await mustCommit(harness, first);
      equal(await commit(harness, second), undefined, 'the second commit');
      equal(await textOf(harness, file.location), linesOf(first), 'the first commit');
      await mustCommit(harness, attempt(harness, harness.nextVersion + 1));
    },
  },
  {
    name: 'has one winner per version among writers at the same time',
    run: async (harness) => {
      for (const version of [harness.nextVersion, harness.nextVersion + 1]) {
        const attempts = Array.from({ length: 5 }, () => attempt(harness, version));
        const files = await Promise.all(attempts.map((metadata) => commit(harness, metadata)));
        equal(files.filter((file) => file !== undefined).length, 1, `winners of version ${version}`);
        const winner = files.findIndex((file) => file !== undefined);
        equal(await textOf(harness, files[winner]!.location), linesOf(attempts[winner]!), 'the commit');
      }
    },
  },
  {
    name: 'passes on a failure of the actions, and commits nothing of them',
    run: async (harness) => {
      const metadata = attempt(harness);
      const failure = new Error('no more');
      const actions = async function* () {
        for await (const batch of actionsOf(harness, metadata)) {
          yield batch;
          throw failure;
        }
      };
      const result = await harness
        .committer()
        .commit(harness.engine, actions(), metadata)
        .catch((error: unknown) => error);
      equal(result === failure, true, 'the failure');
      await mustCommit(harness, attempt(harness));
    },
  },
  {
    name: 'does nothing where nothing is to publish',
    run: async ({ engine, tableRoot, nextVersion, committer }) => {
      await committer().publish(engine, { tableRoot, commitsToPublish: [], publishVersion: nextVersion - 1 });
    },
  },
  {
    name: 'publishes nothing: commits are published from the start',
    isCatalog: false,
    run: async (harness) => {
      const metadata = attempt(harness);
      const file = await mustCommit(harness, metadata);
      equal(file.location.href, metadata.publishedCommitPath().href, 'the place of the commit');
      await failsWith('CommitterMismatch', () =>
        harness.committer().publish(harness.engine, {
          tableRoot: harness.tableRoot,
          commitsToPublish: [toPublish(metadata, file)],
          publishVersion: metadata.version,
        }),
      );
    },
  },
  {
    name: 'stages commits under names of their own, and publishes none by itself',
    isCatalog: true,
    run: async (harness) => {
      const names = new Set<string>();
      for (const version of [harness.nextVersion, harness.nextVersion + 1]) {
        const { location } = await mustCommit(harness, attempt(harness, version));
        const found = /\/_delta_log\/_staged_commits\/(\d{20})\.([0-9a-f-]{36})\.json$/.exec(
          location.pathname,
        );
        equal(Number(found?.[1]), version, 'the version of the staged file');
        names.add(found?.[2] ?? '');
      }
      equal(names.size, 2, 'names of staged files');
      const published = (await namesIn(harness, '_delta_log/')).filter((name) => /^\d{20}\.json$/.test(name));
      equal(published.length, harness.nextVersion, 'published commits');
    },
  },
  {
    name: 'publishes copies of the staged commits, once or more often',
    isCatalog: true,
    run: async (harness) => {
      const { engine, tableRoot, nextVersion } = harness;
      const attempts = [nextVersion, nextVersion + 1, nextVersion + 2].map((version) =>
        attempt(harness, version),
      );
      const commitsToPublish: CatalogCommit[] = [];
      for (const metadata of attempts) {
        commitsToPublish.push(toPublish(metadata, await mustCommit(harness, metadata)));
      }
      const first = {
        tableRoot,
        commitsToPublish: commitsToPublish.slice(0, 1),
        publishVersion: nextVersion,
      };
      await harness.committer().publish(engine, first);
      const all = { tableRoot, commitsToPublish, publishVersion: nextVersion + 2 };
      await harness.committer().publish(engine, all);
      await harness.committer().publish(engine, all);
      for (const metadata of attempts) {
        equal(await textOf(harness, metadata.publishedCommitPath()), linesOf(metadata), 'a published commit');
      }
      await mustCommit(harness, attempt(harness, nextVersion + 3, nextVersion + 2));
    },
  },
  {
    name: 'publishes in order, and nothing after a commit that is published otherwise',
    isCatalog: true,
    run: async (harness) => {
      const { engine, tableRoot, nextVersion } = harness;
      const [first, second] = [attempt(harness), attempt(harness, nextVersion + 1)];
      const commitsToPublish = [
        toPublish(first, await mustCommit(harness, first)),
        toPublish(second, await mustCommit(harness, second)),
      ];
      const other = new TextEncoder().encode('{"commitInfo":{}}\n');
      await engine.storageHandler.put(first.publishedCommitPath(), other, { overwrite: false });
      const publish = () =>
        harness.committer().publish(engine, { tableRoot, commitsToPublish, publishVersion: nextVersion + 1 });
      await failsWith('InvalidLog', publish);
      await failsWith('FileNotFound', () => engine.storageHandler.head(second.publishedCommitPath()));
    },
  },
  {
    name: 'makes the same attempt once, asked twice',
    isCatalog: true,
    run: async (harness) => {
      const metadata = attempt(harness);
      const committer = harness.committer();
      const once = async () => committer.commit(harness.engine, actionsOf(harness, metadata), metadata);
      const [first, second] = [await once(), await once()];
      equal(second, first, 'the second answer');
      await mustCommit(harness, attempt(harness, harness.nextVersion + 1));
    },
  },
  {
    name: 'refuses tables of the other kind, and the change from one to the other',
    isCatalog: true,
    run: async (harness) => {
      for (const [commitType, code] of [
        ['pathBasedWrite', 'CommitterMismatch'],
        ['upgradeToCatalogManaged', 'Unsupported'],
        ['downgradeToPathBased', 'Unsupported'],
      ] as const) {
        const metadata = attempt({ ...harness, fields: { ...harness.fields, commitType } });
        await failsWith(code, () => commit(harness, metadata));
      }
      await mustCommit(harness, attempt(harness));
    },
  },
];
