/** Rows that only one of two versions has, found in the files that only one of them has. */
import {
  DeltaError,
  type DeltaTable,
  diffSnapshots,
  type EngineData,
  field,
  liveRecords,
  rowsToNdjson,
  type ScanFile,
  type StructType,
  type TableDiff,
  toRecordBatch,
  types,
  typeToString,
} from 'delta-kernel-web';
import type { Place, PlacedRows, RowSource } from './source.ts';

/** Rows of files that are new or gone: their texts are in memory while they are compared. */
const MAX_COMPARED = 500_000;
const CHANGE = '_change';

type Side = 'removed' | 'added';

export class DiffSource implements RowSource {
  readonly schema: StructType;
  readonly #from: DeltaTable;
  readonly #to: DeltaTable;
  readonly #diff: TableDiff;
  readonly #columns: readonly string[];
  /** How often each row is in the files that only the newer version has. */
  #added: Promise<ReadonlyMap<string, number>> | undefined;

  /** Compares the columns that both versions have, with one type. `Unsupported` for too many rows. */
  static async open(from: DeltaTable, to: DeltaTable, signal: AbortSignal): Promise<DiffSource> {
    const diff = await diffSnapshots(from.engine, from.snapshot, to.snapshot, { signal });
    for (const side of ['removed', 'added'] as const) checkSize(filesOf(diff, side));
    return new DiffSource(from, to, diff);
  }

  private constructor(from: DeltaTable, to: DeltaTable, diff: TableDiff) {
    this.#from = from;
    this.#to = to;
    this.#diff = diff;
    const before = new Map(from.schema.fields.map((each) => [each.name, typeToString(each.type)]));
    const common = to.schema.fields.filter(({ name, type }) => before.get(name) === typeToString(type));
    this.#columns = common.map(({ name }) => name);
    this.schema = types.struct([field(unusedName(this.#columns), types.string), ...common]);
  }

  /** Rows that are gone, then those that are new; what is in both is left out as often as it is in both. */
  async *read(from: Place, signal: AbortSignal): AsyncGenerator<PlacedRows, void, undefined> {
    let row = 0;
    for await (const data of this.#differences(signal)) {
      const skipped = Math.min(Math.max(from.row - row, 0), data.length);
      if (skipped < data.length) {
        yield { data: data.slice(skipped, data.length), at: { part: 0, row: row + skipped } };
      }
      row += data.length;
    }
  }

  async *#differences(signal: AbortSignal): AsyncGenerator<EngineData, void, undefined> {
    this.#added ??= this.#countAdded(signal);
    const added = new Map(
      await this.#added.catch((error: unknown) => {
        this.#added = undefined;
        throw error;
      }),
    );
    // A row that is gone from one file and new in another was only moved.
    for await (const rows of this.#rows('removed', signal)) {
      yield this.#only(rows, 'removed', (text) => !takeOne(added, text));
    }
    for await (const rows of this.#rows('added', signal)) {
      yield this.#only(rows, 'added', (text) => takeOne(added, text));
    }
  }

  async #countAdded(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    let rows = 0;
    for await (const data of this.#rows('added', signal)) {
      rows += data.length;
      if (rows > MAX_COMPARED) throw tooMany(rows);
      for (const text of textsOf(data)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts;
  }

  #rows(side: Side, signal: AbortSignal): AsyncIterable<EngineData> {
    const table = side === 'added' ? this.#to : this.#from;
    const { scan } = table.scan({ columns: this.#columns.map((name) => [name]) });
    return scan.readFiles(table.engine, filesOf(this.#diff, side), { signal });
  }

  #only(rows: EngineData, side: Side, isWanted: (text: string) => boolean): EngineData {
    const wanted = rows.select(Uint8Array.from(textsOf(rows), (text) => Number(isWanted(text))));
    const schema = types.struct([this.schema.fields[0]!]);
    const change = [{ type: types.string, value: side }];
    const sides = this.#to.engine.evaluationHandler.createMany(
      schema,
      Array.from({ length: wanted.length }, () => change),
    );
    return sides.appendColumns(wanted);
  }
}

/** A file with another deletion vector is in both, with other rows. */
function filesOf({ files }: TableDiff, side: Side): ScanFile[] {
  return side === 'added'
    ? [...files.added, ...files.updated.map(({ to }) => to)]
    : [...files.removed, ...files.updated.map(({ from }) => from)];
}

function checkSize(files: readonly ScanFile[]): void {
  const rows = files.reduce((sum, file) => sum + (liveRecords(file) ?? 0), 0);
  if (rows > MAX_COMPARED) throw tooMany(rows);
}

function tooMany(rows: number): DeltaError {
  return new DeltaError(
    'Unsupported',
    `files with ${rows} rows differ between the versions, more than the ${MAX_COMPARED} that are compared here`,
  );
}

function textsOf(rows: EngineData): string[] {
  return rowsToNdjson(toRecordBatch(rows), rows.schema).split('\n').slice(0, rows.length);
}

/** Takes one of the rows of a text away; whether there was one. */
function takeOne(counts: Map<string, number>, text: string): boolean {
  const left = counts.get(text) ?? 0;
  if (left > 0) counts.set(text, left - 1);
  return left > 0;
}

function unusedName(columns: readonly string[]): string {
  const taken = new Set(columns.map((name) => name.toLowerCase()));
  let name = CHANGE;
  while (taken.has(name)) name = `_${name}`;
  return name;
}
