/**
 * The actions of a version, newest first: commits in descending order, then the checkpoint, then its sidecars
 * (`PROTOCOL.md`, "Action Reconciliation"). Reads start ahead of the consumer, commits and checkpoint side by side.
 */
import { actionsSchema } from '../actions/schemas.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import type { Predicate } from '../expressions/types.ts';
import { METADATA_KEYS, type StructType, types } from '../schema/types.ts';
import { CommitCheck } from './commit-check.ts';
import { coverWithCompactions } from './compaction.ts';
import { inFile } from './place.ts';
import { prefetchInOrder, type Source } from './prefetch.ts';
import { SidecarCollector, sidecarFiles } from './sidecars.ts';
import type { ActionBatch, LogFile, LogSegment } from './types.ts';

/** Log files requested ahead, the current one among them: commits are small, checkpoint files may be large. */
const COMMIT_LIMITS = { sources: 16, bytes: 16 * 1024 * 1024 };
const CHECKPOINT_LIMITS = { sources: 3 };

export interface ReadActionsOptions extends CallOptions {
  /**
   * Which `add` rows of checkpoint files are wanted, on the columns of `schema`: a hint for skipping row groups.
   * Used only where nothing but `add` is asked for, since skipping must never hide another action.
   */
  predicate?: Predicate | undefined;
  /**
   * Which columns of a Parquet file of a checkpoint are wanted instead of `schema`, and the predicate instead of
   * `predicate`: for those who look at its footer first. Called once per file; JSON manifests keep `schema`.
   */
  checkpointFile?: ((file: FileMeta) => Promise<CheckpointFileColumns>) | undefined;
  /** False: sidecars, which hold nothing but file actions, are not read. Default: true where `schema` asks for any. */
  withFileActions?: boolean | undefined;
  /** False where the protocol has no `v2Checkpoint`: a checkpoint has no sidecars then. Default true. */
  v2Checkpoint?: boolean | undefined;
  /** Only commits above this version, and no checkpoint. */
  afterVersion?: number | undefined;
  commitsOnly?: boolean | undefined;
  checkpointOnly?: boolean | undefined;
}

export interface CheckpointFileColumns {
  /** Its columns may include generated ones (`delta.metadataColumn`). */
  readonly schema: StructType;
  readonly predicate?: Predicate | undefined;
  /** Rows before this one are not wanted: a hint, see `ParquetHandler.readParquetFiles`. */
  readonly firstRow?: number | undefined;
  /** Nor those from this one on. */
  readonly endRow?: number | undefined;
}

/**
 * @param schema one column per action wanted (see `actions/schemas.ts`), with the fields wanted. The batches have
 *   these columns, and `sidecar` besides where a checkpoint was searched for sidecars.
 *
 * A row of a commit that has an action without its key, and a commit that holds what one commit must not
 * ({@link CommitCheck}), are `InvalidLog`. A checkpoint row whose `path` is null holds no file action.
 * Errors name the table, the version and the file.
 */
export async function* readActions(
  engine: Engine,
  segment: LogSegment,
  schema: StructType,
  options: ReadActionsOptions = {},
): AsyncGenerator<ActionBatch, void, undefined> {
  const read: Read = { engine, segment, schema, options };
  const parts: Source<ActionBatch>[] = [];
  if (!options.checkpointOnly) parts.push({ open: () => readCommits(read) });
  if (!options.commitsOnly && options.afterVersion === undefined && segment.checkpoint.length > 0) {
    parts.push({ open: () => readCheckpoint(read) });
  }
  yield* prefetchInOrder(parts, { sources: parts.length });
}

interface Read {
  readonly engine: Engine;
  readonly segment: LogSegment;
  readonly schema: StructType;
  readonly options: ReadActionsOptions;
}

function readCommits(read: Read): AsyncGenerator<ActionBatch, void, undefined> {
  const { segment, options } = read;
  const after = options.afterVersion ?? -1;
  const commits = segment.commits.filter((commit) => commit.version > after);
  const usable = hasField(read.schema, 'commitInfo', 'cdc')
    ? []
    : segment.compactions.filter((compaction) => compaction.version > after);
  const files = coverWithCompactions(commits, usable);
  return prefetchInOrder(
    files.reverse().map((file) => ({ open: () => readCommit(read, file), bytes: file.file.size })),
    COMMIT_LIMITS,
  );
}

/** The batches of one commit, or of one compacted file, whose version is then the end of its range. */
async function* readCommit(
  read: Read,
  { kind, version, endVersion, file }: LogFile,
): AsyncGenerator<ActionBatch> {
  const { engine, schema, options } = read;
  const check = kind === 'compactedCommit' ? undefined : new CommitCheck();
  try {
    for await (const data of engine.jsonHandler.readJsonFiles([file], schema, { signal: options.signal })) {
      check?.check(data);
      yield { data, source: 'commit', version: endVersion ?? version, file };
    }
  } catch (error) {
    throw inFile(error, read.segment, file, version);
  }
}

async function* readCheckpoint(read: Read): AsyncGenerator<ActionBatch, void, undefined> {
  const { segment, schema, options } = read;
  const fileActions = options.withFileActions ?? hasField(schema, 'add', 'remove');
  const canHaveSidecars =
    fileActions && options.v2Checkpoint !== false && segment.checkpoint[0]!.kind !== 'multipartCheckpoint';
  if (!canHaveSidecars) {
    yield* readCheckpointFiles(read, segment.checkpoint, false);
    return;
  }
  const collector = new SidecarCollector();
  for await (const batch of readCheckpointFiles(read, segment.checkpoint, true)) {
    collectSidecars(read, collector, batch);
    yield batch;
  }
  yield* readCheckpointFiles(read, sidecarFiles(segment, collector.found), false);
}

function collectSidecars({ segment }: Read, collector: SidecarCollector, batch: ActionBatch): void {
  try {
    collector.collect(batch.data);
  } catch (error) {
    throw inFile(error, segment, batch.file, batch.version);
  }
}

function readCheckpointFiles(
  read: Read,
  files: readonly { readonly file: FileMeta }[],
  searchSidecars: boolean,
): AsyncGenerator<ActionBatch, void, undefined> {
  const sources = files.map(({ file }) => ({
    open: () => readCheckpointFile(read, file, searchSidecars),
  }));
  return prefetchInOrder(sources, CHECKPOINT_LIMITS);
}

async function* readCheckpointFile(
  read: Read,
  file: FileMeta,
  searchSidecars: boolean,
): AsyncGenerator<ActionBatch> {
  const version = read.segment.checkpointVersion!;
  try {
    const columns = await columnsOf(read, file);
    const schema = searchSidecars ? withSidecar(columns.schema) : columns.schema;
    for await (const data of openCheckpointFile(read, file, { ...columns, schema })) {
      yield { data, source: 'checkpoint', version, file };
    }
  } catch (error) {
    throw inFile(error, read.segment, file, version);
  }
}

async function columnsOf({ schema, options }: Read, file: FileMeta): Promise<CheckpointFileColumns> {
  if (options.checkpointFile === undefined || isJson(file)) return { schema, predicate: options.predicate };
  return options.checkpointFile(file);
}

function isJson(file: FileMeta): boolean {
  return file.location.pathname.endsWith('.json');
}

function openCheckpointFile(
  { engine, options: { signal } }: Read,
  file: FileMeta,
  { schema, predicate, firstRow, endRow }: CheckpointFileColumns,
): AsyncIterable<EngineData> {
  if (isJson(file)) return engine.jsonHandler.readJsonFiles([file], schema, { signal });
  return engine.parquetHandler.readParquetFiles([file], schema, {
    signal,
    predicate: asksOnlyForAdds(schema) ? predicate : undefined,
    firstRow,
    endRow,
  });
}

function hasField(schema: StructType, ...names: readonly string[]): boolean {
  return schema.fields.some(({ name }) => names.includes(name));
}

function asksOnlyForAdds(schema: StructType): boolean {
  return schema.fields.every(({ name, metadata }) => {
    return name === 'add' || metadata[METADATA_KEYS.metadataColumn] !== undefined;
  });
}

function withSidecar(schema: StructType): StructType {
  if (hasField(schema, 'sidecar')) return schema;
  return types.struct([...schema.fields, ...actionsSchema('sidecar').fields]);
}
