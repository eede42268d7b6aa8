/**
 * Writing checkpoints (`PROTOCOL.md`, "Checkpoints"): the state of a version in one file, so that readers need not
 * replay the commits before it. The file always has the classic name; what is in it is a V2 checkpoint where the table
 * has the feature `v2Checkpoint`, with its file actions in sidecars where they are many.
 */
import { DeltaError, isDeltaError, shownUrl, withContext } from '../../errors.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { classicCheckpointFileName } from '../log/log-path.ts';
import type { LogFile, LogSegment } from '../log/types.ts';
import { joinPath } from '../paths.ts';
import type { SnapshotFactory, SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import { AppState } from './app-state.ts';
import { Chunks, type FileActions } from './chunks.ts';
import { FILE_ACTIONS_READ, FileActionProjections, fileActionsSchema, statsLayout } from './columns.ts';
import { type CheckpointSize, writeLastCheckpointHint } from './hint.ts';
import { ManifestRows, type Sidecar } from './manifest.ts';
import type { WriteOutcome } from './outcome.ts';
import { replayFileActions } from './replay.ts';
import { checkRowlessWriteSupport } from './support.ts';

export interface CheckpointOptions extends CallOptions {
  /** File actions of a V2 checkpoint that go into one sidecar; up to as many stay in the checkpoint itself. */
  readonly sidecarRows?: number | undefined;
}

/** What the protocol's writers do: large enough to compress well, small enough to read side by side. */
const SIDECAR_ROWS = 50_000;

/**
 * Writes the checkpoint of a snapshot's version, then `_last_checkpoint`.
 *
 * Errors: `Unsupported` with the `feature`, `InvalidProtocol`; `CheckpointWrite` for a version that its catalog has
 * not published yet, since readers of the log alone would find a gap before it; those of reading the log; storage's
 * own. A failure leaves at most files that nobody reads.
 */
export async function writeCheckpoint<S extends SnapshotState>(
  engine: Engine,
  snapshot: S,
  makeSnapshot: SnapshotFactory<S>,
  options: CheckpointOptions = {},
): Promise<WriteOutcome<S>> {
  const { signal } = options;
  const { logSegment, version, tableRoot } = snapshot;
  checkRowlessWriteSupport(snapshot);
  if (logSegment.checkpointVersion === version) return { result: 'alreadyExists', snapshot };
  checkPublished(snapshot);
  const location = joinPath(logSegment.logRoot, classicCheckpointFileName(version));
  try {
    const existing = await headIfExists(engine, location, { signal });
    const written = existing ?? (await write(engine, snapshot, location, options));
    const result = existing === undefined ? 'written' : 'alreadyExists';
    return { result, snapshot: makeSnapshot({ ...snapshot, logSegment: atCheckpoint(logSegment, written) }) };
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot), version });
  }
}

function checkPublished({ logSegment, version, tableRoot }: SnapshotState): void {
  if ((logSegment.maxPublishedVersion ?? -1) >= version) return;
  throw new DeltaError(
    'CheckpointWrite',
    `version ${version} is not published yet, so it cannot have a checkpoint: publish it first`,
    { table: shownUrl(tableRoot), version },
  );
}

/** An empty file, which a writer that died may have left, is no checkpoint. */
async function headIfExists(
  engine: Engine,
  location: URL,
  options: CallOptions,
): Promise<FileMeta | undefined> {
  try {
    const found = await engine.storageHandler.head(location, options);
    return found.size > 0 ? found : undefined;
  } catch (error) {
    if (isDeltaError(error, 'FileNotFound')) return undefined;
    throw error;
  }
}

/** The segment as a load finds it once the version has the checkpoint. */
function atCheckpoint(segment: LogSegment, file: FileMeta): LogSegment {
  const { checksum, ...rest } = segment;
  const { version } = segment;
  const checkpoint: LogFile = { kind: 'classicCheckpoint', version, file };
  return {
    ...rest,
    commits: [],
    compactions: [],
    checkpoint: [checkpoint],
    checkpointVersion: version,
    ...(checksum?.version === version && { checksum }),
  };
}

async function write(
  engine: Engine,
  snapshot: SnapshotState,
  location: URL,
  { signal, sidecarRows = SIDECAR_ROWS }: CheckpointOptions,
): Promise<FileMeta> {
  const layout = await statsLayout(engine, snapshot, { signal });
  const isV2 = isFeatureSupported(snapshot.protocol, 'v2Checkpoint');
  const rows = new ManifestRows(engine, snapshot, fileActionsSchema(layout), isV2);
  const projections = new FileActionProjections(engine, layout);
  const content = new Content(engine, snapshot, { signal });
  const chunks = new Chunks(content.fileActions());
  try {
    const sidecars = new Sidecars(engine, snapshot, chunks, projections, { sidecarRows, signal });
    const inline = isV2 ? await sidecars.writeAllIfMany() : chunks.take(Number.POSITIVE_INFINITY);
    const fileRows = projections.projectAll(inline);
    const counted = new Counted(rows.all(fileRows, content.appState, sidecars.written));
    const file = await engine.parquetHandler.writeParquetFile(location, counted, { signal });
    const checkpoint: CheckpointSize = {
      version: snapshot.version,
      size: counted.rows + sidecars.rows,
      sizeInBytes: sidecars.written.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, file.size),
      numOfAddFiles: content.adds,
    };
    await writeLastCheckpointHint(engine, snapshot.logSegment.logRoot, checkpoint, { signal });
    return file;
  } finally {
    await chunks.close();
  }
}

/** The file actions of a checkpoint, and what is found on the way. */
class Content {
  readonly appState = new AppState();
  adds = 0;
  readonly #engine: Engine;
  readonly #snapshot: SnapshotState;
  readonly #options: CallOptions;

  constructor(engine: Engine, snapshot: SnapshotState, options: CallOptions) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#options = options;
  }

  async *fileActions(): AsyncGenerator<FileActions, void, undefined> {
    const { runtime, tableProperties } = this.#snapshot;
    const actions = replayFileActions(this.#engine, this.#snapshot, this.appState, {
      ...this.#options,
      fileActions: FILE_ACTIONS_READ,
      stats: true,
      removesAfter: runtime.now() - tableProperties.deletedFileRetentionDuration,
    });
    for await (const { action, data, selection } of actions) {
      const selected = data.select(selection);
      if (action === 'add') this.adds += selected.length;
      yield { action, data: selected };
    }
  }
}

interface SidecarOptions extends CallOptions {
  readonly sidecarRows: number;
}

/** The sidecars of a V2 checkpoint (`PROTOCOL.md`, "Sidecar Files"). */
class Sidecars {
  readonly written: Sidecar[] = [];
  rows = 0;
  readonly #engine: Engine;
  readonly #snapshot: SnapshotState;
  readonly #chunks: Chunks;
  readonly #projections: FileActionProjections;
  readonly #options: SidecarOptions;

  constructor(
    engine: Engine,
    snapshot: SnapshotState,
    chunks: Chunks,
    projections: FileActionProjections,
    options: SidecarOptions,
  ) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#chunks = chunks;
    this.#projections = projections;
    this.#options = options;
  }

  /**
   * Until it is known whether they are many, file actions wait as the log has them: parsed statistics take far more.
   * @returns those that belong into the checkpoint itself: all, or none.
   */
  async writeAllIfMany(): Promise<FileActions[]> {
    const { sidecarRows } = this.#options;
    const first: FileActions[] = [];
    for await (const batch of this.#chunks.take(sidecarRows)) first.push(batch);
    if (await this.#chunks.isEmpty()) return first;
    await this.#write(first);
    while (!(await this.#chunks.isEmpty())) await this.#write(this.#chunks.take(sidecarRows));
    return [];
  }

  async #write(actions: AsyncIterable<FileActions> | Iterable<FileActions>): Promise<void> {
    const { logSegment, runtime } = this.#snapshot;
    const path = `${runtime.uuid()}.parquet`;
    const counted = new Counted(this.#projections.projectAll(actions));
    const location = joinPath(logSegment.logRoot, '_sidecars/', path);
    const { signal } = this.#options;
    const file = await this.#engine.parquetHandler.writeParquetFile(location, counted, { signal });
    this.written.push({ path, sizeInBytes: file.size, modificationTime: file.lastModified });
    this.rows += counted.rows;
  }
}

/** Batches, and how many rows they had. */
class Counted implements AsyncIterable<EngineData> {
  rows = 0;
  readonly #source: AsyncIterable<EngineData>;

  constructor(source: AsyncIterable<EngineData>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EngineData, void, undefined> {
    for await (const batch of this.#source) {
      this.rows += batch.length;
      yield batch;
    }
  }
}
