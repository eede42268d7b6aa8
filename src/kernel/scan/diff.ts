/** What differs between two versions of a table, for people: schema, properties, protocol, files and rows. */
import { physicalName } from '../column-mapping/physical-schema.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { columnPathToString } from '../schema/column-path.ts';
import { typeToString } from '../schema/schema.ts';
import type { DataType, StructField, StructType } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { IncrementalScan } from './incremental.ts';
import { type FileKey, fileKeyOf } from './log-replay.ts';
import { Scan } from './scan.ts';
import { liveRecords, type ScanFile } from './scan-files.ts';

export interface ColumnChange {
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

export interface SchemaDiff {
  readonly added: readonly { readonly column: string; readonly type: string }[];
  readonly removed: readonly { readonly column: string; readonly type: string }[];
  /** Another type or nullability: `long` to `long NOT NULL`. */
  readonly changed: readonly ColumnChange[];
  /** The same column under another name: only where column mapping tells. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

export interface FilesDiff {
  readonly added: readonly ScanFile[];
  readonly removed: readonly ScanFile[];
  /** The same file with another deletion vector. */
  readonly updated: readonly { readonly from: ScanFile; readonly to: ScanFile }[];
  /** Of `added` less `removed`. */
  readonly bytes: number;
  /** Rows that are not deleted, more or fewer; null where a file's statistics do not say. */
  readonly rows: number | null;
}

export interface TableDiff {
  readonly from: number;
  readonly to: number;
  readonly schema: SchemaDiff;
  /** By key; a side is undefined where it has no such property. */
  readonly properties: Readonly<Record<string, { readonly from?: string; readonly to?: string }>>;
  /** Present where versions or features differ. */
  readonly protocol?: { readonly from: SnapshotState['protocol']; readonly to: SnapshotState['protocol'] };
  readonly partitionColumns?: { readonly from: readonly string[]; readonly to: readonly string[] };
  readonly files: FilesDiff;
}

/** From `from` to `to`, whichever is newer; of the log only the commits in between are read where they suffice. */
export async function diffSnapshots(
  engine: Engine,
  from: SnapshotState,
  to: SnapshotState,
  options: CallOptions = {},
): Promise<TableDiff> {
  const [before, after] = [from.metadata.partitionColumns, to.metadata.partitionColumns];
  return {
    from: from.version,
    to: to.version,
    schema: diffSchemas(from, to),
    properties: diffProperties(from.metadata.configuration, to.metadata.configuration),
    ...(!sameJson(from.protocol, to.protocol) && { protocol: { from: from.protocol, to: to.protocol } }),
    ...(!sameJson(before, after) && { partitionColumns: { from: before, to: after } }),
    files: await diffFiles(engine, from, to, options),
  };
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function diffProperties(
  from: Readonly<Record<string, string>>,
  to: Readonly<Record<string, string>>,
): TableDiff['properties'] {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return Object.fromEntries(
    keys
      .filter((key) => from[key] !== to[key])
      .map((key) => [key, { ...(key in from && { from: from[key]! }), ...(key in to && { to: to[key]! }) }]),
  );
}

interface Column {
  readonly path: string;
  readonly type: string;
}

function diffSchemas(from: SnapshotState, to: SnapshotState): SchemaDiff {
  const [before, after] = [columnsOf(from), columnsOf(to)];
  const kept = [...after].flatMap(([key, column]) => {
    const old = before.get(key);
    return old === undefined ? [] : [{ old, column }];
  });
  const only = (columns: Map<string, Column>, others: Map<string, Column>) =>
    [...columns].filter(([key]) => !others.has(key)).map(([, { path, type }]) => ({ column: path, type }));
  return {
    added: only(after, before),
    removed: only(before, after),
    changed: kept
      .filter(({ old, column }) => old.type !== column.type)
      .map(({ old, column }) => ({ column: column.path, from: old.type, to: column.type })),
    renamed: kept
      .filter(({ old, column }) => old.path !== column.path)
      .map(({ old, column }) => ({ from: old.path, to: column.path })),
  };
}

/** Columns by what they are told apart by: their physical path, which without mapping is the logical one. */
function columnsOf({ schema, tableProperties }: SnapshotState): Map<string, Column> {
  const columns = new Map<string, Column>();
  const visit = (struct: StructType, path: readonly string[], key: readonly string[]): void => {
    for (const field of struct.fields) {
      const here = [...path, field.name];
      const keyHere = [...key, physicalName(field, tableProperties.columnMappingMode)];
      columns.set(keyHere.join('\0'), { path: columnPathToString(here), type: shownType(field) });
      if (field.type.kind === 'struct') visit(field.type, here, keyHere);
    }
  };
  visit(schema, [], []);
  return columns;
}

/** Fields of a struct are columns of their own, so that one of them changing is not a change of all above it. */
function shownType({ type, nullable }: StructField): string {
  const name = (each: DataType): string => (each.kind === 'struct' ? 'struct' : typeToString(each));
  return nullable ? name(type) : `${name(type)} NOT NULL`;
}

async function diffFiles(
  engine: Engine,
  from: SnapshotState,
  to: SnapshotState,
  options: CallOptions,
): Promise<FilesDiff> {
  const { candidates, isGone } = await newFiles(engine, from, to, options);
  const removed: ScanFile[] = [];
  if (candidates.size > 0 || isGone !== undefined) {
    for await (const file of new Scan(from).files(engine, options)) {
      const key = fileKeyOf(file);
      if (!candidates.delete(key) && (isGone?.(key) ?? false)) removed.push(file);
    }
  }
  return summary([...candidates.values()], removed);
}

/**
 * Files of `to` that may not be in `from`, and which files of `from` are not in `to`: undefined where none can be.
 * (In a listing that is compared whole, a file that no candidate matches is gone.)
 */
async function newFiles(
  engine: Engine,
  from: SnapshotState,
  to: SnapshotState,
  options: CallOptions,
): Promise<{ candidates: Map<FileKey, ScanFile>; isGone: ((key: FileKey) => boolean) | undefined }> {
  const between = from.version <= to.version ? IncrementalScan.between(from, to) : undefined;
  const candidates = new Map<FileKey, ScanFile>();
  if (between === undefined) {
    for await (const file of new Scan(to).files(engine, options)) candidates.set(fileKeyOf(file), file);
    return { candidates, isGone: () => true };
  }
  const { added, removed } = await between.read(engine, options);
  for (const file of added) candidates.set(fileKeyOf(file), file);
  const gone = new Set(removed.map(({ key }) => key));
  return { candidates, isGone: gone.size === 0 ? undefined : (key) => gone.has(key) };
}

function summary(added: readonly ScanFile[], removed: readonly ScanFile[]): FilesDiff {
  const byPath = new Map(removed.map((file) => [file.path, file]));
  const updated = added.flatMap((file) => {
    const old = byPath.get(file.path);
    return old === undefined ? [] : [{ from: old, to: file }];
  });
  const paths = new Set(updated.map(({ to }) => to.path));
  const isNew = ({ path }: ScanFile) => !paths.has(path);
  return {
    added: added.filter(isNew),
    removed: removed.filter(isNew),
    updated,
    bytes: sum(added, ({ size }) => size)! - sum(removed, ({ size }) => size)!,
    rows: difference(sum(added, liveRecords), sum(removed, liveRecords)),
  };
}

/** Undefined where it is of one file. */
function sum(files: readonly ScanFile[], of: (file: ScanFile) => number | undefined): number | undefined {
  let total = 0;
  for (const file of files) {
    const value = of(file);
    if (value === undefined) return undefined;
    total += value;
  }
  return total;
}

function difference(a: number | undefined, b: number | undefined): number | null {
  return a === undefined || b === undefined ? null : a - b;
}
