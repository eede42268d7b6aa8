/** The change that waits to be committed. */
import { createEngine, type DeltaTable, type Engine, type WarningListener } from 'delta-kernel-web';
import type { Work, WorkerContext } from '../context.ts';
import type { Import } from '../import.ts';
import type { ChangeStep, Outcome, WriteCalls } from '../protocol-write.ts';
import { HeldChange, type Stop } from './change.ts';
import { createTableOf } from './create.ts';

const ENGINE_INFO = 'delta-kernel-web inspector';

type Task = Pick<Work, 'signal' | 'report'>;

/** What a change gives in the end. */
interface Made {
  readonly what: string;
  /** Undefined where nothing was to be done. */
  readonly version: number | undefined;
  readonly table?: DeltaTable;
  readonly made?: Outcome['made'];
}

export function outcome(parts: Pick<Outcome, 'what' | 'version'> & Partial<Outcome>): Outcome {
  return { rebasedFrom: undefined, warnings: [], made: undefined, ...parts };
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The change that waits: at most one. */
export class Writer {
  readonly #context: WorkerContext;
  #import: Import | undefined;
  #change: HeldChange<Made> | undefined;
  #engine: Engine | undefined;
  #warnings: string[] = [];

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  keep(given: Import) {
    this.#import = given;
    return given.check;
  }

  append(table: DeltaTable, work: Task): Promise<ChangeStep> {
    const rows = this.#import?.rows ?? [];
    return this.#begin(table, work, async (held, abort, onWarning) => {
      const before = held.version;
      const version = await held.append(rows, { signal: abort, engineInfo: ENGINE_INFO, onWarning });
      return { what: 'Appended', version: version === before ? undefined : version, table: held };
    });
  }

  delete(table: DeltaTable, where: string, work: Task): Promise<ChangeStep> {
    return this.#begin(table, work, async (held, abort, onWarning) => {
      const result = await held.delete(where, { signal: abort, engineInfo: ENGINE_INFO, onWarning });
      const version = result.deletedRows === 0 ? undefined : result.version;
      return { what: `Deleted ${counted(result.deletedRows, 'row')}`, version, table: held };
    });
  }

  async create(table: Parameters<WriteCalls['planCreate']>[1], work: Task): Promise<ChangeStep> {
    this.discard();
    const creation = await createTableOf(table, { engineInfo: ENGINE_INFO, onWarning: this.#onWarning });
    return this.#first(
      new HeldChange<Made>(creation.storage, async (storage, abort) => {
        const version = await creation.run(storage, abort);
        return { what: 'Created the table', version, made: table.place };
      }),
      work,
    );
  }

  async goOn(id: number, work: Task): Promise<ChangeStep> {
    const change = this.#change;
    if (change?.id !== id) throw new Error('no change waits to be committed: prepare it again');
    change.goOn();
    return this.#step(change, work);
  }

  /** @param id of the change that is meant; whichever waits by default. */
  discard(id = this.#change?.id): void {
    if (id !== this.#change?.id) return;
    this.#change?.discard();
    this.#change = undefined;
    this.#warnings = [];
  }

  close(): void {
    this.discard();
    this.#import = undefined;
  }

  readonly #onWarning: WarningListener = (warning) => this.#warnings.push(warning.message);

  #begin(
    table: DeltaTable,
    work: Task,
    run: (held: DeltaTable, signal: AbortSignal, onWarning: WarningListener) => Promise<Made>,
  ): Promise<ChangeStep> {
    this.discard();
    this.#engine = table.engine;
    const change = new HeldChange(table.engine.storageHandler, (storage, abort) =>
      run(table.withEngine(createEngine({ storage })), abort, this.#onWarning),
    );
    return this.#first(change, work);
  }

  #first(change: HeldChange<Made>, work: Task): Promise<ChangeStep> {
    this.#change = change;
    return this.#step(change, work);
  }

  async #step(change: HeldChange<Made>, work: Task): Promise<ChangeStep> {
    let stop: Stop<Made>;
    try {
      stop = await change.next(work);
    } catch (error) {
      if (this.#change === change) this.#change = undefined;
      throw error;
    }
    if (stop.kind !== 'end') return stop;
    this.#change = undefined;
    return this.#done(change, stop.value);
  }

  #done({ plannedVersion }: HeldChange<Made>, { what, version, table, made }: Made): ChangeStep {
    if (version === undefined) return { kind: 'nothing' };
    this.#import = undefined;
    if (table !== undefined && this.#engine !== undefined)
      this.#context.replace(table.withEngine(this.#engine));
    const rebasedFrom = plannedVersion === version ? undefined : plannedVersion;
    return {
      kind: 'done',
      done: outcome({ what, version, rebasedFrom, warnings: this.#warnings.splice(0), made }),
    };
  }
}
