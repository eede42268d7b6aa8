/** Rows from text against a table's schema: every cell is looked at, and every one that does not fit is told. */
import {
  type DataType,
  isDeltaError,
  type Row,
  type StructType,
  typeToString,
  valueReader,
} from 'delta-kernel-web';
import type { BadCell, ImportCheck, ImportColumn } from '../protocol-write.ts';

/** Bad cells that are listed. */
const MAX_BAD = 100;
/** Metadata of columns that a writer fills. */
const FILLED = ['delta.generationExpression', 'CURRENT_DEFAULT', 'delta.identity.start'];

export interface GivenRow {
  readonly row: Row;
  readonly line: number;
}

export class Checker {
  readonly badCells: BadCell[] = [];
  numBadCells = 0;
  /** By lower-case name. */
  readonly #badByColumn = new Map<string, number>();
  readonly #schema: StructType;
  readonly #readers: Map<string, { name: string; read: (value: unknown) => unknown }>;
  readonly #given = new Map<string, string>();
  readonly #required: string[];

  constructor(schema: StructType) {
    this.#schema = schema;
    this.#readers = new Map(
      schema.fields.map(({ name, type }) => [name.toLowerCase(), { name, read: valueReader(type, name) }]),
    );
    this.#required = schema.fields
      .filter(({ nullable, metadata }) => !nullable && !FILLED.some((key) => key in metadata))
      .map(({ name }) => name);
  }

  add({ row, line }: GivenRow): void {
    for (const [name, value] of Object.entries(row)) {
      this.#given.set(name.toLowerCase(), name);
      const reader = this.#readers.get(name.toLowerCase());
      if (reader !== undefined) this.#checkCell(reader.name, line, () => reader.read(value));
    }
    const names = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
    for (const name of this.#required) {
      if ((names.get(name.toLowerCase()) ?? null) === null)
        this.bad(line, name, 'is empty, but must not be null');
    }
  }

  bad(line: number, column: string, problem: string): void {
    this.numBadCells += 1;
    // Of nested values the whole column.
    const top = (column.split('.')[0] ?? '').toLowerCase();
    const key = this.#readers.has(column.toLowerCase()) ? column.toLowerCase() : top;
    this.#badByColumn.set(key, (this.#badByColumn.get(key) ?? 0) + 1);
    if (this.badCells.length < MAX_BAD) this.badCells.push({ line, column, problem });
  }

  /** @param names the columns as given, where rows may lack some. */
  columns(names: readonly string[] = [...this.#given.values()]): ImportColumn[] {
    const given = new Set(names.map((name) => name.toLowerCase()));
    const extra = names.filter((name) => !this.#readers.has(name.toLowerCase()));
    return [
      ...this.#schema.fields.map((field): ImportColumn => {
        const { name, type, nullable, metadata } = field;
        const plain = {
          name,
          type: typeToString(type),
          given: undefined,
          note: undefined,
          problem: undefined,
        };
        const bad = this.#badByColumn.get(name.toLowerCase()) ?? 0;
        if (given.has(name.toLowerCase()))
          return {
            ...plain,
            ...(bad > 0 && { note: `${bad} ${bad === 1 ? 'cell does' : 'cells do'} not fit` }),
          };
        if (FILLED.some((key) => key in metadata)) return { ...plain, note: 'not given: the table fills it' };
        if (nullable) return { ...plain, note: 'not given: becomes null' };
        return { ...plain, problem: 'not given, and the table does not allow null' };
      }),
      ...extra.map((name) => extraColumn(name)),
    ];
  }

  result(): Pick<ImportCheck, 'badCells' | 'numBadCells'> {
    return { badCells: this.badCells, numBadCells: this.numBadCells };
  }

  #checkCell(column: string, line: number, read: () => unknown): void {
    try {
      read();
    } catch (error) {
      if (!isDeltaError(error)) throw error;
      this.bad(line, error.column ?? column, error.message.replace(/^column [^:]+: /, ''));
    }
  }
}

export function extraColumn(name: string, given?: string): ImportColumn {
  return { name, type: undefined, given, note: undefined, problem: 'the table has no such column' };
}

/** How a column's given type fits, by name. */
export function parquetColumns(
  from: StructType,
  to: StructType,
  judge: (from: DataType, to: DataType) => Pick<ImportColumn, 'note' | 'problem'>,
): ImportColumn[] {
  const given = new Map(from.fields.map((field) => [field.name.toLowerCase(), field]));
  const base = new Checker(to).columns(from.fields.map(({ name }) => name));
  return base.map((column) => {
    const source = given.get(column.name.toLowerCase());
    if (source === undefined) return column;
    const shown = typeToString(source.type);
    const target = to.fields.find(({ name }) => name.toLowerCase() === column.name.toLowerCase());
    if (target === undefined) return extraColumn(column.name, shown);
    return { ...column, given: shown, ...judge(source.type, target.type) };
  });
}
