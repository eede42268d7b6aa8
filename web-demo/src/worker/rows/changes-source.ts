/** Rows of the change feed for a grid. */
import type { DeltaTable, EngineData, StructType, TableChangesScan } from 'delta-kernel-web';
import type { Place, PlacedRows, RowSource } from './source.ts';

const FEED = ['_change_type', '_commit_version', '_commit_timestamp'] as const;
const [TYPE, VERSION] = FEED;

export interface ChangesQuery {
  readonly start: number;
  readonly end: number;
  /** Kinds of changes that are wanted. */
  readonly types: readonly string[];
}

/** Rows of a range of versions; each version is a place to begin at. */
export class ChangesSource implements RowSource {
  readonly schema: StructType;
  readonly #table: DeltaTable;
  readonly #query: ChangesQuery;

  private constructor(table: DeltaTable, query: ChangesQuery, schema: StructType) {
    this.#table = table;
    this.#query = query;
    this.schema = schema;
  }

  /** Errors of the range, such as `ChangeDataFeedUnsupported`, come here. */
  static async open(table: DeltaTable, query: ChangesQuery, signal: AbortSignal): Promise<ChangesSource> {
    const { logicalSchema } = await loadChanges(table, query, signal);
    return new ChangesSource(table, query, logicalSchema);
  }

  async *read(from: Place, signal: AbortSignal): AsyncGenerator<PlacedRows, void, undefined> {
    const { end, types, start } = this.#query;
    const first = Math.max(from.part, start);
    const scan = await loadChanges(this.#table, { start: first, end }, signal);
    let [part, row] = [first, 0];
    for await (const changes of scan.execute(this.#table.engine, { signal })) {
      const version = changes.column([VERSION])!.getNumber(0)!;
      if (version !== part) [part, row] = [version, 0];
      const wanted = ofTypes(changes, types);
      const skipped = part === from.part ? Math.min(Math.max(from.row - row, 0), wanted.length) : 0;
      const data = wanted.slice(skipped, wanted.length);
      if (data.length > 0) yield { data, at: { part, row: row + skipped } };
      row += wanted.length;
    }
  }
}

/** What the feed says of each row comes first. */
export function loadChanges(
  table: DeltaTable,
  range: { readonly start: number; readonly end: number },
  signal: AbortSignal,
  columns: readonly string[] = [...FEED, ...table.schema.fields.map(({ name }) => name)],
): Promise<TableChangesScan> {
  const { start, end } = range;
  return table.changes({ start, end, signal, columns: columns.map((name) => [name]) }).scan();
}

function ofTypes(rows: EngineData, types: readonly string[]): EngineData {
  const column = rows.column([TYPE])!;
  const selected = Array.from({ length: rows.length }, (_, row) => types.includes(column.getString(row)!));
  return rows.select(Uint8Array.from(selected, Number));
}
