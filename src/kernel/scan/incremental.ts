/** What changed between two versions, read from the commits between them alone. */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { FilteredEngineData } from '../engine-data.ts';
import type { ActionBatch, LogSegment } from '../log/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { LiveFiles } from './live-files.ts';
import { type FileKey, FileKeys, LogReplay } from './log-replay.ts';
import { type ScanFile, visitScanFiles } from './scan-files.ts';

export interface IncrementalOptions extends CallOptions {
  /** Whether added files carry their statistics. Default true. */
  readonly stats?: boolean | undefined;
}

/**
 * The files of `target` that commits after `base` added. Where the commits between the two are no longer all in
 * target's log segment (a checkpoint took their place), there is no such scan: compare full listings instead.
 */
export class IncrementalScan {
  readonly base: number;
  readonly target: SnapshotState;
  readonly #segment: LogSegment;

  private constructor(base: number, target: SnapshotState, segment: LogSegment) {
    this.base = base;
    this.target = target;
    this.#segment = segment;
  }

  /** Undefined where the log segment of `target` does not hold all commits after `base`. */
  static between(base: { readonly version: number }, target: SnapshotState): IncrementalScan | undefined {
    const { logSegment } = target;
    if (base.version > target.version) {
      throw new DeltaError('InvalidOption', `version ${base.version} is newer than ${target.version}`, {
        table: shownUrl(target.tableRoot),
      });
    }
    const commits = logSegment.commits.filter(({ version }) => version > base.version);
    if (commits.length !== target.version - base.version) return undefined;
    const compactions = logSegment.compactions.filter(({ version }) => version > base.version);
    const segment = { ...logSegment, commits, compactions, checkpoint: [] };
    return new IncrementalScan(base.version, target, segment);
  }

  /** Live adds in batches, newest first, and at the end what has become of every file that the commits mention. */
  async *batches(
    engine: Engine,
    { signal, stats = true }: IncrementalOptions = {},
  ): AsyncGenerator<FilteredEngineData, FileFates, undefined> {
    const files = new LiveFiles(engine, this.target, { signal, stats, tags: true, skipping: undefined });
    const replay = new LogReplay();
    const fates = new FileFates();
    try {
      for await (const batch of files.commits(this.#segment)) {
        signal?.throwIfAborted();
        fates.record(batch);
        const kept = await files.keep(batch, replay);
        if (kept !== undefined) yield kept;
      }
    } catch (error) {
      throw withContext(error, { table: shownUrl(this.target.tableRoot), version: this.target.version });
    }
    return fates;
  }

  /** All at once: fit for the few commits between two versions of a table that is followed. */
  async read(engine: Engine, options: IncrementalOptions = {}): Promise<FileChanges> {
    const added: ScanFile[] = [];
    const batches = this.batches(engine, options);
    for (;;) {
      const next = await batches.next();
      if (next.done) return { added, removed: next.value.removed(), mentioned: next.value.mentioned() };
      added.push(...visitScanFiles(next.value));
    }
  }
}

export interface FileChanges {
  /** Files of the target that the commits added (or added again), newest first. */
  readonly added: readonly ScanFile[];
  /** Files of the base that are no longer in the target. */
  readonly removed: readonly RemovedFile[];
  /** Keys of all files mentioned: target = (base without these) and `added`. */
  readonly mentioned: ReadonlySet<FileKey>;
}

export interface RemovedFile {
  readonly key: FileKey;
  /** In canonical spelling: see `canonicalPath`. */
  readonly path: string;
  /** Which deletion vector the file had. */
  readonly deletionVectorId: string | undefined;
}

interface Fate {
  /** Of the newest commit that mentions the file; an add beats a remove of its own commit. */
  newest: 'add' | 'remove';
  newestCommit: string;
  /** Of the oldest such commit; a remove there says that the file was in the base, whatever else it says. */
  oldest: 'add' | 'remove';
  oldestCommit: string;
}

/** What becomes of each file that commits mention. */
export class FileFates {
  readonly #fates = new Map<FileKey, Fate>();

  /** Batches come newest first. */
  record({ data, file }: ActionBatch): void {
    for (const action of ['add', 'remove'] as const) {
      const keys = FileKeys.of(data, action);
      if (keys === undefined) continue;
      for (let row = 0; row < data.length; row += 1) {
        if (keys.has(row)) this.#mention(keys.at(row), action, file.location.href);
      }
    }
  }

  #mention(key: FileKey, action: 'add' | 'remove', commit: string): void {
    const fate = this.#fates.get(key);
    if (fate === undefined) {
      this.#fates.set(key, { newest: action, newestCommit: commit, oldest: action, oldestCommit: commit });
      return;
    }
    if (fate.newestCommit === commit && action === 'add') fate.newest = 'add';
    if (fate.oldestCommit !== commit || action === 'remove') fate.oldest = action;
    fate.oldestCommit = commit;
  }

  mentioned(): ReadonlySet<FileKey> {
    return new Set(this.#fates.keys());
  }

  /** Files of the base that are gone; what came and went in between is not among them. */
  removed(): RemovedFile[] {
    const gone = [...this.#fates].filter(
      ([, { newest, oldest }]) => newest === 'remove' && oldest === 'remove',
    );
    return gone.map(([key]) => {
      const [path, deletionVectorId] = key.split('\0');
      return { key, path: path!, deletionVectorId };
    });
  }
}
