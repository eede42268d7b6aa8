import { bindPredicate } from '../../../src/kernel/expressions/bind.ts';
import { compilePredicate, type Row, type Truth } from '../../../src/kernel/expressions/evaluate.ts';
import { parsePredicate } from '../../../src/kernel/expressions/parser.ts';
import { predicateToString } from '../../../src/kernel/expressions/print.ts';
import { field, type StructType, types } from '../../../src/kernel/schema/types.ts';

/** One column of every type that predicates meet. */
export const schema: StructType = types.struct([
  field('b', types.byte),
  field('i', types.integer),
  field('l', types.long),
  field('f', types.float),
  field('d', types.double),
  field('dec', types.decimal(10, 2)),
  field('s', types.string),
  field('bool', types.boolean),
  field('bin', types.binary),
  field('date', types.date),
  field('ts', types.timestamp),
  field('ntz', types.timestampNtz),
  field('v', types.void),
  field('st', types.struct([field('X', types.integer), field('a.b', types.string)])),
  field('arr', types.array(types.integer)),
  field('var', types.variant),
  field('dotted.name', types.integer),
  field('City', types.string),
]);

export const bound = (text: string) => predicateToString(bindPredicate(parsePredicate(text), schema));

/** The truth of a condition for a row of the given values; columns that are not given are NULL. */
export function truth(text: string, values: Record<string, Row[number]> = {}): Truth {
  const row = schema.fields.map((f) => values[f.name] ?? null);
  return compilePredicate(schema, bindPredicate(parsePredicate(text), schema))(row);
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly span?: { readonly start: number; readonly end: number };
  readonly expected?: string;
}

export function failure(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if ((error as Failure).code === undefined) throw error;
    return error as Failure;
  }
  throw new Error('no failure');
}
