/**
 * Planning in pieces: live files page by page, each page within a budget, with a token to go on from, in another
 * process if need be. Tokens of one plan can also be split, so that several workers read parts of a checkpoint.
 *
 * Pages of one plan hold together exactly the files of `Scan.files`, each once.
 */
import { DeltaError } from '../../errors.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { predicateToString } from '../expressions/print.ts';
import { coverWithCompactions } from '../log/compaction.ts';
import { SidecarCollector, sidecarFiles } from '../log/sidecars.ts';
import type { ActionBatch, LogFile } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { Budget, type PlanBudget } from './budget.ts';
import type { FileSkipping } from './file-skipping.ts';
import { LiveFiles, ROW_INDEX } from './live-files.ts';
import { LogReplay } from './log-replay.ts';
import { decodeToken, encodeToken, type PlanSource, type PlanState } from './plan-token.ts';
import { type ScanFile, visitScanFiles } from './scan-files.ts';

export interface PlanOptions extends CallOptions {
  /** Where an earlier page stopped; the beginning without it. */
  readonly token?: string | undefined;
  /** When to stop. Every call makes some progress, however small the budget. */
  readonly budget?: PlanBudget | undefined;
  /** Whether files carry their statistics. Default true. */
  readonly stats?: boolean | undefined;
}

export interface PlanPage {
  readonly files: readonly ScanFile[];
  /** To go on from; undefined where this was the last page. */
  readonly token: string | undefined;
}

export interface ShardOptions extends CallOptions {
  /** How many tokens at most. */
  readonly count: number;
  readonly stats?: boolean | undefined;
}

export interface PlanShards {
  /** The files that no token stands for: those of the commits after the checkpoint. */
  readonly files: readonly ScanFile[];
  /** Disjoint parts of the checkpoint, each to be planned on its own. */
  readonly tokens: readonly string[];
}

/** One call's work on a plan. */
export class Plan {
  readonly #engine: Engine;
  readonly #snapshot: SnapshotState;
  readonly #signal: AbortSignal | undefined;
  readonly #files: LiveFiles;
  readonly #budget: Budget;
  readonly #predicate: string | undefined;
  readonly #found: ScanFile[] = [];
  readonly #replay: LogReplay;
  /** Whether this call has read anything: every one must. */
  #hasProgress = false;
  #commitsBelow: number;
  #sources: PlanSource[] | undefined;

  constructor(
    engine: Engine,
    snapshot: SnapshotState,
    skipping: FileSkipping | undefined,
    { token, budget = {}, stats = true, signal }: PlanOptions,
  ) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#signal = signal;
    this.#files = new LiveFiles(engine, snapshot, { signal, stats, tags: true, skipping });
    this.#budget = new Budget(budget, snapshot.runtime);
    this.#predicate = skipping && predicateToString(skipping.predicate);
    const state = token === undefined ? undefined : this.#resume(token);
    this.#replay = new LogReplay(state?.decided);
    this.#commitsBelow = state?.commitsBelow ?? snapshot.version + 1;
    this.#sources = state?.sources && [...state.sources];
  }

  /** Goes on until the budget is used up or nothing is left. */
  async page(): Promise<PlanPage> {
    await this.#readCommits();
    while (this.#commitsBelow === 0 && !this.#budget.isSpent) {
      const source = this.#nextSource();
      if (source === undefined || !(await this.#readSource(source))) break;
    }
    return { files: this.#found, token: this.#isDone() ? undefined : this.#token(this.#remaining()) };
  }

  /** Reads the commits and what names sidecars, and divides the rest. */
  async shards(count: number): Promise<PlanShards> {
    await this.#readCommits();
    for (let source = this.#nextSource(); source?.isManifest; source = this.#nextSource()) {
      await this.#readSource(source);
    }
    const units = await this.#units(this.#remaining());
    const size = Math.ceil(units.length / Math.max(count, 1));
    const tokens = Array.from({ length: size === 0 ? 0 : Math.ceil(units.length / size) }, (_, shard) => {
      return this.#token(joined(units.slice(shard * size, (shard + 1) * size)));
    });
    return { files: this.#found, tokens };
  }

  #resume(token: string): PlanState {
    const state = decodeToken(token, this.#snapshot.logSegment.logRoot);
    if (state.version !== this.#snapshot.version) {
      throw new DeltaError(
        'InvalidOption',
        `the token is of version ${state.version}, the snapshot of ${this.#snapshot.version}`,
      );
    }
    if (state.predicate !== this.#predicate) {
      throw new DeltaError('InvalidOption', 'the token is of a scan with another predicate');
    }
    return state;
  }

  #token(sources: readonly PlanSource[] | undefined): string {
    const state: PlanState = {
      version: this.#snapshot.version,
      predicate: this.#predicate,
      commitsBelow: this.#commitsBelow,
      sources,
      decided: this.#replay.state(),
    };
    return encodeToken(state, this.#snapshot.logSegment.logRoot);
  }

  #isDone(): boolean {
    return this.#commitsBelow === 0 && this.#remaining()?.length === 0;
  }

  /** Files of the checkpoint that are still to come; undefined while commits are. */
  #remaining(): PlanSource[] | undefined {
    if (this.#commitsBelow > 0) return undefined;
    this.#sources ??= this.#checkpointSources();
    return this.#sources;
  }

  #nextSource(): PlanSource | undefined {
    return this.#remaining()?.[0];
  }

  #checkpointSources(): PlanSource[] {
    const { checkpoint } = this.#snapshot.logSegment;
    const isManifest = checkpoint[0]?.kind !== 'multipartCheckpoint' && this.#files.canHaveSidecars;
    return checkpoint.map(({ file }) => ({ file, isManifest, firstRow: 0 }));
  }

  async #readCommits(): Promise<void> {
    while (this.#commitsBelow > 0 && !this.#budget.isSpent) {
      const files = this.#nextCommits();
      if (files.length === 0) this.#commitsBelow = 0;
      else await this.#readCommitFiles(files);
    }
  }

  /** As many of the newest commits to come as the budget has room for, at least one; ascending. */
  #nextCommits(): LogFile[] {
    const { commits, compactions } = this.#snapshot.logSegment;
    const left = commits.filter(({ version }) => version < this.#commitsBelow);
    const usable = compactions.filter(({ endVersion }) => endVersion! < this.#commitsBelow);
    const files = coverWithCompactions(left, usable);
    const { requests, bytes } = this.#budget.left;
    let size = 0;
    let count = 0;
    while (count < files.length) {
      size += files.at(-1 - count)!.file.size;
      if (count > 0 && (count >= requests || size > bytes)) break;
      count += 1;
    }
    return files.slice(files.length - count);
  }

  /** Whole files only: what a commit removes is known when it was read to its end. */
  async #readCommitFiles(files: readonly LogFile[]): Promise<void> {
    const { logSegment } = this.#snapshot;
    const byLocation = new Map(files.map((file) => [file.file.location.href, file]));
    let current: LogFile | undefined;
    for await (const batch of this.#files.commits({ ...logSegment, commits: files, compactions: [] })) {
      const file = byLocation.get(batch.file.location.href)!;
      if (current !== undefined && file !== current) {
        this.#budget.spend(1, current.file.size);
        // Requests were allotted to all these files, and most are under way.
        if (this.#budget.isSpentBesidesRequests) {
          this.#commitsBelow = current.version;
          return;
        }
      }
      current = file;
      this.#hasProgress = true;
      await this.#take(batch);
    }
    // Commits without a batch (empty ones) are read as well.
    if (current !== undefined) this.#budget.spend(1, current.file.size);
    this.#commitsBelow = files[0]!.version;
  }

  /** Rows of one file of the checkpoint until its end or the budget's; false where that has no room for any. */
  async #readSource(source: PlanSource): Promise<boolean> {
    const { file, isManifest } = source;
    const { logSegment } = this.#snapshot;
    const part = await this.#affordable(source);
    if (part === undefined) return false;
    const { endRow } = part;
    const sidecars = new SidecarCollector();
    let { firstRow } = source;
    let counted = 0;
    for await (const batch of this.#files.checkpointFile(logSegment, file, {
      searchSidecars: isManifest,
      firstRow,
      endRow,
    })) {
      const start = startOf(batch.data) ?? counted;
      counted = start + batch.data.length;
      const wanted = rowsBetween(batch.data, start, firstRow, endRow);
      if (wanted.length > 0) {
        if (isManifest) sidecars.collect(wanted);
        await this.#take({ ...batch, data: wanted });
      }
      firstRow = Math.max(firstRow, lastOf(batch.data, start) + 1);
      if (firstRow >= endRow) break;
      // What cannot be read from the middle is read to its end. Requests and bytes were allotted before.
      if (this.#budget.isTimeUp && wanted.length > 0 && !isJson(file)) {
        this.#replaceFirst([{ ...source, firstRow }], sidecars);
        return true;
      }
    }
    this.#hasProgress = true;
    this.#budget.spend(part.requests, part.bytes);
    const isWhole = endRow >= (source.endRow ?? Number.POSITIVE_INFINITY);
    this.#replaceFirst(isWhole ? [] : [{ ...source, firstRow: endRow }], sidecars);
    return true;
  }

  /**
   * How far a file can be read with what the budget has left, in whole row groups, and what that costs. At least one row
   * group where this page has nothing yet; undefined where there is room for none.
   */
  async #affordable(source: PlanSource): Promise<PartCost | undefined> {
    const { file, firstRow, endRow = Number.POSITIVE_INFINITY } = source;
    if (!this.#budget.isCounted) return { endRow, requests: 0, bytes: 0 };
    const { left } = this.#budget;
    const opening = file.size <= ONE_REQUEST_BYTES ? 1 : 2;
    if (this.#hasProgress && left.requests < opening) return undefined;
    if (isJson(file)) return { endRow, requests: 1, bytes: file.size };
    const { rowGroups } = await this.#engine.parquetHandler.readParquetFooter(file, { signal: this.#signal });
    const cost = { requests: opening, bytes: 0 };
    let end = 0;
    let reached = firstRow;
    for (const { numRows, totalByteSize } of rowGroups) {
      const start = end;
      end += numRows;
      if (end <= firstRow || start >= endRow) continue;
      const requests = opening === 1 ? 0 : requestsFor(totalByteSize);
      const bytes = (Math.min(end, endRow) - Math.max(start, firstRow)) * BYTES_PER_ROW;
      const isFirst = reached === firstRow && !this.#hasProgress;
      const fits = cost.requests + requests <= left.requests && cost.bytes + bytes <= left.bytes;
      if (!fits && !isFirst) return reached === firstRow ? undefined : { endRow: reached, ...cost };
      cost.requests += requests;
      cost.bytes += bytes;
      reached = Math.min(end, endRow);
    }
    return { endRow, ...cost };
  }

  /** The source at hand gives way to what is left of it; its sidecars go to the end. */
  #replaceFirst(rest: readonly PlanSource[], sidecars: SidecarCollector): void {
    const found = sidecarFiles(this.#snapshot.logSegment, sidecars.found).map(({ file }) => {
      return { file, isManifest: false, firstRow: 0 };
    });
    this.#sources = [...rest, ...this.#sources!.slice(1), ...found];
  }

  async #take(batch: ActionBatch): Promise<void> {
    this.#signal?.throwIfAborted();
    const kept = await this.#files.keep(batch, this.#replay);
    if (kept !== undefined) for (const file of visitScanFiles(kept)) this.#found.push(file);
  }

  /** Row groups, the least that is worth a read of its own. */
  async #units(sources: readonly PlanSource[] | undefined): Promise<PlanSource[]> {
    const units: PlanSource[] = [];
    for (const source of sources ?? []) {
      const { rowGroups } = await this.#engine.parquetHandler.readParquetFooter(source.file, {
        signal: this.#signal,
      });
      let firstRow = 0;
      for (const { numRows } of rowGroups) {
        if (numRows > 0) units.push({ ...source, firstRow, endRow: firstRow + numRows });
        firstRow += numRows;
      }
    }
    return units;
  }
}

/** Neighbouring parts of one file become one. */
function joined(units: readonly PlanSource[]): PlanSource[] {
  const sources: PlanSource[] = [];
  for (const unit of units) {
    const last = sources.at(-1);
    if (last?.file === unit.file && last.endRow === unit.firstRow) {
      sources[sources.length - 1] = { ...last, endRow: unit.endRow };
    } else sources.push(unit);
  }
  return sources;
}

function isJson({ location }: FileMeta): boolean {
  return location.pathname.endsWith('.json');
}

/** Position of a batch's first row in its file, where the batch says. */
function startOf(data: EngineData): number | undefined {
  return data.length === 0 ? undefined : (data.column([ROW_INDEX])?.getNumber(0) ?? undefined);
}

function lastOf(data: EngineData, start: number): number {
  if (data.length === 0) return start - 1;
  return data.column([ROW_INDEX])?.getNumber(data.length - 1) ?? start + data.length - 1;
}

/** The rows at positions [firstRow, endRow). */
function rowsBetween(data: EngineData, start: number, firstRow: number, endRow: number): EngineData {
  const positions = data.column([ROW_INDEX]);
  const at = (row: number) => positions?.getNumber(row) ?? start + row;
  let from = 0;
  while (from < data.length && at(from) < firstRow) from += 1;
  let to = data.length;
  while (to > from && at(to - 1) >= endRow) to -= 1;
  return data.slice(from, to);
}

/** What a part of a checkpoint's file costs, about. */
interface PartCost {
  readonly endRow: number;
  readonly requests: number;
  readonly bytes: number;
}

/** What reading a row of a checkpoint costs, about, where nobody measures. */
const BYTES_PER_ROW = 100;
/** Bytes that are as soon read as asked for apart: files that are no larger come whole. */
const ONE_REQUEST_BYTES = 256 << 10;
/** Requests for a row group of a few columns, at most. */
const MAX_REQUESTS = 16;

function requestsFor(totalByteSize: number): number {
  return Math.min(MAX_REQUESTS, 1 + Math.floor(totalByteSize / ONE_REQUEST_BYTES));
}
