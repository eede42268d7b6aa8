/** What a filter can name: columns and fields of structs, with literals of their types to begin with. */
import {
  columnPathToString,
  type DataType,
  type DeltaTable,
  expressionToString,
  type StructType,
  typeToString,
} from 'delta-kernel-web';
import type { FilterTerm } from '../protocol-data.ts';

/** Terms and levels at most: a schema may be anything. */
const MAX_TERMS = 5000;
/** Rows whose values are offered, and how many of them. */
const SAMPLE_ROWS = 200;
const MAX_SAMPLES = 12;
const MAX_TEXT = 60;

export async function filterTerms(table: DeltaTable, signal: AbortSignal): Promise<FilterTerm[]> {
  const samples = await sampleLiterals(table, signal);
  return [...termsOf(table.schema, [])].slice(0, MAX_TERMS).map(({ path, type }) => ({
    text: columnPathToString(path),
    type: typeToString(type),
    samples: samples.get(path.join('\0')) ?? literalsOf(type),
    isText: type.kind === 'primitive' && type.name === 'string',
  }));
}

function* termsOf(
  struct: StructType,
  above: readonly string[],
): Generator<{ path: readonly string[]; type: DataType }> {
  for (const { name, type } of struct.fields) {
    const path = [...above, name];
    yield { path, type };
    if (type.kind === 'struct') yield* termsOf(type, path);
  }
}

/** Values of the first rows, as literals. */
async function sampleLiterals(table: DeltaTable, signal: AbortSignal): Promise<Map<string, string[]>> {
  const literals = new Map<string, string[]>();
  const columns = table.schema.fields.filter(({ type }) => hasLiterals(type));
  if (columns.length === 0) return literals;
  const { scan } = table.scan({ columns: columns.map(({ name }) => [name]) });
  for await (const rows of scan.execute(table.engine, { signal, limit: SAMPLE_ROWS })) {
    for (const { name, type } of columns) {
      const column = rows.column([name])!;
      const found = new Set(literals.get(name));
      for (let row = 0; row < rows.length && found.size < MAX_SAMPLES; row += 1) {
        const value = column.getValue(row);
        if (value === null || (typeof value === 'string' && value.length > MAX_TEXT)) continue;
        found.add(expressionToString({ kind: 'literal', literal: { type, value } }));
      }
      literals.set(name, [...found]);
    }
  }
  return literals;
}

function hasLiterals(type: DataType): boolean {
  return type.kind === 'decimal' || (type.kind === 'primitive' && !['void', 'binary'].includes(type.name));
}

/** Of columns without values at hand. */
function literalsOf(type: DataType): string[] {
  if (type.kind === 'decimal') return ['0.00'];
  if (type.kind !== 'primitive') return [];
  switch (type.name) {
    case 'string':
      return ["''"];
    case 'binary':
      return ["X''"];
    case 'boolean':
      return ['TRUE', 'FALSE'];
    case 'date':
      return ["DATE '2024-01-31'"];
    case 'timestamp':
      return ["TIMESTAMP '2024-01-31 12:00:00'"];
    case 'timestamp_ntz':
      return ["TIMESTAMP_NTZ '2024-01-31 12:00:00'"];
    case 'void':
      return [];
    default:
      return ['0'];
  }
}
