/** All that the log says of one file. */
import type { DeltaTable, ScanFile } from 'delta-kernel-web';
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { leafColumns } from '../columns.ts';
import type { ColumnStatistics, FileDetail, VectorKind } from '../protocol-files.ts';

/** Characters of a value; nobody reads more in a table. */
const MAX_VALUE = 200;

type Statistics = Omit<FileDetail, 'row' | 'vector' | 'facts'>;

export function detailOf(
  table: DeltaTable,
  file: ScanFile,
  kind: VectorKind | null,
): Omit<FileDetail, 'row'> {
  const vector = file.deletionVector;
  return {
    vector:
      vector && kind
        ? {
            kind,
            bytes: vector.sizeInBytes,
            rows: vector.cardinality,
            where: kind === 'inline' ? 'in the log' : vector.pathOrInlineDv,
          }
        : null,
    facts: factsOf(file),
    ...statisticsOf(table, file.stats),
  };
}

function factsOf(file: ScanFile): [string, string][] {
  const facts: [string, unknown][] = [
    ['first row id', file.baseRowId],
    ['row commit version', file.defaultRowCommitVersion],
    ['clustered by', file.clusteringProvider],
    ...Object.entries(file.tags ?? {}).map(([key, value]): [string, unknown] => [`tag ${key}`, value]),
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function statisticsOf(table: DeltaTable, text: string | undefined): Statistics {
  const stats = parsed(text);
  if (stats === undefined) return { statistics: [], tightBounds: true, hasStatistics: false };
  const statistics = leafColumns(table)
    .filter(({ isPartition }) => !isPartition)
    .map(({ name, physical }): ColumnStatistics => {
      const of = (part: string) => textOf(at(stats[part], physical));
      return { column: name, min: of('minValues'), max: of('maxValues'), nulls: of('nullCount') };
    })
    .filter(({ min, max, nulls }) => min !== undefined || max !== undefined || nulls !== undefined);
  return { statistics, tightBounds: stats.tightBounds !== false, hasStatistics: true };
}

/** Statistics of other writers are not to be trusted: text that is no JSON object says nothing. */
function parsed(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : (stringify(value) ?? '');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
