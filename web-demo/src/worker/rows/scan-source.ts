/** Rows of a table's scan, which can be read again from any file and position. */
import { type DeltaTable, type EngineData, type ScanFile, type StructType, types } from 'delta-kernel-web';
import type { FilesRead } from '../protocol-data.ts';
import { FileListing } from './file-listing.ts';
import type { PartSizes, Place, PlacedRows, RowSource } from './source.ts';

export interface ScanQuery {
  readonly where?: string | undefined;
  readonly columns?: readonly string[] | undefined;
}

export class ScanSource implements RowSource {
  readonly schema: StructType;
  readonly #table: DeltaTable;
  readonly #scan: ReturnType<DeltaTable['scan']>['scan'];
  /** The generated column that tells positions. */
  readonly #position: string;
  readonly #listing: FileListing;
  readonly #isFiltered: boolean;
  #read = 0;

  /** `InvalidExpression` or `Schema` for a query that does not fit the table. */
  constructor(table: DeltaTable, { where, columns }: ScanQuery, signal: AbortSignal) {
    this.#table = table;
    this.#isFiltered = where !== undefined;
    this.#position = unusedName(table.schema);
    this.#scan = table.scan({
      where,
      columns: columns?.map((name) => [name]),
      metadataColumns: { rowIndex: this.#position },
    }).scan;
    this.schema = types.struct(this.#scan.logicalSchema.fields.slice(0, -1));
    this.#listing = new FileListing(this.#scan.explain(table.engine, { signal }));
  }

  get sizes(): PartSizes | undefined {
    return !this.#isFiltered && this.#listing.isCounted ? this.#listing : undefined;
  }

  get files(): FilesRead {
    const { kept, skipped, isDone } = this.#listing;
    return { read: this.#read, kept, skipped, isListed: isDone };
  }

  async *read(from: Place, signal: AbortSignal): AsyncGenerator<PlacedRows, void, undefined> {
    const parts = new Map<ScanFile, number>();
    const listing = this.#listing.from(from.part);
    const files = async function* () {
      for await (const { file, part } of listing) {
        parts.set(file, part);
        yield file;
      }
    };
    const options = { exact: true, firstRow: from.row, signal };
    for await (const { file, data } of this.#scan.readFileRows(this.#table.engine, files(), options)) {
      const part = parts.get(file)!;
      this.#read = Math.max(this.#read, part + 1);
      const placed = this.#placed(data, part, part === from.part ? from.row : 0);
      if (placed !== undefined) yield placed;
    }
    this.#read = this.#listing.kept;
  }

  /** Rows from a position on: those before it may have come along. */
  #placed(data: EngineData, part: number, firstRow: number): PlacedRows | undefined {
    const positions = data.column([this.#position])!;
    let [start, end] = [0, data.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      if (positions.getNumber(middle)! < firstRow) start = middle + 1;
      else end = middle;
    }
    if (start === data.length) return undefined;
    return { data: data.slice(start, data.length), at: { part, row: positions.getNumber(start)! } };
  }
}

function unusedName({ fields }: StructType): string {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()));
  let name = '_position';
  while (taken.has(name)) name = `_${name}`;
  return name;
}
