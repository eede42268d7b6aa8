/** Changes of the open table, and new tables. */
import {
  createEngine,
  type DeltaTable,
  type Engine,
  jsonWriters,
  type WarningListener,
} from 'delta-kernel-web';
import type { Work, WorkerContext } from '../context.ts';
import { type Import, inferColumns, readImport } from '../import.ts';
import type { ChangeStep, Outcome, WriteCalls } from '../protocol-write.ts';
import { HeldChange, type Stop } from './change.ts';
import { createTableOf } from './create.ts';
import { FileWork } from './file-work.ts';
import { writeState } from './state.ts';

const ENGINE_INFO = 'delta-kernel-web inspector';
const PREVIEW_ROWS = 20;

type Task = Pick<Work, 'signal' | 'report'>;

/** What a change gives in the end. */
interface Made {
  readonly what: string;
  /** Undefined where nothing was to be done. */
  readonly version: number | undefined;
  readonly table?: DeltaTable;
  readonly made?: Outcome['made'];
}

export function loadedCalls(context: WorkerContext): WriteCalls {
  const writer = new Writer(context);
  const files = new FileWork();
  context.onClose(() => {
    writer.close();
    files.forget();
  });
  const newest = ({ table, signal }: Work) => table.refresh({ signal });
  return {
    writeState: (task) => context.run(task, async (work) => writeState(await newest(work))),
    checkImport: (task, input, options) =>
      context.run(task, async (work) =>
        writer.keep(await readImport((await newest(work)).schema, input, options, work)),
      ),
    inferColumns: (task, input) => context.runAlone(task, (signal) => inferColumns(input, signal)),
    planAppend: (task) => context.run(task, async (work) => writer.append(await newest(work), work)),
    planDelete: (task, where) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const preview = await firstRows(table, where, work.signal);
        return { ...preview, step: await writer.delete(table, where, work) };
      }),
    planCreate: (task, table) =>
      context.runAlone(task, (signal, report) => writer.create(table, { signal, report })),
    goOn: (task, change) =>
      context.runAlone(task, (signal, report) => writer.goOn(change, { signal, report })),
    discardChange: async (change) => writer.discard(change),
    planCheckpoint: (task) =>
      context.run(task, async (work) => files.planCheckpoint(await newest(work), work)),
    writeCheckpoint: (task) =>
      context.run(task, async (work) => files.writeCheckpoint(work, (table) => context.replace(table))),
    publish: (task) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const version = await table.publish({ signal: work.signal });
        context.replace(table);
        return outcome({ what: 'Published', version });
      }),
    planVacuum: (task) => context.run(task, async (work) => files.vacuum(await newest(work), work, true)),
    runVacuum: (task) =>
      context.run(task, async (work) => {
        const table = await newest(work);
        const { numFiles } = await files.vacuum(table, work, false);
        return outcome({ what: `Deleted ${counted(numFiles, 'unused file')}`, version: table.version });
      }),
  };
}

function outcome(parts: Pick<Outcome, 'what' | 'version'> & Partial<Outcome>): Outcome {
  return { rebasedFrom: undefined, warnings: [], made: undefined, ...parts };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The change that waits: at most one. */
class Writer {
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

/** The first rows for which a filter is true. */
async function firstRows(table: DeltaTable, where: string, signal: AbortSignal) {
  const scan = table.scan({ where, limit: PREVIEW_ROWS, signal });
  const rows: (string | null)[][] = [];
  for await (const batch of scan) {
    const writers = jsonWriters(batch, scan.schema);
    const { children } = batch.data;
    for (let row = 0; row < batch.numRows; row += 1) {
      rows.push(writers.map((write, at) => (children[at]?.getValid(row) ? write(row) : null)));
    }
  }
  return { columns: scan.schema.fields.map(({ name }) => name), rows };
}
