/** Statistics of a data file, collected from the batches that are written to it. */
import { DeltaError } from '../../errors.ts';
import type { EngineData } from '../engine-data.ts';
import { hasNullCount } from '../expressions/stats-schema.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { type Bounds, boundsOf } from './bounds.ts';

/** One leaf column that has statistics. */
interface Leaf {
  readonly path: readonly string[];
  readonly bounds: Bounds | undefined;
  nullCount: number;
}

/**
 * Collects `numRecords`, `nullCount`, `minValues` and `maxValues` (`PROTOCOL.md`, "Per-file Statistics") of batches
 * under physical names. A leaf's nulls are the rows without a value of it, a null struct above it included.
 */
export class StatsCollector {
  readonly #columns: readonly (readonly string[])[];
  #leaves: readonly Leaf[] | undefined;
  #numRecords = 0;

  /** @param columns physical paths of leaves: see `statsColumns`. */
  constructor(columns: readonly (readonly string[])[]) {
    this.#columns = columns;
  }

  get numRecords(): number {
    return this.#numRecords;
  }

  /** Throws `Schema` for a batch that lacks one of the columns. */
  add(batch: EngineData): void {
    this.#numRecords += batch.length;
    this.#leaves ??= this.#columns.map((path) => leafOf(batch, path));
    for (const leaf of this.#leaves) {
      const column = columnOf(batch, leaf.path);
      for (let row = 0; row < batch.length; row += 1) if (column.isNull(row)) leaf.nullCount += 1;
      leaf.bounds?.add(column);
    }
  }

  /** The text of `add.stats`. */
  toJson(): string {
    const leaves = (this.#leaves ?? []).map(({ path, bounds, nullCount }) => {
      return { path, nullCount: String(nullCount), ...bounds?.toJson() };
    });
    const counts = nested(leaves.map(({ path, nullCount }) => [path, nullCount]));
    const least = nested(leaves.map(({ path, min }) => [path, min]));
    const greatest = nested(leaves.map(({ path, max }) => [path, max]));
    return `{"numRecords":${this.#numRecords},"minValues":${least},"maxValues":${greatest},"nullCount":${counts}}`;
  }
}

function leafOf(batch: EngineData, path: readonly string[]): Leaf {
  const { type } = columnOf(batch, path);
  if (!hasNullCount(type, 'deltaStats')) {
    throw new DeltaError('Internal', `column ${columnPathToString(path)} is no leaf`);
  }
  return { path, bounds: boundsOf(type), nullCount: 0 };
}

function columnOf(batch: EngineData, path: readonly string[]) {
  const column = batch.column(path);
  if (column !== undefined) return column;
  const name = columnPathToString(path);
  throw new DeltaError('Schema', `a batch without the column ${name}`, { column: name });
}

type Tree = Map<string, Tree | string>;

/** A JSON object of leaves by their paths; leaves without text are left out. */
function nested(leaves: Iterable<readonly [path: readonly string[], json: string | undefined]>): string {
  const root: Tree = new Map();
  for (const [path, json] of leaves) {
    if (json === undefined) continue;
    let node = root;
    for (const name of path.slice(0, -1)) {
      if (!node.has(name)) node.set(name, new Map());
      node = node.get(name) as Tree;
    }
    node.set(path.at(-1)!, json);
  }
  return treeJson(root);
}

function treeJson(tree: Tree): string {
  const members = Array.from(tree, ([name, value]) => {
    return `${JSON.stringify(name)}:${typeof value === 'string' ? value : treeJson(value)}`;
  });
  return `{${members.join(',')}}`;
}
