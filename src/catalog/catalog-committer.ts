/**
 * Commits through a catalog: stage, ratify, find out what an answer that got lost would have said, publish. The same
 * for every catalog that ratifies staged files (`PROTOCOL.md`, "Catalog-managed tables").
 */
import { DeltaError, isDeltaError, shownUrl } from '../errors.ts';
import type { CommitMetadata } from '../kernel/committer/commit-metadata.ts';
import type {
  CatalogCommit,
  CommitResponse,
  Committer,
  PublishMetadata,
} from '../kernel/committer/committer.ts';
import { FileSystemCommitter } from '../kernel/committer/file-system-committer.ts';
import { publishByCopies } from '../kernel/committer/publish-copies.ts';
import type { CallOptions, Engine, FileMeta } from '../kernel/engine.ts';
import type { FilteredEngineData } from '../kernel/engine-data.ts';
import { isObject, parseJsonObject } from '../kernel/log/json.ts';
import { fileNameOf, LogPath } from '../kernel/log/log-path.ts';
import type { CatalogTable, CatalogTableState, RatifiedCommit } from './staged-commit.ts';

export interface CatalogCommitterOptions {
  /** Told of a notice of publication that failed: the commits are published all the same. */
  readonly onWarning?: ((warning: DeltaError) => void) | undefined;
}

/** A staged file, as the storage and as the catalog know it. */
interface Staged {
  readonly file: FileMeta;
  readonly commit: RatifiedCommit;
}

/** How often the catalog is asked what became of a commit. */
const MAX_QUESTIONS = 3;

export class CatalogCommitter implements Committer {
  readonly #table: CatalogTable;
  readonly #onWarning: (warning: DeltaError) => void;
  /** What was staged for an attempt: any of it may have been ratified, should an answer be missing. */
  readonly #staged = new WeakMap<CommitMetadata, Staged>();

  constructor(table: CatalogTable, { onWarning = () => undefined }: CatalogCommitterOptions = {}) {
    this.#table = table;
    this.#onWarning = onWarning;
  }

  /**
   * Version 0 is written as a published commit: the catalog is told of the table afterwards. Every other version is
   * staged and ratified. An `IOError` leaves open whether the commit was made: the same attempt again finds out.
   *
   * Errors: `TooManyUnpublishedCommits`; `Unsupported` for turning a table into a catalog-managed one or back;
   * `CommitterMismatch` for path-based tables; `CatalogError` where the catalog refuses, or has another table of that
   * name by now; `Unauthorized`, `PermissionDenied`; storage's own.
   */
  async commit(
    engine: Engine,
    actions: AsyncIterable<FilteredEngineData>,
    metadata: CommitMetadata,
    options: CallOptions = {},
  ): Promise<CommitResponse> {
    const { commitType } = metadata;
    if (commitType === 'catalogManagedCreate') {
      this.checkTable(metadata);
      return new FileSystemCommitter().commit(engine, actions, metadata, options);
    }
    if (commitType !== 'catalogManagedWrite') throw refused(metadata);
    this.checkTable(metadata);
    const earlier = this.#staged.get(metadata);
    if (earlier !== undefined) return this.#findOut(engine, metadata, earlier, undefined);
    const staged = await stage(engine, actions, metadata, options);
    this.#staged.set(metadata, staged);
    options.signal?.throwIfAborted();
    return this.#ratify(engine, metadata, staged);
  }

  isCatalogCommitter(): boolean {
    return true;
  }

  /** Copies in order, then tells the catalog, which then need not list those commits any more. */
  async publish(engine: Engine, metadata: PublishMetadata, options: CallOptions = {}): Promise<void> {
    if (metadata.commitsToPublish.length === 0) return;
    await publishByCopies(engine, metadata, options);
    try {
      await this.#table.notifyPublished(metadata.publishVersion, options);
    } catch (error) {
      if (!isDeltaError(error)) throw error;
      // Published is published; the next commit or notice tells the catalog.
      this.#onWarning(error);
    }
  }

  /** Throws where a table is none of this catalog's. For catalogs that require something of their tables. */
  protected checkTable(_metadata: CommitMetadata): void {}

  async #ratify(engine: Engine, metadata: CommitMetadata, staged: Staged): Promise<CommitResponse> {
    const outcome = await this.#table.ratify(staged.commit, metadata);
    switch (outcome.kind) {
      case 'ratified':
        return { kind: 'committed', fileMeta: staged.file };
      case 'notDone':
        throw outcome.error;
      case 'tooMany':
        return this.#publishAndRatify(engine, metadata, staged, outcome.error);
      case 'conflict':
        return this.#findOut(engine, metadata, staged, undefined);
      case 'unknown':
        return this.#findOut(engine, metadata, staged, outcome.error);
    }
  }

  /** The catalog is full: publishes what it lists, tells it so, and sends the same staged file once more. */
  async #publishAndRatify(
    engine: Engine,
    metadata: CommitMetadata,
    staged: Staged,
    refusal: unknown,
  ): Promise<CommitResponse> {
    const { tableRoot, version } = metadata;
    const state = await this.#table.load();
    if (state.latestVersion >= version) return this.#compare(engine, metadata, staged, state);
    if (state.commits.length === 0) throw refusal;
    const publishVersion = state.latestVersion;
    await publishByCopies(engine, {
      tableRoot,
      commitsToPublish: commitsToPublish(metadata, state),
      publishVersion,
    });
    await this.#table.notifyPublished(publishVersion);
    const again = await this.#table.ratify(staged.commit, metadata);
    if (again.kind === 'ratified') return { kind: 'committed', fileMeta: staged.file };
    if (again.kind === 'tooMany' || again.kind === 'notDone') throw again.error;
    return this.#findOut(engine, metadata, staged, again.kind === 'unknown' ? again.error : undefined);
  }

  /**
   * Asks the catalog for the version, and sends the same staged file again where nobody has it. An error code alone
   * tells nothing: a resend may be answered as success, as a conflict, or not at all.
   */
  async #findOut(
    engine: Engine,
    metadata: CommitMetadata,
    staged: Staged,
    failure: unknown,
  ): Promise<CommitResponse> {
    const { version } = metadata;
    let reason = failure;
    for (let question = 0; question < MAX_QUESTIONS; question++) {
      let state: CatalogTableState;
      try {
        state = await this.#table.load();
      } catch (error) {
        throw unknownOutcome(metadata, error);
      }
      if (state.latestVersion >= version) return this.#compare(engine, metadata, staged, state);
      if (state.latestVersion < version - 1) throw behind(metadata, state);
      const outcome = await this.#table.ratify(staged.commit, metadata);
      if (outcome.kind === 'ratified') return { kind: 'committed', fileMeta: staged.file };
      if (outcome.kind === 'tooMany') return this.#publishAndRatify(engine, metadata, staged, outcome.error);
      if (outcome.kind === 'notDone') throw outcome.error;
      if (outcome.kind === 'unknown') reason = outcome.error;
    }
    throw unknownOutcome(metadata, reason);
  }

  /** Whether the version that the catalog has is this attempt's: by file name, or by the published file where purged. */
  async #compare(
    engine: Engine,
    metadata: CommitMetadata,
    staged: Staged,
    state: CatalogTableState,
  ): Promise<CommitResponse> {
    const { version } = metadata;
    const listed = state.commits.find((commit) => commit.version === version);
    if (listed !== undefined) {
      if (listed.fileName === staged.commit.fileName) return { kind: 'committed', fileMeta: staged.file };
      return { kind: 'conflict', version };
    }
    const location = metadata.publishedCommitPath();
    try {
      if (!(await isOurs(engine, location, metadata.txnId))) return { kind: 'conflict', version };
      const { size } = staged.file;
      return { kind: 'committed', fileMeta: { location, size, lastModified: metadata.inCommitTimestamp } };
    } catch (error) {
      throw unknownOutcome(metadata, error);
    }
  }
}

/** Writes the staged file, and makes sure of its size before anything is ratified. */
async function stage(
  engine: Engine,
  actions: AsyncIterable<FilteredEngineData>,
  metadata: CommitMetadata,
  { signal }: CallOptions,
): Promise<Staged> {
  const location = metadata.stagedCommitPath();
  const { version, inCommitTimestamp, txnId } = metadata;
  let written: number | undefined;
  try {
    written = await engine.jsonHandler.writeJsonFile(location, actions, { overwrite: false, signal });
  } catch (error) {
    // A file of that fresh name can only be our own, from a PUT that something on the way sent twice.
    if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
    if (!(await isOurs(engine, location, txnId))) throw error;
  }
  const { size, lastModified } = await engine.storageHandler.head(location, { signal });
  if (written !== undefined && size !== written) {
    const message = `${written} bytes of ${shownUrl(location)} were written, but it has ${size}`;
    throw new DeltaError('IOError', message, { table: shownUrl(metadata.tableRoot), version });
  }
  return {
    file: { location, size, lastModified: inCommitTimestamp },
    commit: {
      version,
      fileName: fileNameOf(location),
      timestamp: inCommitTimestamp,
      fileSize: size,
      // A storage that knows no times says 0, which catalogs take for a mistake.
      fileModificationTimestamp: lastModified > 0 ? Math.trunc(lastModified) : inCommitTimestamp,
    },
  };
}

/** Whether the `commitInfo` of a commit file has a transaction's id. */
async function isOurs(engine: Engine, location: URL, txnId: string): Promise<boolean> {
  for await (const bytes of engine.storageHandler.readFiles([{ location }])) {
    const line = new TextDecoder().decode(bytes).split('\n', 1)[0] ?? '';
    const info = parseJsonObject(line)?.commitInfo;
    return isObject(info) && info.txnId === txnId;
  }
  return false;
}

function commitsToPublish(metadata: CommitMetadata, state: CatalogTableState): CatalogCommit[] {
  const { tableRoot } = metadata;
  return state.commits.map(({ version, fileName, timestamp, fileSize }) => {
    const { file } = LogPath.stagedCommit(tableRoot, fileName, timestamp, fileSize);
    const name = `${fileName.slice(0, 20)}.json`;
    const publishedLocation = LogPath.commit(tableRoot, name, timestamp, fileSize).file.location;
    return { version, location: file.location, size: fileSize, publishedLocation };
  });
}

function place({ tableRoot, version }: CommitMetadata): { table: string; version: number } {
  return { table: shownUrl(tableRoot), version };
}

function refused(metadata: CommitMetadata): DeltaError {
  const { commitType } = metadata;
  if (commitType === 'upgradeToCatalogManaged' || commitType === 'downgradeToPathBased') {
    const what = commitType === 'upgradeToCatalogManaged' ? 'making' : 'ending';
    return new DeltaError(
      'Unsupported',
      `${what} the management of an existing table by a catalog is not supported`,
      { ...place(metadata), feature: 'catalogManaged' },
    );
  }
  return new DeltaError(
    'CommitterMismatch',
    "the table is not catalog-managed: commit with the file system committer, not with a catalog's",
    place(metadata),
  );
}

function behind(metadata: CommitMetadata, { latestVersion }: CatalogTableState): DeltaError {
  return new DeltaError(
    'CatalogError',
    `the catalog's newest version is ${latestVersion}, so it cannot take ${metadata.version}: load the table again`,
    place(metadata),
  );
}

/** Committing the same attempt again finds out. */
function unknownOutcome(metadata: CommitMetadata, cause: unknown): DeltaError {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  const message = `it is not known whether version ${metadata.version} was committed${detail}`;
  return new DeltaError('IOError', message, { ...place(metadata), cause });
}
