/** Which files of a commit hold rows that a transaction has read, or would have. Unknown counts as yes. */
import { isDeltaError } from '../../../errors.ts';
import type { Engine } from '../../engine.ts';
import type { EngineData } from '../../engine-data.ts';
import { canonicalPath } from '../../paths.ts';
import type { FileSkipping } from '../../scan/file-skipping.ts';
import { field, type StructType, types } from '../../schema/types.ts';
import type { Winner } from './winner.ts';

/** The path of an added file with new data that matches what was read; undefined where there is none. */
export async function addsMatching(
  engine: Engine,
  winner: Winner,
  wholeTable: boolean,
  predicates: readonly FileSkipping[],
): Promise<string | undefined> {
  if (!wholeTable && predicates.length === 0) return undefined;
  for (const batch of winner.batches) {
    const path = batch.column(['add', 'path'])!;
    const dataChange = batch.column(['add', 'dataChange'])!;
    const adds = batch.select(
      rowsWhere(batch, (row) => !path.isNull(row) && dataChange.getBoolean(row) !== false),
    );
    const found = wholeTable ? firstPath(adds) : await firstMatch(engine, adds, predicates);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface WhatWasRead {
  readonly wholeTable: boolean;
  readonly predicates: readonly FileSkipping[];
  /** In one spelling. */
  readonly files: ReadonlySet<string>;
}

/** The same for removed files, of data change or not: other removes only move rows, but what was read is gone. */
export async function removesMatching(
  engine: Engine,
  winner: Winner,
  { wholeTable, predicates, files }: WhatWasRead,
): Promise<string | undefined> {
  for (const batch of winner.batches) {
    const path = batch.column(['remove', 'path'])!;
    const wasRead = (row: number) => wholeTable || files.has(canonicalPath(path.getString(row)!));
    for (let row = 0; row < batch.length; row++) {
      if (!path.isNull(row) && wasRead(row)) return path.getString(row)!;
    }
    const removes = batch.select(rowsWhere(batch, (row) => !path.isNull(row)));
    const found = await firstMatch(engine, asAdds(engine, removes), predicates);
    if (found !== undefined) return found;
  }
  return undefined;
}

function rowsWhere({ length }: EngineData, test: (row: number) => boolean): Uint8Array {
  return Uint8Array.from({ length }, (_, row) => (test(row) ? 1 : 0));
}

function firstPath(adds: EngineData): string | undefined {
  return adds.length === 0 ? undefined : adds.column(['add', 'path'])!.getString(0)!;
}

const FILE = types.struct([
  field('path', types.string),
  field('partitionValues', types.map(types.string, types.string)),
  field('stats', types.string),
]);
const FILES: StructType = types.struct([field('add', FILE)]);

/** Removed files in the form in which skipping takes added ones. */
function asAdds(engine: Engine, removes: EngineData): EngineData | Promise<EngineData> {
  const remove = { kind: 'column', path: ['remove'] } as const;
  return engine.evaluationHandler
    .newExpressionEvaluator(removes.schema, { kind: 'struct', fields: [remove] }, FILES)
    .evaluate(removes);
}

async function firstMatch(
  engine: Engine,
  batch: EngineData | Promise<EngineData>,
  predicates: readonly FileSkipping[],
): Promise<string | undefined> {
  const files = await batch;
  if (files.length === 0) return undefined;
  const paths = files.column(['add', 'path'])!;
  const values = files.column(['add', 'partitionValues'])!;
  // A remove may say nothing of its partition: it may be any.
  for (let row = 0; row < files.length; row++) {
    if (predicates.length > 0 && values.isNull(row)) return paths.getString(row)!;
  }
  for (const predicate of predicates) {
    const keep = await kept(engine, files, predicate);
    const row = keep.indexOf(1);
    if (row >= 0) return paths.getString(row)!;
  }
  return undefined;
}

async function kept(engine: Engine, files: EngineData, predicate: FileSkipping): Promise<Uint8Array> {
  try {
    return await predicate.forBatches(engine, files.schema).keep(files);
  } catch (error) {
    // A partition value that is none: nothing is known of the file that has it.
    if (isDeltaError(error, 'ParseError')) return new Uint8Array(files.length).fill(1);
    throw error;
  }
}
