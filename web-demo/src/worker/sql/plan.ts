/** Which columns and rows of the table a query needs, from DuckDB's own plan of it over an empty table. */
import type { DeltaTable } from 'delta-kernel-web';
import type { SqlEngine } from './duck.ts';

/** The empty table that queries are planned over: `delta.shape`. */
export const SHAPE = 'shape';
/** Optimizations under which a plan over an empty table would not say what a query needs. */
const PLAIN = 'statistics_propagation,empty_result_pullup,late_materialization';

/** A node of `EXPLAIN (FORMAT json)`. */
export interface PlanNode {
  readonly name: string;
  readonly children: readonly PlanNode[];
  readonly extra_info: Readonly<Record<string, string | readonly string[]>>;
}

export interface Need {
  /** In the table's order; empty where the query does not read the table. */
  readonly columns: readonly string[];
  readonly isRead: boolean;
  /** In the package's predicate grammar; undefined for all rows. */
  readonly where: string | undefined;
  readonly limit: number | undefined;
}

export interface Plans {
  /** With filters above the scans: the scans then name every column that is used. */
  readonly wide: readonly PlanNode[];
  /** With filters in the scans. */
  readonly narrow: readonly PlanNode[];
}

/** Plans of a query, while `t` shows the empty table. Throws for what is no query. */
export async function plansOf(engine: SqlEngine, query: string): Promise<Plans> {
  const explain = async (disabled: string) => {
    await engine.run(`SET disabled_optimizers = '${disabled}'`);
    const [row] = await engine.rows(`EXPLAIN (FORMAT json) FROM (\n${query}\n)`);
    return JSON.parse(row![1]!) as PlanNode[];
  };
  try {
    return { wide: await explain(`${PLAIN},filter_pushdown`), narrow: await explain(PLAIN) };
  } finally {
    await engine.run("SET disabled_optimizers = ''");
  }
}

const FLOATS = new Set(['float', 'double']);

/** What a query reads of the table. */
export function needOf(table: DeltaTable, sql: string, { wide, narrow }: Plans): Need {
  const scans = scansOf(wide);
  const names = new Set(scans.flatMap(({ extra_info }) => listOf(extra_info.Projections)));
  const columns = table.schema.fields
    .map(({ name }) => name)
    .filter((name) => names.has(name) || [...names].some((used) => used.startsWith(`${name}.`)));
  return {
    columns,
    isRead: scans.length > 0,
    where: whereOf(table, columns, scansOf(narrow)),
    limit: limitOf(sql, narrow),
  };
}

function scansOf(nodes: readonly PlanNode[]): PlanNode[] {
  return nodes.flatMap((node) => [
    ...(isScan(node) && node.extra_info.Table === SHAPE ? [node] : []),
    ...scansOf(node.children),
  ]);
}

function isScan({ name }: PlanNode): boolean {
  return name.trim() === 'SEQ_SCAN';
}

function listOf(info: string | readonly string[] | undefined): readonly string[] {
  if (info === undefined || info === '') return [];
  return typeof info === 'string' ? [info] : info;
}

/**
 * Those of the plan's conditions that mean the same in the package's grammar; the query itself is run on the rows that are
 * left, so leaving one out is no harm. Names that are not plain are printed without quotes, so with them none is taken.
 */
function whereOf(
  table: DeltaTable,
  columns: readonly string[],
  scans: readonly PlanNode[],
): string | undefined {
  if (scans.length !== 1 || !columns.every((name) => /^[A-Za-z_]\w*$/.test(name))) return undefined;
  const conditions = listOf(scans[0]!.extra_info.Filters)
    .map(withoutCasts)
    .filter((text) => isUsable(table, text));
  return conditions.length === 0 ? undefined : conditions.map((text) => `(${text})`).join(' AND ');
}

/** `d='2021-09-01'::DATE` as `d='2021-09-01'`. */
function withoutCasts(condition: string): string {
  return condition.replace(/'(?:[^']|'')*'|::[A-Z]+(?:\([\d, ]*\))?/g, (part) =>
    part.startsWith("'") ? part : '',
  );
}

/** Text of floats is rounded, so a comparison with it could mean another one. */
function isUsable(table: DeltaTable, condition: string): boolean {
  const names = new Set(
    condition
      .replace(/'(?:[^']|'')*'/g, '')
      .match(/[A-Za-z_]\w*/g)
      ?.map((name) => name.toLowerCase()),
  );
  const hasFloat = table.schema.fields.some(
    ({ name, type }) =>
      names.has(name.toLowerCase()) &&
      !(type.kind === 'decimal' || (type.kind === 'primitive' && !FLOATS.has(type.name))),
  );
  if (hasFloat) return false;
  try {
    table.scan({ where: condition });
    return true;
  } catch {
    return false;
  }
}

/** `… LIMIT n` of a query that takes the table's rows as they come. */
function limitOf(sql: string, plan: readonly PlanNode[]): number | undefined {
  const [, digits] = /\blimit\s+(\d{1,9})\s*$/i.exec(sql) ?? [];
  if (digits === undefined) return undefined;
  let hasLimit = false;
  for (let nodes = plan; nodes.length > 0; nodes = nodes[0]!.children) {
    const [node] = nodes;
    if (nodes.length > 1 || node === undefined) return undefined;
    hasLimit ||= node.name === 'STREAMING_LIMIT';
    if (isScan(node)) return hasLimit && node.extra_info.Filters === undefined ? Number(digits) : undefined;
    if (node.name !== 'STREAMING_LIMIT' && node.name !== 'PROJECTION') return undefined;
  }
  return undefined;
}
