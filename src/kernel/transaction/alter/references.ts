/** Where a column is used by name: in texts of the metadata that a change of the column would break. */
import { DeltaError } from '../../../errors.ts';
import { columnPathToString, parseColumnPath } from '../../schema/column-path.ts';
import { allFields } from '../../schema/schema.ts';
import { METADATA_KEYS, type StructType } from '../../schema/types.ts';
import { splitColumns } from '../stats-columns.ts';
import { CONSTRAINT_PREFIX } from './constraints.ts';

const STATS_COLUMNS = 'delta.dataSkippingStatsColumns';
const SQL_KEYS = [METADATA_KEYS.generationExpression, METADATA_KEYS.invariants];

type Configuration = Readonly<Record<string, string>>;

/**
 * Throws `Unsupported` where a constraint, an invariant or a generated column may use a column: its name stands as a
 * word in the text. SQL of other engines cannot be rewritten safely.
 */
export function checkNotReferenced(
  path: readonly string[],
  schema: StructType,
  configuration: Configuration,
  what: string,
): void {
  for (const [user, feature, sql] of sqlTexts(schema, configuration)) {
    if (!mentions(sql, path.at(-1)!)) continue;
    const column = columnPathToString(path);
    throw new DeltaError('Unsupported', `cannot ${what} column ${column}: ${user} may use it (${sql})`, {
      column,
      feature,
    });
  }
}

function* sqlTexts(schema: StructType, configuration: Configuration): Generator<[string, string, string]> {
  for (const [key, sql] of Object.entries(configuration)) {
    if (key.startsWith(CONSTRAINT_PREFIX)) {
      yield [`the constraint ${key.slice(CONSTRAINT_PREFIX.length)}`, 'checkConstraints', sql];
    }
  }
  for (const { path, field } of allFields(schema)) {
    for (const key of SQL_KEYS) {
      const feature = key === METADATA_KEYS.invariants ? 'invariants' : 'generatedColumns';
      const sql = field.metadata[key];
      if (sql !== undefined) yield [`column ${columnPathToString(path)} (${key})`, feature, String(sql)];
    }
  }
}

function mentions(sql: string, name: string): boolean {
  const words = sql.toLowerCase().match(/[\p{L}\p{N}_]+|`(?:[^`]|``)*`/gu) ?? [];
  const wanted = name.toLowerCase();
  return words.some((word) => word === wanted || word === `\`${wanted.replaceAll('`', '``')}\``);
}

/** The properties after a column got another name, or went (`to` undefined). Only lists of columns hold names. */
export function renamedInProperties(
  configuration: Configuration,
  from: readonly string[],
  to: readonly string[] | undefined,
): Configuration {
  const listed = configuration[STATS_COLUMNS];
  if (listed === undefined) return configuration;
  const columns = splitColumns(listed).flatMap((text) => {
    const path = parseColumnPath(text);
    const isBelow = from.every((name, index) => path[index]?.toLowerCase() === name.toLowerCase());
    if (!isBelow) return [text];
    return to === undefined ? [] : [columnPathToString([...to, ...path.slice(from.length)])];
  });
  if (columns.length > 0) return { ...configuration, [STATS_COLUMNS]: columns.join(',') };
  const { [STATS_COLUMNS]: _none, ...rest } = configuration;
  return rest;
}
