/**
 * The columns of checkpoints (`PROTOCOL.md`, "Checkpoint Schema"), and how rows of the log become rows of them: batch
 * by batch, without an object per file.
 */
import { actionField, addSchema } from '../actions/schemas.ts';
import { physicalReadSchema } from '../column-mapping/physical-schema.ts';
import { partitionFields } from '../column-mapping/resolve.ts';
import type { CallOptions, Engine, ExpressionEvaluator } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { statsSchema } from '../expressions/stats-schema.ts';
import type { Expression } from '../expressions/types.ts';
import { typeAt } from '../scan/file-skipping.ts';
import { partitionKey } from '../scan/scan-schema.ts';
import { type DataType, field, type StructField, type StructType, types } from '../schema/types.ts';
import { findDomainMetadata } from '../snapshot/app-state.ts';
import { CLUSTERING_DOMAIN, parseClusteringColumns } from '../snapshot/clustering.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';
import { statsColumns } from '../transaction/stats-columns.ts';
import type { FileActions } from './chunks.ts';

/** What a table wants of the statistics in its checkpoints. */
export interface StatsLayout {
  /** `add.stats` (`delta.checkpoint.writeStatsAsJson`). */
  readonly text: boolean;
  /** The type of `add.stats_parsed` (`delta.checkpoint.writeStatsAsStruct`). */
  readonly parsed: StructType | undefined;
  /** The type of `add.partitionValues_parsed`, and the same under the keys of `partitionValues`. */
  readonly partitions: { readonly parsed: StructType; readonly byKey: StructType } | undefined;
}

/** Fields of `remove` that a checkpoint keeps: what readers of an older version and vacuum need. */
const REMOVE_FIELD: StructField = actionField(
  'remove',
  'path',
  'deletionTimestamp',
  'dataChange',
  'extendedFileMetadata',
  'partitionValues',
  'size',
  'deletionVector',
  'baseRowId',
  'defaultRowCommitVersion',
);

/** What is read of the log, besides statistics, to write a checkpoint. */
export const FILE_ACTIONS_READ: readonly StructField[] = [
  field(
    'add',
    types.struct(addSchema.fields.filter(({ name }) => name !== 'stats' && name !== 'dataChange')),
  ),
  REMOVE_FIELD,
];

export async function statsLayout(
  engine: Engine,
  snapshot: SnapshotState,
  options: CallOptions,
): Promise<StatsLayout> {
  const { tableProperties } = snapshot;
  const text = tableProperties.checkpointWriteStatsAsJson;
  if (!tableProperties.checkpointWriteStatsAsStruct) {
    return { text, parsed: undefined, partitions: undefined };
  }
  const { schema, metadata } = snapshot;
  const isData = ({ name }: StructField) => !metadata.partitionColumns.includes(name);
  const dataSchema = types.struct(schema.fields.filter(isData));
  const columns = statsColumns(snapshot, dataSchema, await clusteringColumns(engine, snapshot, options));
  const physical = physicalReadSchema(dataSchema, tableProperties.columnMappingMode);
  return { text, parsed: statsSchema(columns, physical), partitions: partitionLayout(snapshot) };
}

async function clusteringColumns(
  engine: Engine,
  { protocol, logSegment, checksum, schema, tableProperties }: SnapshotState,
  options: CallOptions,
): Promise<string[][]> {
  if (!isFeatureSupported(protocol, 'clustering')) return [];
  const found = await findDomainMetadata(engine, logSegment, checksum, CLUSTERING_DOMAIN, options);
  if (found === undefined) return [];
  return parseClusteringColumns(found.configuration, schema, tableProperties.columnMappingMode);
}

function partitionLayout(snapshot: SnapshotState): StatsLayout['partitions'] {
  const { schema, metadata, tableProperties } = snapshot;
  const columns = partitionFields(schema, metadata.partitionColumns, tableProperties.columnMappingMode);
  if (columns.length === 0) return undefined;
  const named = (nameOf: (physical: string) => string) =>
    types.struct(columns.map(({ field: { type }, physicalName }) => field(nameOf(physicalName), type)));
  return { parsed: named((name) => name), byKey: named((name) => partitionKey(snapshot, name)) };
}

/** The columns `add` and `remove` of a checkpoint. */
export function fileActionsSchema({ text, parsed, partitions }: StatsLayout): StructType {
  const fields = addSchema.fields.filter(({ name }) => name !== 'stats' || text);
  if (partitions !== undefined) fields.push(field('partitionValues_parsed', partitions.parsed));
  if (parsed !== undefined) fields.push(field('stats_parsed', parsed));
  return types.struct([field('add', types.struct(fields)), REMOVE_FIELD]);
}

type Projection = (data: EngineData) => Promise<EngineData>;

/** Makes rows of {@link fileActionsSchema} of rows that hold one kind of action each. */
export class FileActionProjections {
  readonly #engine: Engine;
  readonly #layout: StatsLayout;
  readonly #schema: StructType;
  /** By the schema objects of the batches, which are few. */
  readonly #adds = new Map<StructType, Projection>();
  readonly #removes = new Map<StructType, Projection>();

  constructor(engine: Engine, layout: StatsLayout) {
    this.#engine = engine;
    this.#layout = layout;
    this.#schema = fileActionsSchema(layout);
  }

  async *projectAll(
    batches: AsyncIterable<FileActions> | Iterable<FileActions>,
  ): AsyncGenerator<EngineData, void, undefined> {
    for await (const batch of batches) yield await this.project(batch);
  }

  project({ action, data }: FileActions): Promise<EngineData> {
    const known = action === 'add' ? this.#adds : this.#removes;
    let projection = known.get(data.schema);
    if (projection === undefined) {
      projection = action === 'add' ? this.#projectAdds(data.schema) : this.#projectRemoves(data.schema);
      known.set(data.schema, projection);
    }
    return projection(data);
  }

  #projectRemoves(input: StructType): Projection {
    const [add, remove] = this.#schema.fields as [StructField, StructField];
    const value = structOf(remove.type, (name) =>
      name === 'dataChange' ? NO_CHANGE : column('remove', name),
    );
    const evaluator = this.#evaluator(input, struct(nullOf(add.type), value), this.#schema);
    return async (data) => evaluator.evaluate(data);
  }

  /** Statistics first: as text where any are wanted, of whichever form is there; parsed from that text. */
  #projectAdds(input: StructType): Projection {
    const { text, parsed, partitions } = this.#layout;
    const steps: { readonly outputs: StructType; readonly evaluator: ExpressionEvaluator }[] = [];
    let known = input;
    const add = (name: string, type: DataType, expression: Expression) => {
      const outputs = types.struct([field(name, type)]);
      steps.push({ outputs, evaluator: this.#evaluator(known, struct(expression), outputs) });
      known = types.struct([...known.fields, ...outputs.fields]);
    };
    if (text || parsed) add(STATS_TEXT, types.string, statsText(input));
    if (parsed) add(STATS_PARSED, parsed, { kind: 'parseJson', input: column(STATS_TEXT), schema: parsed });
    if (partitions) {
      const map = column('add', 'partitionValues');
      add(PARTITIONS, partitions.parsed, { kind: 'mapToStruct', input: map, schema: partitions.byKey });
    }
    const last = this.#evaluator(known, this.#addExpression(), this.#schema);
    return async (data) => {
      let current = data;
      for (const { evaluator } of steps) current = current.appendColumns(await evaluator.evaluate(current));
      return last.evaluate(current);
    };
  }

  #addExpression(): Expression {
    const [add, remove] = this.#schema.fields as [StructField, StructField];
    const value = structOf(add.type, (name, type) => {
      if (name === 'dataChange') return NO_CHANGE;
      if (name === 'stats') return column(STATS_TEXT);
      if (name === 'partitionValues_parsed') return column(PARTITIONS);
      if (name !== 'stats_parsed') return column('add', name);
      // A file without statistics has none, instead of a struct of nulls.
      const fields = structOf(type, (each) => column(STATS_PARSED, each));
      return { ...fields, keep: { kind: 'not', input: { kind: 'isNull', input: column(STATS_TEXT) } } };
    });
    return struct(value, nullOf(remove.type));
  }

  #evaluator(input: StructType, expression: Expression, output: StructType): ExpressionEvaluator {
    return this.#engine.evaluationHandler.newExpressionEvaluator(input, expression, output);
  }
}

const STATS_TEXT = 'statsText';
const STATS_PARSED = 'statsParsed';
const PARTITIONS = 'partitions';
/** In a checkpoint nothing changes (`PROTOCOL.md` leaves the value to writers; Spark's is false). */
const NO_CHANGE: Expression = { kind: 'literal', literal: { type: types.boolean, value: false } };

function column(...path: readonly string[]): Expression {
  return { kind: 'column', path };
}

function struct(...fields: readonly Expression[]): Expression & { kind: 'struct' } {
  return { kind: 'struct', fields };
}

function structOf(
  type: DataType,
  expressionOf: (name: string, type: DataType) => Expression,
): Expression & { kind: 'struct' } {
  const fields = type.kind === 'struct' ? type.fields : [];
  return struct(...fields.map((each) => expressionOf(each.name, each.type)));
}

function nullOf(type: DataType): Expression {
  return { kind: 'literal', literal: { type, value: null } };
}

/** Text where the log has it, else what it has parsed. */
function statsText(input: StructType): Expression {
  const has = (name: string) => typeAt(input, ['add', name]) !== undefined;
  const inputs: Expression[] = [];
  if (has('stats')) inputs.push(column('add', 'stats'));
  if (has('stats_parsed')) inputs.push({ kind: 'toJson', input: column('add', 'stats_parsed') });
  const [first] = inputs;
  if (first === undefined) return nullOf(types.string);
  return inputs.length === 1 ? first : { kind: 'coalesce', inputs };
}
