/** The rows of one file of a change feed. */
import { loadDeletionVector } from '../deletion-vector/load.ts';
import type { Engine, RowIndexSet } from '../engine.ts';
import type { EngineData, SelectionVector } from '../engine-data.ts';
import type { Expression, Predicate, Scalar } from '../expressions/types.ts';
import { resolvePath } from '../paths.ts';
import { undeleted } from '../scan/read-file.ts';
import { type ScanSchema, scanSchema, withRowIndex } from '../scan/scan-schema.ts';
import { transformOf } from '../scan/transform.ts';
import { field, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import type { ChangeFile } from './change-files.ts';
import { dataPredicate } from './change-skipping.ts';
import { type ChangesProjection, relaxedChanges } from './changes-schema.ts';
import { type FileAction, requirePartitionValues } from './commit-actions.ts';

/** A file of the feed in its commit. */
export interface CommitChange {
  readonly change: ChangeFile;
  /** The table as of the commit: its own partition columns and physical names. */
  readonly reading: CommitReading;
}

/** What all files of a commit have in common. */
export interface CommitReading {
  readonly state: SnapshotState;
  /** Microseconds since the Unix epoch. */
  readonly timestamp: bigint;
  readonly scanSchema: ScanSchema;
  readonly predicate: Predicate | undefined;
}

/** `predicate` is bound to the feed's columns. Throws what a scan of that version would: `Schema`, `Unsupported`. */
export function commitReading(
  state: SnapshotState,
  timestamp: bigint,
  { dataSchema }: ChangesProjection,
  predicate: Predicate | undefined,
): CommitReading {
  const hint = predicate && dataPredicate(state, predicate);
  return { state, timestamp, scanSchema: scanSchema(state, { schema: dataSchema }), predicate: hint };
}

/** Logical batches, without empty ones. */
export async function* readChange(
  engine: Engine,
  { change, reading }: CommitChange,
  { logicalSchema }: ChangesProjection,
  signal: AbortSignal | undefined,
): AsyncGenerator<EngineData, void, undefined> {
  const { tableRoot } = reading.state;
  const readSchema = physicalSchema(reading.scanSchema, change);
  const transform = engine.evaluationHandler.newExpressionEvaluator(
    readSchema,
    changeTransform(change, reading, logicalSchema),
    relaxedChanges(logicalSchema),
  );
  const meta = await fileMeta(engine, tableRoot, change.file, signal);
  const rows = await selectedRows(engine, tableRoot, change, signal);
  try {
    const { predicate } = reading;
    for await (const batch of engine.parquetHandler.readParquetFiles([meta], readSchema, {
      signal,
      predicate,
    })) {
      signal?.throwIfAborted();
      const selected =
        rows === undefined ? batch : batch.select(rows.select(batch, reading.scanSchema.rowIndexName));
      if (selected.length > 0) yield await transform.evaluate(selected);
    }
  } finally {
    rows?.free();
  }
}

function physicalSchema(schema: ScanSchema, { changeType }: ChangeFile): StructType {
  const indexed = withRowIndex(schema);
  return changeType === 'cdc'
    ? types.struct([...indexed.fields, field('_change_type', types.string)])
    : indexed;
}

/** One expression per column of the feed: the table's as a scan of that version gives them, and the feed's own. */
function changeTransform(change: ChangeFile, reading: CommitReading, logicalSchema: StructType): Expression {
  const { scanSchema: schema, state, timestamp } = reading;
  const { partitionColumns } = state.metadata;
  const partitionValues = requirePartitionValues(
    change.file,
    state.tableRoot,
    state.version,
    partitionColumns,
  );
  const transform = transformOf(schema, { path: change.file.path, partitionValues });
  const columns = new Map(
    schema.logicalSchema.fields.map(({ name }, index): [string, Expression] => [
      name,
      transform?.kind === 'struct' ? transform.fields[index]! : { kind: 'column', path: [name] },
    ]),
  );
  const { changeType } = change;
  columns.set(
    '_change_type',
    changeType === 'cdc'
      ? { kind: 'column', path: ['_change_type'] }
      : literal({ type: types.string, value: changeType }),
  );
  columns.set('_commit_version', literal({ type: types.long, value: BigInt(state.version) }));
  columns.set('_commit_timestamp', literal({ type: types.timestamp, value: timestamp }));
  return { kind: 'struct', fields: logicalSchema.fields.map(({ name }) => columns.get(name)!) };
}

function literal(value: Scalar): Expression {
  return { kind: 'literal', literal: value };
}

async function fileMeta(engine: Engine, tableRoot: URL, file: FileAction, signal: AbortSignal | undefined) {
  const location = resolvePath(tableRoot, file.path);
  if (file.size !== undefined) return { location, size: file.size, lastModified: 0 };
  return engine.storageHandler.head(location, { signal });
}

/** Which rows of a file count, by their positions in it. */
interface SelectedRows {
  select(batch: EngineData, rowIndexName: string): SelectionVector;
  free(): void;
}

async function selectedRows(
  engine: Engine,
  tableRoot: URL,
  { file, rows }: ChangeFile,
  signal: AbortSignal | undefined,
): Promise<SelectedRows | undefined> {
  if (rows === 'all') return undefined;
  const load = ({ deletionVector }: FileAction) =>
    deletionVector && loadDeletionVector(engine, tableRoot, deletionVector, signal);
  if (rows === 'undeleted') {
    const deleted = await load(file);
    return (
      deleted && { select: (batch, name) => undeleted(batch, deleted, name), free: () => deleted.free() }
    );
  }
  const [deletedBy, butNotBy] = [await load(rows.deletedBy), await load(rows.butNotBy)];
  const changed = difference(engine, deletedBy!, butNotBy);
  return {
    select: (batch, name) => undeleted(batch, changed, name).map((kept) => (kept === 0 ? 1 : 0)),
    free: () => changed.free(),
  };
}

/** Consumes both. */
function difference(engine: Engine, a: RowIndexSet, b: RowIndexSet | undefined): RowIndexSet {
  if (b === undefined) return a;
  try {
    return engine.evaluationHandler.rowIndexSets.difference(a, b);
  } finally {
    a.free();
    b.free();
  }
}
