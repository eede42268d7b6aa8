/** Why a scan reads the files that it reads. */
import type { RowGroupVerdict } from '../engine.ts';
import type { SkipReason } from '../expressions/reasons.ts';
import type { ExplainedFiles } from './live-files.ts';
import { liveRecords, type ScanFile, visitScanFiles } from './scan-files.ts';

export interface ExplainedFile {
  readonly file: ScanFile;
  readonly kept: boolean;
  /** Why the file is skipped; absent where it is kept. */
  readonly reason?: SkipReason;
  /** Of a kept file, where row groups were asked for: which are decoded. Absent where the file is missing. */
  readonly rowGroups?: readonly RowGroupVerdict[];
}

/** The row groups of a kept file; undefined where they cannot be told. */
export type RowGroupExplainer = (file: ScanFile) => Promise<readonly RowGroupVerdict[] | undefined>;

/** Sums over files. */
export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
  /** Rows that are not deleted; null where a file's statistics do not say. */
  readonly rows: number | null;
}

export interface ExplainTotals {
  readonly kept: FileTotals;
  readonly skipped: FileTotals;
}

const NONE: FileTotals = { files: 0, bytes: 0, rows: 0 };

/**
 * The live files of a version, each with its verdict. `totals` are of the files seen so far, so of all of them when
 * an iteration has ended; each iteration begins anew.
 */
export class ScanExplanation implements AsyncIterable<ExplainedFile> {
  readonly #batches: () => AsyncIterable<ExplainedFiles>;
  readonly #rowGroups: RowGroupExplainer | undefined;
  #totals: ExplainTotals = { kept: NONE, skipped: NONE };

  constructor(batches: () => AsyncIterable<ExplainedFiles>, rowGroups?: RowGroupExplainer) {
    this.#batches = batches;
    this.#rowGroups = rowGroups;
  }

  get totals(): ExplainTotals {
    return this.#totals;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExplainedFile, void, undefined> {
    this.#totals = { kept: NONE, skipped: NONE };
    for await (const batch of this.#batches()) {
      const reasons = selectedReasons(batch);
      for (const file of visitScanFiles(batch)) {
        const reason = reasons.next().value;
        const explained: ExplainedFile =
          reason === undefined ? await this.#kept(file) : { file, kept: false, reason };
        this.#count(explained);
        yield explained;
      }
    }
  }

  async #kept(file: ScanFile): Promise<ExplainedFile> {
    const rowGroups = await this.#rowGroups?.(file);
    return rowGroups === undefined ? { file, kept: true } : { file, kept: true, rowGroups };
  }

  #count({ file, kept }: ExplainedFile): void {
    const { kept: read, skipped } = this.#totals;
    this.#totals = kept ? { kept: plus(read, file), skipped } : { kept: read, skipped: plus(skipped, file) };
  }
}

/** The reasons of the selected rows, in order; undefined for those that are kept. */
function* selectedReasons({
  selectionVector,
  reasons,
}: ExplainedFiles): Generator<SkipReason | undefined, undefined> {
  for (const [row, selected] of selectionVector.entries()) if (selected !== 0) yield reasons.get(row);
  return undefined;
}

function plus(totals: FileTotals, file: ScanFile): FileTotals {
  const rows = liveRecords(file);
  return {
    files: totals.files + 1,
    bytes: totals.bytes + file.size,
    rows: rows === undefined || totals.rows === null ? null : totals.rows + rows,
  };
}
