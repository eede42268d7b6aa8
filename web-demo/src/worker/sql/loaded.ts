/** The rows of the table that DuckDB has. */
import { Field, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow';
import type { DeltaTable } from 'delta-kernel-web';
import type { Work } from '../context.ts';
import type { SqlLoad } from '../protocol-sql.ts';
import type { SqlEngine } from './duck.ts';
import { type Need, SHAPE } from './plan.ts';
import { duckColumns, duckType, quoted } from './types.ts';

/** What DuckDB gets of a table at most. */
const MAX_ROWS = 1_000_000;
/** Bytes of Arrow data. */
const MAX_BYTES = 256 << 20;

const ROWS = { schema: 'delta', name: 'rows' };

/** Everything that the view `t` needs: DuckDB's columns of the table, none of them read. */
export async function declare(engine: SqlEngine, table: DeltaTable, names: readonly string[]): Promise<void> {
  const { fields } = table.schema;
  await engine.run(`CREATE SCHEMA delta`);
  await engine.run(
    `CREATE TABLE delta.${SHAPE} (${fields.map(({ name, type }) => `${quoted(name)} ${duckType(type)}`).join(', ')})`,
  );
  await showShape(engine);
  for (const name of names.slice(1)) await engine.run(`CREATE VIEW ${quoted(name)} AS FROM t`);
}

/** Makes queries plan over the empty table. */
export function showShape(engine: SqlEngine): Promise<void> {
  return engine.run(`CREATE OR REPLACE VIEW t AS FROM delta.${SHAPE}`);
}

export class LoadedRows {
  readonly #engine: SqlEngine;
  readonly #table: DeltaTable;
  #load: (SqlLoad & { limit: number | undefined }) | undefined;

  constructor(engine: SqlEngine, table: DeltaTable) {
    this.#engine = engine;
    this.#table = table;
  }

  /** Loads what a query needs, unless it is there, and makes `t` show it. Columns that it does not need are null there. */
  async provide(need: Need, work: Pick<Work, 'signal' | 'report'>): Promise<SqlLoad> {
    const wasThere = this.#has(need);
    if (!wasThere) await this.#read(need, work);
    const { limit: _, ...load } = this.#load!;
    const held = new Set(load.columns);
    const columns = this.#table.schema.fields.map(({ name, type }) => {
      const value = held.has(name) ? quoted(name) : 'NULL';
      return `CAST(${value} AS ${duckType(type)}) AS ${quoted(name)}`;
    });
    const source = load.columns.length === 0 ? `range(${load.rows})` : 'delta.rows';
    await this.#engine.run(`CREATE OR REPLACE VIEW t AS SELECT ${columns.join(', ')} FROM ${source}`);
    return { ...load, wasThere };
  }

  #has({ columns, where, limit }: Need): boolean {
    const load = this.#load;
    if (load === undefined || load.where !== (where ?? '')) return false;
    const hasRows = load.limit === undefined || (limit !== undefined && limit <= load.limit);
    // All rows can be counted, also where not all of them were loaded.
    if (columns.length === 0 && load.isCut) return false;
    return hasRows && columns.every((name) => load.columns.includes(name));
  }

  async #read(need: Need, work: Pick<Work, 'signal' | 'report'>): Promise<void> {
    this.#load = undefined;
    const { columns, where, limit } = need;
    const { signal } = work;
    // Without any column only the number of rows matters.
    const { rows, isCut } =
      columns.length === 0
        ? { rows: await this.#table.count({ where, signal }), isCut: false }
        : await this.#insert(need, work);
    this.#load = {
      columns: [...columns],
      ofColumns: this.#table.schema.fields.length,
      where: where ?? '',
      rows,
      ...(await this.#countFiles(where, signal)),
      isCut,
      wasThere: false,
      limit,
    };
  }

  async #insert(
    { columns, where, limit }: Need,
    { signal, report }: Pick<Work, 'signal' | 'report'>,
  ): Promise<{ rows: number; isCut: boolean }> {
    const max = Math.min(limit ?? MAX_ROWS, MAX_ROWS);
    const scan = this.#table.scan({ columns: [...columns], where, limit: max + 1, signal });
    await this.#engine.run('DROP TABLE IF EXISTS delta.rows');
    await this.#createEmpty(columns);
    let [rows, bytes, isCut] = [0, 0, false];
    for await (const whole of scan) {
      const batch = whole.slice(0, max - rows);
      isCut = whole.numRows > batch.numRows && limit === undefined;
      if (batch.numRows > 0) {
        const stream = ipcStream(duckColumns(batch, scan.schema), columns, batch.numRows);
        await this.#engine.insert(stream, { ...ROWS, create: false });
        bytes += stream.byteLength;
      }
      rows += batch.numRows;
      await report({ done: rows, unit: 'rows read' });
      isCut ||= bytes > MAX_BYTES;
      if (isCut || whole.numRows > batch.numRows) break;
    }
    return { rows, isCut };
  }

  async #createEmpty(columns: readonly string[]): Promise<void> {
    await this.#engine.run(
      `CREATE TABLE delta.rows AS SELECT ${columns.map(quoted).join(', ')} FROM delta.${SHAPE}`,
    );
  }

  async #countFiles(
    where: string | undefined,
    signal: AbortSignal,
  ): Promise<{ files: number; ofFiles: number }> {
    let [files, ofFiles] = [0, 0];
    for await (const { kept } of this.#table.explain({ where, signal })) {
      ofFiles += 1;
      if (kept) files += 1;
    }
    return { files, ofFiles };
  }
}

function ipcStream(
  columns: ReturnType<typeof duckColumns>,
  names: readonly string[],
  length: number,
): Uint8Array {
  const fields = columns.map(({ type }, at) => new Field(names[at]!, type, true));
  const schema = new Schema(fields);
  const batch = new RecordBatch(
    schema,
    makeData({ type: new Struct(fields), length, nullCount: 0, children: columns }),
  );
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  writer.write(batch);
  writer.finish();
  return writer.toUint8Array(true);
}
