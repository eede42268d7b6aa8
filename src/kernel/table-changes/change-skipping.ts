/**
 * Files of a commit that hold no change that a predicate wants: by partition values, by what the feed says of each row,
 * and by the statistics of the log.
 */
import { physicalReadSchema } from '../column-mapping/physical-schema.ts';
import { physicalPath } from '../column-mapping/resolve.ts';
import type { Engine } from '../engine.ts';
import { compilePredicate, type Row } from '../expressions/evaluate.ts';
import { skippingPredicate } from '../expressions/skipping.ts';
import { partitionValuesSchema, statsSchema } from '../expressions/stats-schema.ts';
import type { Expression, Predicate, ScalarValue } from '../expressions/types.ts';
import { mapColumns, referencedColumns } from '../expressions/visit.ts';
import { parsePartitionValue } from '../partition-values/parse.ts';
import { typeAt } from '../scan/file-skipping.ts';
import { partitionKey, partitionKeys } from '../scan/scan-schema.ts';
import { findField } from '../schema/schema.ts';
import { field, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import type { ChangeFile } from './change-files.ts';
import { CHANGE_COLUMNS, isChangeColumn } from './changes-schema.ts';
import type { FileAction } from './commit-actions.ts';

/** The commit whose files are looked at. */
export interface SkippedCommit {
  /** The table as of the commit. */
  readonly state: SnapshotState;
  /** Microseconds since the Unix epoch. */
  readonly timestamp: bigint;
}

/**
 * The files among `changes` (of one commit) that may hold rows for which `predicate`, bound to the feed's columns, is
 * true. `ParseError` for partition values that are none.
 */
export async function keptChanges(
  engine: Engine,
  commit: SkippedCommit,
  changes: readonly ChangeFile[],
  predicate: Predicate,
): Promise<readonly ChangeFile[]> {
  const { state } = commit;
  const { skipping, stats, partitionValues } = commitSkipping(state, predicate, changes);
  const schema = types.struct([...stats.fields, field('partitionValues', partitionValues)]);
  const test = compilePredicate(
    schema,
    mapColumns(skipping, (path) => (typeAt(schema, path) === undefined ? NULL : path)),
  );
  const readsStats = referencedColumns(skipping).some(([part]) => part !== 'partitionValues');
  const statistics = readsStats ? await parsedStats(engine, changes, stats) : undefined;
  const none: Row = stats.fields.map(() => null);
  return changes.filter((change, at) => {
    const values = partitionRow(commit, change, partitionValues);
    return values === undefined || test([...(statistics?.[at] ?? none), values]) !== false;
  });
}

function commitSkipping(state: SnapshotState, predicate: Predicate, changes: readonly ChangeFile[]) {
  const mode = state.tableProperties.columnMappingMode;
  const physicalSchema = types.struct([...physicalReadSchema(state.schema, mode).fields, ...CHANGE_COLUMNS]);
  const physical = mapColumns(predicate, (path) => {
    return isFeedColumn(path) ? path : physicalPath(state.schema, path, mode);
  });
  // The rows of change files tell their kind by themselves.
  const told = changes.some(({ changeType }) => changeType === 'cdc') ? '_change_type' : undefined;
  const exact = [
    ...partitionKeys(state).keys(),
    ...CHANGE_COLUMNS.map(({ name }) => name).filter((name) => name !== told),
  ];
  const skipping = skippingPredicate(physical, {
    source: 'deltaStats',
    schema: physicalSchema,
    partitionColumns: exact,
  });
  const columns = referencedColumns(physical).filter(([name]) => !exact.includes(name!));
  const read = referencedColumns(skipping).flatMap(([part, name]) =>
    part === 'partitionValues' ? [name!] : [],
  );
  return {
    skipping,
    stats: statsSchema(columns, physicalSchema),
    partitionValues: partitionValuesSchema(read, physicalSchema),
  };
}

/** The values of the columns that are the same in all rows of a file; undefined where the log does not have them. */
function partitionRow(
  { state, timestamp }: SkippedCommit,
  { changeType, file }: ChangeFile,
  { fields }: StructType,
): ScalarValue[] | undefined {
  const feed: Readonly<Record<string, ScalarValue>> = {
    _change_type: changeType,
    _commit_version: BigInt(state.version),
    _commit_timestamp: timestamp,
  };
  const isKnown = file.partitionValues !== undefined || fields.every(({ name }) => isChangeColumn(name));
  if (!isKnown) return undefined;
  return fields.map(({ name, type }) => {
    if (isChangeColumn(name)) return feed[name]!;
    const text = file.partitionValues?.[partitionKey(state, name)];
    const column = findField(state.schema, [name])?.field.name ?? name;
    return parsePartitionValue(text, type, { path: file.path, column }).value;
  });
}

/** By file: the statistics that bound its changed rows; nulls where there are none. */
async function parsedStats(
  engine: Engine,
  changes: readonly ChangeFile[],
  schema: StructType,
): Promise<Row[]> {
  const texts = changes.map((change) => {
    return [{ type: types.string, value: describing(change)?.stats ?? null }];
  });
  const strings = engine.evaluationHandler.createMany(types.struct([field('stats', types.string)]), texts);
  const parsed = await engine.jsonHandler.parseJson(strings, schema);
  const columns = schema.fields.map(({ name }) => parsed.column([name])!);
  return changes.map((_, row) => columns.map((column) => column.getValue(row)));
}

/**
 * The action whose live rows the changes are among. Where a deletion vector is replaced that is the one that does not
 * delete them: the statistics of the other may have been tightened to what it leaves.
 */
function describing({ changeType, file, rows }: ChangeFile): FileAction | undefined {
  if (changeType === 'cdc') return undefined;
  return typeof rows === 'string' ? file : rows.butNotBy;
}

/** On physical names, but for the feed's own columns. */
function physicalPredicate({ schema, tableProperties }: SnapshotState, predicate: Predicate): Predicate {
  return mapColumns(predicate, (path) => {
    return isFeedColumn(path) ? path : physicalPath(schema, path, tableProperties.columnMappingMode);
  });
}

/** What data files can say of a predicate that is bound to the feed's columns: of partitions and changes nothing. */
export function dataPredicate(state: SnapshotState, predicate: Predicate): Predicate {
  const partitions = partitionKeys(state);
  return mapColumns(physicalPredicate(state, predicate), (path) => {
    const [name] = path;
    return partitions.has(name!) || isFeedColumn(path) ? { kind: 'unknown', name: name! } : path;
  });
}

function isFeedColumn(path: readonly string[]): boolean {
  return path.length === 1 && isChangeColumn(path[0]!);
}

const NULL: Expression = { kind: 'literal', literal: { type: types.void, value: null } };
