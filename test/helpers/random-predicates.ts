/**
 * Random predicates as text, each with its truth by a second definition of SQL's logic: what a test compares a reader
 * with shares neither parser nor binding nor evaluation with it, only the order of two values of one type.
 */
import { compareValues } from '../../src/kernel/expressions/compare.ts';
import { scalarToString } from '../../src/kernel/expressions/print.ts';
import type { ScalarValue } from '../../src/kernel/expressions/types.ts';
import { columnPathToString } from '../../src/kernel/schema/column-path.ts';
import type { DataType, StructType } from '../../src/kernel/schema/types.ts';

export type Row = readonly ScalarValue[];
export type Truth = boolean | null;

export interface RandomPredicate {
  readonly text: string;
  readonly truth: (row: Row) => Truth;
}

/** A column, maybe within structs, with values that it has. */
export interface Leaf {
  readonly path: readonly string[];
  readonly type: DataType;
  readonly values: readonly ScalarValue[];
  readonly read: (row: Row) => ScalarValue;
}

/** Columns at every depth of structs, those of types without an order among them. */
export function leavesOf(schema: StructType, rows: readonly Row[]): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (type: StructType, parents: readonly string[], read: (row: Row) => ScalarValue) => {
    for (const [index, child] of type.fields.entries()) {
      const readChild = (row: Row) => (read(row) as Row | null)?.[index] ?? null;
      const path = [...parents, child.name];
      leaves.push({ path, type: child.type, values: rows.map(readChild), read: readChild });
      if (child.type.kind === 'struct') visit(child.type, path, readChild);
    }
  };
  visit(schema, [], (row) => row);
  return leaves;
}

/** Whole numbers from 0 to `below`, the same ones for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

export function randomPredicate(random: Random, leaves: readonly Leaf[], depth = 3): RandomPredicate {
  const kind = depth === 0 ? 9 : random.below(10);
  if (kind > 4) return randomTest(random, leaves);
  if (kind === 4) {
    const input = randomPredicate(random, leaves, depth - 1);
    return { text: `NOT (${input.text})`, truth: (row) => negate(input.truth(row)) };
  }
  const inputs = Array.from({ length: 2 + random.below(2) }, () =>
    randomPredicate(random, leaves, depth - 1),
  );
  const isOr = kind < 2;
  return {
    text: inputs.map(({ text }) => `(${text})`).join(isOr ? ' OR ' : ' AND '),
    truth: (row) => {
      const truths = inputs.map((input) => input.truth(row));
      if (truths.includes(isOr)) return isOr;
      return truths.includes(null) ? null : !isOr;
    },
  };
}

function negate(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

const OPERATORS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
};

function compare(op: string, a: ScalarValue, b: ScalarValue): Truth {
  return a === null || b === null ? null : OPERATORS[op]!(compareValues(a, b));
}

function isSame(a: ScalarValue, b: ScalarValue): boolean {
  return a === null || b === null ? a === b : compareValues(a, b) === 0;
}

function randomTest(random: Random, leaves: readonly Leaf[]): RandomPredicate {
  const leaf = random.of(leaves);
  const name = columnPathToString(leaf.path);
  const forms = isOrdered(leaf.type) ? random.below(9) : 0;
  switch (forms) {
    case 0:
      return isNull(random, name, leaf);
    case 1:
      return inList(random, name, leaf);
    case 2:
      return between(random, name, leaf);
    case 3:
      return same(random, name, leaf);
    case 4:
      return isBoolean(leaf.type) ? isTruth(random, name, leaf) : like(random, name, leaf);
    case 5:
      return twoColumns(random, name, leaf, leaves);
    default:
      return comparison(random, name, leaf);
  }
}

function isNull(random: Random, name: string, { read }: Leaf): RandomPredicate {
  return random.below(2) === 0
    ? { text: `${name} IS NULL`, truth: (row) => read(row) === null }
    : { text: `${name} IS NOT NULL`, truth: (row) => read(row) !== null };
}

function comparison(random: Random, name: string, leaf: Leaf): RandomPredicate {
  const op = random.of(Object.keys(OPERATORS));
  const { text, value } = literal(random, leaf);
  // Either side, so that mirroring is tried.
  if (random.below(4) === 0) {
    return { text: `${text} ${op} ${name}`, truth: (row) => compare(op, value, leaf.read(row)) };
  }
  return { text: `${name} ${op} ${text}`, truth: (row) => compare(op, leaf.read(row), value) };
}

function twoColumns(random: Random, name: string, leaf: Leaf, leaves: readonly Leaf[]): RandomPredicate {
  const other = random.of(leaves.filter(({ type }) => JSON.stringify(type) === JSON.stringify(leaf.type)));
  const op = random.of(Object.keys(OPERATORS));
  return {
    text: `${name} ${op} ${columnPathToString(other.path)}`,
    truth: (row) => compare(op, leaf.read(row), other.read(row)),
  };
}

function same(random: Random, name: string, leaf: Leaf): RandomPredicate {
  const { text, value } = random.below(5) === 0 ? NULL : literal(random, leaf);
  return { text: `${name} <=> ${text}`, truth: (row) => isSame(leaf.read(row), value) };
}

function inList(random: Random, name: string, leaf: Leaf): RandomPredicate {
  const items = Array.from({ length: 1 + random.below(4) }, () =>
    random.below(8) === 0 ? NULL : literal(random, leaf),
  );
  const isIn = (row: Row): Truth => {
    const truths = items.map(({ value }) => compare('=', leaf.read(row), value));
    return truths.includes(true) ? true : truths.includes(null) ? null : false;
  };
  const list = `(${items.map(({ text }) => text).join(', ')})`;
  return random.below(3) === 0
    ? { text: `${name} NOT IN ${list}`, truth: (row) => negate(isIn(row)) }
    : { text: `${name} IN ${list}`, truth: isIn };
}

function between(random: Random, name: string, leaf: Leaf): RandomPredicate {
  const [low, high] = [literal(random, leaf), literal(random, leaf)];
  const isBetween = (row: Row): Truth => {
    const truths = [compare('>=', leaf.read(row), low.value), compare('<=', leaf.read(row), high.value)];
    return truths.includes(false) ? false : truths.includes(null) ? null : true;
  };
  return random.below(3) === 0
    ? { text: `${name} NOT BETWEEN ${low.text} AND ${high.text}`, truth: (row) => negate(isBetween(row)) }
    : { text: `${name} BETWEEN ${low.text} AND ${high.text}`, truth: isBetween };
}

function isTruth(random: Random, name: string, { read }: Leaf): RandomPredicate {
  return random.of([
    { text: name, truth: (row) => read(row) as Truth },
    { text: `NOT ${name}`, truth: (row) => negate(read(row) as Truth) },
    { text: `${name} IS TRUE`, truth: (row) => read(row) === true },
    { text: `${name} IS NOT FALSE`, truth: (row) => read(row) !== false },
  ] satisfies RandomPredicate[]);
}

function like(random: Random, name: string, leaf: Leaf): RandomPredicate {
  if (!isString(leaf.type)) return comparison(random, name, leaf);
  const value = literal(random, leaf).value as string;
  const prefix = [...value].slice(0, random.below(value.length + 1)).join('');
  const pattern = `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const not = random.below(3) === 0;
  const starts = (row: Row): Truth => {
    const text = leaf.read(row) as string | null;
    return text === null ? null : text.startsWith(prefix);
  };
  return {
    text: `${name} ${not ? 'NOT ' : ''}LIKE '${pattern.replaceAll("'", "''")}'`,
    truth: not ? (row) => negate(starts(row)) : starts,
  };
}

interface Literal {
  readonly text: string;
  readonly value: ScalarValue;
}

const NULL: Literal = { text: 'NULL', value: null };

/** A value of the column, or one beside it. */
function literal(random: Random, { type, values }: Leaf): Literal {
  const known = values.filter((value) => value !== null && canBeWritten(type, value));
  const value = known.length === 0 ? someValue(random, type) : random.of(known);
  const near = random.below(3) === 0 ? beside(random, type, value) : value;
  const chosen = canBeWritten(type, near) ? near : value;
  return { text: scalarToString({ type, value: chosen }), value: chosen };
}

function beside(random: Random, type: DataType, value: ScalarValue): ScalarValue {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return random.of(['', `${value}a`, value.slice(0, -1), `${value}\u{1f33c}`]);
  if (value instanceof Uint8Array) return random.of([value.slice(1), Uint8Array.of(...value, 0)]);
  if (typeof value === 'bigint') return value + random.of([-1n, 1n, -999n, 999n, 1000n]);
  if (typeof value !== 'number') return value;
  if (isFloating(type))
    return random.of([value + 0.5, -value, value * 1.0000001, Number.NaN, Infinity, -0, 1e300]);
  return value + random.of([-1, 1, 100, -100]);
}

function someValue(random: Random, type: DataType): ScalarValue {
  if (type.kind === 'decimal') return random.of([0n, 1n, -5n]);
  switch (type.kind === 'primitive' ? type.name : '') {
    case 'string':
      return random.of(['', 'a', 'zz']);
    case 'binary':
      return random.of([new Uint8Array(0), Uint8Array.of(1, 255)]);
    case 'boolean':
      return random.of([true, false]);
    case 'long':
    case 'timestamp':
    case 'timestamp_ntz':
      return random.of([0n, 1n, -1n, 1_600_000_000_000_000n]);
    default:
      return random.of([0, 1, -1]);
  }
}

const MICROS_PER_DAY = 86_400_000_000n;
/** 0001-01-01 and 9999-12-31 in days. */
const [FIRST_DAY, LAST_DAY] = [-719_162, 2_932_896];

/** Whether literals of the grammar have the value: years 1 to 9999, decimals of the column's precision. */
function canBeWritten(type: DataType, value: ScalarValue): boolean {
  if (type.kind === 'decimal') return (value as bigint) ** 2n < 10n ** BigInt(2 * type.precision);
  switch (type.kind === 'primitive' ? type.name : '') {
    case 'date':
      return (value as number) >= FIRST_DAY && (value as number) <= LAST_DAY;
    case 'timestamp':
    case 'timestamp_ntz': {
      const micros = value as bigint;
      return micros >= BigInt(FIRST_DAY) * MICROS_PER_DAY && micros < BigInt(LAST_DAY) * MICROS_PER_DAY;
    }
    default:
      return true;
  }
}

function isOrdered(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && type.name !== 'void');
}

function isBoolean(type: DataType): boolean {
  return type.kind === 'primitive' && type.name === 'boolean';
}

function isString(type: DataType): boolean {
  return type.kind === 'primitive' && type.name === 'string';
}

function isFloating(type: DataType): boolean {
  return type.kind === 'primitive' && (type.name === 'float' || type.name === 'double');
}
