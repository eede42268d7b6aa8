/** Rows of a query: what grids show and exports have. */
import type { DeltaTable, EngineData, StructType } from 'delta-kernel-web';
import type { OpenTable } from '../context.ts';
import type { RowQuery } from '../protocol-data.ts';
import { openSource } from '../sources.ts';
import { ChangesSource } from './changes-source.ts';
import { DiffSource } from './diff-source.ts';
import { ScanSource } from './scan-source.ts';
import { BEGINNING, type RowSource } from './source.ts';

/** Throws for queries that do not fit the table. The signal ends what goes on in the background. */
export async function openQuery(open: OpenTable, query: RowQuery, signal: AbortSignal): Promise<RowSource> {
  switch (query.kind) {
    case 'table':
      return new ScanSource(open.table, query, signal);
    case 'changes':
      return ChangesSource.open(open.table, query, signal);
    case 'diff': {
      const [from, to] = await Promise.all(
        [query.from, query.to].map((each) => atVersion(open, each, signal)),
      );
      return DiffSource.open(from!, to!, signal);
    }
  }
}

/** The open table at another version. */
export async function atVersion(
  { table, source }: OpenTable,
  version: number,
  signal: AbortSignal,
): Promise<DeltaTable> {
  return table.version === version ? table : openSource(source, { version, signal });
}

/** All rows of a query from its beginning, without what only grids need. */
export async function allRows(
  open: OpenTable,
  query: RowQuery,
  signal: AbortSignal,
): Promise<{ schema: StructType; rows: AsyncIterable<EngineData> }> {
  if (query.kind === 'table') {
    const { where, columns } = query;
    const { scan } = open.table.scan({ where, columns: columns?.map((name) => [name]) });
    return { schema: scan.logicalSchema, rows: scan.execute(open.table.engine, { signal, exact: true }) };
  }
  const source = await openQuery(open, query, signal);
  const rows = async function* () {
    for await (const { data } of source.read(BEGINNING, signal)) yield data;
  };
  return { schema: source.schema, rows: rows() };
}
