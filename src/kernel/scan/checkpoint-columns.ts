/** Which columns of a checkpoint's Parquet file a scan reads, by what its footer says is there. */

import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import { checkpointPredicate } from '../expressions/checkpoint-predicate.ts';
import type { CheckpointFileColumns } from '../log/read-actions.ts';
import { typeName } from '../schema/schema-json.ts';
import { type DataType, field, type StructField, type StructType, types } from '../schema/types.ts';
import { isWidening } from '../type-widening.ts';
import { type FileSkipping, typeAt } from './file-skipping.ts';

export interface AddColumns {
  /** The fields of `add` that are always read, in a struct `add`. */
  readonly base: StructType;
  /** Whether statistics must come out as JSON text. */
  readonly statsText: boolean;
  /** False where checkpoints of the table may have the column of that text without values. */
  readonly textIsWritten: boolean;
  readonly skipping: FileSkipping | undefined;
}

/**
 * The columns for one file: parsed statistics where the file has them in types that fit, else their JSON text, and
 * neither where nobody needs any. With the predicate, as a hint, on what the file has of parsed columns.
 */
export async function checkpointColumns(
  engine: Engine,
  file: FileMeta,
  columns: AddColumns,
  options: CallOptions,
): Promise<CheckpointFileColumns> {
  const { base, statsText, skipping } = columns;
  const needsStats = skipping !== undefined && skipping.stats.fields.length > 0;
  const needsHint = skipping !== undefined && skipping.partitionValues.fields.length > 0;
  if (!statsText && !needsStats && !needsHint) return { schema: base };
  const { schema: stored } = await engine.parquetHandler.readParquetFooter(file, options);
  const parsed = typeAt(stored, ['add', 'stats_parsed']);
  const hasColumn = typeAt(stored, ['add', 'stats']) !== undefined;
  const hasText = hasColumn && columns.textIsWritten;
  const fields: StructField[] = [];
  const fitting = needsStats && parsed?.kind === 'struct' ? fitTo(skipping.stats, parsed) : undefined;
  const useParsed = fitting !== undefined && (fitting.complete || !hasText);
  if (statsText && !hasText && parsed?.kind === 'struct') {
    fields.push(field('stats_parsed', readable(parsed, skipping?.stats)));
    if (hasColumn) fields.push(field('stats', types.string));
  } else {
    if (useParsed) fields.push(field('stats_parsed', fitting.type));
    if (statsText || (needsStats && !useParsed)) fields.push(field('stats', types.string));
  }
  if (skipping === undefined) return { schema: withAddFields(base, fields) };
  const partitions = needsHint ? typeAt(stored, ['add', 'partitionValues_parsed']) : undefined;
  if (partitions?.kind === 'struct') {
    const { type } = fitTo(skipping.partitionValues, partitions);
    if (type.fields.length > 0) fields.push(field('partitionValues_parsed', type));
  }
  return { schema: withAddFields(base, fields), predicate: checkpointPredicate(skipping.skipping) };
}

/** The columns of commits and JSON manifests: statistics are text there. */
export function textColumns({ base, statsText, skipping }: AddColumns): StructType {
  const needsStats = skipping !== undefined && skipping.stats.fields.length > 0;
  return statsText || needsStats ? withAddFields(base, [field('stats', types.string)]) : base;
}

function withAddFields(base: StructType, more: readonly StructField[]): StructType {
  return types.struct(
    base.fields.map((each) => {
      if (each.name !== 'add' || each.type.kind !== 'struct') return each;
      return { ...each, type: types.struct([...each.type.fields, ...more]) };
    }),
  );
}

/**
 * What a file has of the wanted fields in types that read as the wanted ones. `complete` is false where one is there
 * in another type: its values are not to be had from here.
 */
function fitTo(wanted: StructType, stored: StructType): { type: StructType; complete: boolean } {
  let complete = true;
  const fields = wanted.fields.flatMap((each) => {
    const found = stored.fields.find(({ name }) => name === each.name)?.type;
    if (found === undefined) return [];
    if (each.type.kind === 'struct' && found.kind === 'struct') {
      const inner = fitTo(each.type, found);
      complete &&= inner.complete;
      return inner.type.fields.length === 0 ? [] : [field(each.name, inner.type)];
    }
    if (isLeaf(found) && isLeaf(each.type) && isWidening(typeName(found), typeName(each.type))) return [each];
    complete = false;
    return [];
  });
  return { type: types.struct(fields), complete };
}

function isLeaf(type: DataType): boolean {
  return type.kind === 'primitive' || type.kind === 'decimal';
}

/**
 * Whole statistics as they stand, without what cannot be read or printed; the fields of `wanted` in its types, so
 * that a predicate can be evaluated on them.
 */
function readable(stored: StructType, wanted: DataType | undefined): StructType {
  return types.struct(
    stored.fields.flatMap((each) => {
      const target = wanted?.kind === 'struct' ? typeAt(wanted, [each.name]) : undefined;
      if (each.type.kind === 'struct') {
        const type = readable(each.type, target);
        return type.fields.length === 0 ? [] : [field(each.name, type)];
      }
      if (!isLeaf(each.type)) return [];
      const type = target ?? each.type;
      return isLeaf(type) && isWidening(typeName(each.type), typeName(type)) ? [field(each.name, type)] : [];
    }),
  );
}
