/** Live files of a version, batch by batch: log replay, then skipping, then the columns that a scan gives out. */
import { shownUrl, withContext } from '../../errors.ts';
import { actionField, actionsSchema } from '../actions/schemas.ts';
import type { CallOptions, Engine, ExpressionEvaluator, FileMeta } from '../engine.ts';
import type { EngineData, FilteredEngineData } from '../engine-data.ts';
import type { SkipReason } from '../expressions/explain.ts';
import type { Expression } from '../expressions/types.ts';
import { prefetchInOrder } from '../log/prefetch.ts';
import { readActions } from '../log/read-actions.ts';
import type { ActionBatch, LogSegment } from '../log/types.ts';
import { field, METADATA_KEYS, type StructField, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import { type AddColumns, checkpointColumns, textColumns } from './checkpoint-columns.ts';
import { type BatchSkipping, type FileSkipping, typeAt } from './file-skipping.ts';
import { LogReplay } from './log-replay.ts';
import { scanFileSchema } from './scan-files.ts';

export interface LiveFilesOptions extends CallOptions {
  readonly skipping: FileSkipping | undefined;
  /** Whether files come with their statistics as JSON text. */
  readonly stats: boolean;
  /** Whether files come with tags and clustering provider. */
  readonly tags: boolean;
}

/** A batch with its live rows, and why each of those that are skipped is. */
export interface ExplainedFiles extends FilteredEngineData {
  readonly reasons: ReadonlyMap<number, SkipReason>;
}

/** Name of the position of a row in its file, in batches that have it. */
export const ROW_INDEX = 'rowIndex';
const rowIndexField = field(ROW_INDEX, types.long, {
  nullable: false,
  metadata: { [METADATA_KEYS.metadataColumn]: 'rowIndex' },
});

const BASE_FIELDS = [
  'path',
  'partitionValues',
  'size',
  'modificationTime',
  'deletionVector',
  'baseRowId',
  'defaultRowCommitVersion',
];
const NO_TEXT: Expression = { kind: 'literal', literal: { type: types.string, value: null } };
const TAG_FIELDS = ['tags', 'clusteringProvider'];

/** What is read of the log, and how batches of it become batches of {@link scanFileSchema}. */
export class LiveFiles {
  readonly #engine: Engine;
  readonly #snapshot: SnapshotState;
  readonly #options: LiveFilesOptions;
  readonly #columns: AddColumns;
  /** By the schema objects of the batches, which are few. */
  readonly #skippers = new Map<StructType, BatchSkipping>();
  readonly #projections = new Map<StructType, ExpressionEvaluator>();

  constructor(engine: Engine, snapshot: SnapshotState, options: LiveFilesOptions) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#options = options;
    const fields = options.tags ? [...BASE_FIELDS, ...TAG_FIELDS] : BASE_FIELDS;
    this.#columns = {
      base: types.struct([actionField('add', ...fields)]),
      statsText: options.stats,
      textIsWritten: snapshot.tableProperties.checkpointWriteStatsAsJson,
      skipping: options.skipping,
    };
  }

  /** Whether a checkpoint may have sidecars: by the protocol, where it is not multi-part. */
  get canHaveSidecars(): boolean {
    return isFeatureSupported(this.#snapshot.protocol, 'v2Checkpoint');
  }

  /** Adds and removes of commits, newest first. */
  commits(segment: LogSegment): AsyncGenerator<ActionBatch, void, undefined> {
    const { signal } = this.#options;
    const remove = actionField('remove', 'path', 'deletionVector');
    const schema = types.struct([...textColumns(this.#columns).fields, remove]);
    return readActions(this.#engine, segment, schema, { signal, commitsOnly: true });
  }

  /** Adds of the whole checkpoint. */
  checkpoint(segment: LogSegment): AsyncGenerator<ActionBatch, void, undefined> {
    const { signal } = this.#options;
    return readActions(this.#engine, segment, textColumns(this.#columns), {
      signal,
      checkpointOnly: true,
      v2Checkpoint: this.canHaveSidecars,
      checkpointFile: (file) => checkpointColumns(this.#engine, file, this.#columns, { signal }),
    });
  }

  /**
   * Adds, and where searched for sidecars, of one file of a checkpoint, of about rows [firstRow, endRow). Batches of a
   * Parquet file have {@link ROW_INDEX} besides.
   */
  checkpointFile(
    segment: LogSegment,
    file: FileMeta,
    {
      searchSidecars,
      firstRow,
      endRow,
    }: { searchSidecars: boolean; firstRow: number; endRow?: number | undefined },
  ): AsyncGenerator<ActionBatch, void, undefined> {
    const { signal } = this.#options;
    const more = searchSidecars ? actionsSchema('sidecar').fields : [];
    const extended = (schema: StructType, ...fields: readonly StructField[]) =>
      types.struct([...schema.fields, ...more, ...fields]);
    const version = segment.checkpointVersion ?? segment.version;
    const only: LogSegment = {
      ...segment,
      checkpoint: [{ kind: 'classicCheckpoint', version, file }],
      checkpointVersion: version,
    };
    return readActions(this.#engine, only, extended(textColumns(this.#columns)), {
      signal,
      checkpointOnly: true,
      v2Checkpoint: false,
      checkpointFile: async () => {
        const columns = await checkpointColumns(this.#engine, file, this.#columns, { signal });
        return { ...columns, schema: extended(columns.schema, rowIndexField), firstRow, endRow };
      },
    });
  }

  /** Actions of a version, newest first: commits and checkpoint are asked for side by side. */
  #actions(): AsyncGenerator<ActionBatch, void, undefined> {
    const { logSegment } = this.#snapshot;
    const sources = [{ open: () => this.commits(logSegment) }];
    if (logSegment.checkpoint.length > 0) sources.push({ open: () => this.checkpoint(logSegment) });
    return prefetchInOrder(sources, { sources: 2 });
  }

  /** Batches with at least one file that must be read, in the order of the log. */
  async *kept(): AsyncGenerator<FilteredEngineData, void, undefined> {
    const replay = new LogReplay();
    for await (const batch of this.#actions()) {
      this.#options.signal?.throwIfAborted();
      const kept = await this.keep(batch, replay);
      if (kept !== undefined) yield kept;
    }
  }

  /** One batch of actions: deduplicated first, since a skipped file must still hide what it replaced. */
  async keep(batch: ActionBatch, replay: LogReplay): Promise<FilteredEngineData | undefined> {
    return this.#inBatch(batch, async () => {
      const live = replay.select(batch);
      const skipping = live && this.#skipper(batch.data.schema);
      const selection = live && skipping ? await keepOf(skipping, batch.data, live) : live;
      if (selection === undefined) return undefined;
      return { data: await this.#project(batch.data), selectionVector: selection };
    });
  }

  /** All live files, with the reasons of those that are skipped. */
  async *explained(): AsyncGenerator<ExplainedFiles, void, undefined> {
    const replay = new LogReplay();
    for await (const batch of this.#actions()) {
      this.#options.signal?.throwIfAborted();
      const explained = await this.#inBatch(batch, async () => {
        const live = replay.select(batch);
        if (live === undefined) return undefined;
        const skipping = this.#skipper(batch.data.schema);
        const reasons = skipping ? await reasonsOf(skipping, batch.data, live) : new Map();
        return { data: await this.#project(batch.data), selectionVector: live, reasons };
      });
      if (explained !== undefined) yield explained;
    }
  }

  async #inBatch<T>(batch: ActionBatch, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const { version, tableRoot } = this.#snapshot;
      throw withContext(error, { table: shownUrl(tableRoot), version, path: shownUrl(batch.file.location) });
    }
  }

  #skipper(schema: StructType): BatchSkipping | undefined {
    const { skipping } = this.#options;
    if (skipping?.isActive !== true) return undefined;
    const known = this.#skippers.get(schema);
    if (known !== undefined) return known;
    const created = skipping.forBatches(this.#engine, schema);
    this.#skippers.set(schema, created);
    return created;
  }

  async #project(data: EngineData): Promise<EngineData> {
    let evaluator = this.#projections.get(data.schema);
    if (evaluator === undefined) {
      const expression = this.#scanFileExpression(data.schema);
      evaluator = this.#engine.evaluationHandler.newExpressionEvaluator(
        data.schema,
        expression,
        scanFileSchema,
      );
      this.#projections.set(data.schema, evaluator);
    }
    return evaluator.evaluate(data);
  }

  #scanFileExpression(batchSchema: StructType): Expression {
    const of = (schema: StructType): Expression => ({
      kind: 'struct',
      fields: schema.fields.map(({ name, type }): Expression => {
        if (name === 'fileConstantValues') return of(type as StructType);
        if (name === 'stats') return this.#statsExpression(batchSchema);
        const path = ['add', name];
        if (typeAt(batchSchema, path) !== undefined) return { kind: 'column', path };
        return { kind: 'literal', literal: { type, value: null } };
      }),
    });
    return of(scanFileSchema);
  }

  #statsExpression(batchSchema: StructType): Expression {
    const text = { kind: 'column', path: ['add', 'stats'] } as const;
    if (!this.#options.stats) return NO_TEXT;
    const parsed = { kind: 'column', path: ['add', 'stats_parsed'] } as const;
    const json: Expression = { kind: 'toJson', input: parsed };
    const hasParsed = typeAt(batchSchema, parsed.path) !== undefined;
    if (typeAt(batchSchema, text.path) === undefined) return hasParsed ? json : NO_TEXT;
    return hasParsed && !this.#columns.textIsWritten ? { kind: 'coalesce', inputs: [text, json] } : text;
  }
}

/** `live` without the rows that are skipped; undefined where none is left. */
async function keepOf(
  skipping: BatchSkipping,
  data: EngineData,
  live: Uint8Array,
): Promise<Uint8Array | undefined> {
  const keep = await skipping.keep(data.select(live));
  if (!keep.includes(0)) return live;
  let next = 0;
  const selection = live.map((selected) => (selected === 0 ? 0 : keep[next++]!));
  return selection.includes(1) ? selection : undefined;
}

async function reasonsOf(
  skipping: BatchSkipping,
  data: EngineData,
  live: Uint8Array,
): Promise<Map<number, SkipReason>> {
  const reasons = await skipping.explain(data.select(live));
  const byRow = new Map<number, SkipReason>();
  let next = 0;
  for (const [row, selected] of live.entries()) {
    const reason = selected === 0 ? undefined : reasons[next++];
    if (reason !== undefined) byRow.set(row, reason);
  }
  return byRow;
}
