/** What the log says of a table's state, counted in one pass over its live files. */
import { countTombstones, type DeltaTable, type ScanFile, type Tombstones } from 'delta-kernel-web';
import { type LeafColumn, leafColumns } from '../columns.ts';
import type { Work } from '../context.ts';
import { namesIn } from './filter-names.ts';

/** Below it, opening a file costs more than reading it. */
export const SMALL_FILE = 32 * 2 ** 20;
/** What compaction aims at. */
export const COMPACTED_FILE = 128 * 2 ** 20;
/** Columns that are looked at: enough to say what is missing; tables may have thousands. */
const MAX_LEAVES = 200;

export interface PartitionFacts {
  /** `date=2021-09-01`; nulls are called null. */
  readonly name: string;
  files: number;
  bytes: number;
}

export interface LogFacts {
  readonly version: number;
  readonly checkpointVersion: number | undefined;
  readonly checkpointInterval: number;
  readonly commitsAfter: number;
  readonly bytesAfter: number;
  /** Ratified by a catalog, not published yet. */
  readonly unpublished: number;
  readonly hasChecksum: boolean;
}

export interface HealthFacts {
  readonly files: number;
  readonly bytes: number;
  readonly smallFiles: number;
  readonly smallBytes: number;
  /** Of rows in files, deleted ones too; null where a file has no count. */
  readonly rows: number | null;
  readonly deletedRows: number;
  readonly filesWithVectors: number;
  readonly filesWithoutCounts: number;
  /** Live files that lack statistics of a column, for columns that have any missing. */
  readonly unknownColumns: readonly {
    readonly name: string;
    readonly files: number;
    readonly isFiltered: boolean;
  }[];
  /** Empty where the table is not partitioned. */
  readonly partitions: readonly PartitionFacts[];
  readonly log: LogFacts;
  readonly tombstones: Tombstones;
  readonly readerFeatures: readonly string[];
  readonly minReaderVersion: number;
  /** Hours. */
  readonly fileRetention: number;
  readonly statsInCheckpoint: boolean;
}

const HOUR = 3_600_000;

export async function readFacts({ table, signal, report }: Work, where: string): Promise<HealthFacts> {
  const counter = new FileCounter(table, where);
  for await (const file of table.liveFiles({ signal })) {
    counter.add(file);
    await report({ done: counter.files, unit: 'files' });
  }
  const tombstones = await countTombstones(table.engine, table.snapshot, { signal });
  const { properties, protocol } = table;
  return {
    ...counter.facts(),
    log: logFacts(table),
    tombstones,
    readerFeatures: protocol.readerFeatures ?? [],
    minReaderVersion: protocol.minReaderVersion,
    fileRetention: properties.deletedFileRetentionDuration / HOUR,
    statsInCheckpoint: properties.checkpointWriteStatsAsJson || properties.checkpointWriteStatsAsStruct,
  };
}

function logFacts({ snapshot, properties, version }: DeltaTable): LogFacts {
  const { commits, checkpointVersion, checksum } = snapshot.logSegment;
  return {
    version,
    checkpointVersion,
    checkpointInterval: properties.checkpointInterval,
    commitsAfter: commits.length,
    bytesAfter: commits.reduce((sum, { file }) => sum + file.size, 0),
    unpublished: commits.filter(({ kind }) => kind === 'stagedCommit').length,
    hasChecksum: checksum?.version === version,
  };
}

/** Sums over files; what it holds grows with partitions and columns, not with files. */
class FileCounter {
  files = 0;
  #bytes = 0;
  #smallFiles = 0;
  #smallBytes = 0;
  #rows: number | null = 0;
  #deletedRows = 0;
  #filesWithVectors = 0;
  #filesWithoutCounts = 0;
  readonly #partitions = new Map<string, PartitionFacts>();
  readonly #isPartitioned: boolean;
  readonly #leaves: readonly LeafColumn[];
  readonly #filtered: ReadonlySet<string>;
  readonly #known = new Map<LeafColumn, number>();

  constructor(table: DeltaTable, where: string) {
    this.#isPartitioned = table.metadata.partitionColumns.length > 0;
    this.#leaves = leafColumns(table).filter(hasStatistics).slice(0, MAX_LEAVES);
    this.#filtered = namesIn(where);
  }

  add(file: ScanFile): void {
    this.files += 1;
    this.#bytes += file.size;
    if (file.size < SMALL_FILE) {
      this.#smallFiles += 1;
      this.#smallBytes += file.size;
    }
    if (file.deletionVector !== undefined) {
      this.#filesWithVectors += 1;
      this.#deletedRows += file.deletionVector.cardinality;
    }
    if (this.#isPartitioned) this.#addToPartition(file);
    this.#addStatistics(file.stats);
  }

  #addToPartition({ partitionValues, size }: ScanFile): void {
    const name = Object.entries(partitionValues)
      .map(([key, value]) => `${key}=${value ?? 'null'}`)
      .join('/');
    const partition = this.#partitions.get(name) ?? { name, files: 0, bytes: 0 };
    partition.files += 1;
    partition.bytes += size;
    this.#partitions.set(name, partition);
  }

  #addStatistics(text: string | undefined): void {
    const stats = parsed(text);
    const rows = stats?.numRecords;
    if (typeof rows !== 'number') this.#filesWithoutCounts += 1;
    this.#rows = this.#rows === null || typeof rows !== 'number' ? null : this.#rows + rows;
    for (const leaf of this.#leaves) {
      const isKnown = ['nullCount', 'minValues'].some((key) => has(stats?.[key], leaf.physical));
      if (isKnown) this.#known.set(leaf, (this.#known.get(leaf) ?? 0) + 1);
    }
  }

  facts() {
    const unknown = this.#leaves.map((leaf) => ({
      name: leaf.name,
      files: this.files - (this.#known.get(leaf) ?? 0),
      isFiltered: this.#filtered.has(leaf.name.toLowerCase()),
    }));
    return {
      files: this.files,
      bytes: this.#bytes,
      smallFiles: this.#smallFiles,
      smallBytes: this.#smallBytes,
      rows: this.#rows,
      deletedRows: this.#deletedRows,
      filesWithVectors: this.#filesWithVectors,
      filesWithoutCounts: this.#filesWithoutCounts,
      unknownColumns: unknown.filter(({ files }) => files > 0),
      partitions: [...this.#partitions.values()].sort((a, b) => b.bytes - a.bytes),
    };
  }
}

/** Arrays, maps and variants have none, and partition columns need none. */
function hasStatistics({ type, isPartition }: LeafColumn): boolean {
  return !isPartition && (type.kind === 'primitive' || type.kind === 'decimal');
}

/** Statistics that do not parse are none. */
function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function has(values: unknown, path: readonly string[]): boolean {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return value !== undefined;
}
