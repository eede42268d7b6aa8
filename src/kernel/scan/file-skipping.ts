/**
 * Which live files a predicate can leave out (`PROTOCOL.md`, "Per-file Statistics"): by their partition values and by
 * their statistics, of which only what the predicate needs is read and parsed.
 */
import { DeltaError, isDeltaError } from '../../errors.ts';
import { physicalReadSchema } from '../column-mapping/physical-schema.ts';
import { logicalPath, physicalPath } from '../column-mapping/resolve.ts';
import type { Engine, ExpressionEvaluator, PredicateEvaluator } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { bindPredicate } from '../expressions/bind.ts';
import { type SkipReason, skipExplainer } from '../expressions/explain.ts';
import { keepUnlessFalse, type SkippingConjunct, skippingConjuncts } from '../expressions/skipping.ts';
import { partitionValuesSchema, statsSchema } from '../expressions/stats-schema.ts';
import type { Expression, Predicate, ScalarValue } from '../expressions/types.ts';
import { mapColumns, referencedColumns } from '../expressions/visit.ts';
import { parsePartitionValue } from '../partition-values/parse.ts';
import { type DataType, field, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { partitionKey, partitionKeys } from './scan-schema.ts';

/** A predicate in the three forms in which a scan uses it. */
export class FileSkipping {
  /** Bound to the table's logical schema. */
  readonly predicate: Predicate;
  /** The same on physical names, for row groups of data files; what partition columns say is unknown there. */
  readonly physicalPredicate: Predicate;
  /** False for files without a row that matches; over {@link FileSkipping.stats} and `partitionValues`. */
  readonly skipping: Predicate;
  /** The statistics that `skipping` reads, no others; without fields where it reads none. */
  readonly stats: StructType;
  /** The typed partition values that it reads, by physical name. */
  readonly partitionValues: StructType;
  /** The same under the names that `partitionValues` of the log has. */
  readonly partitionMap: StructType;
  readonly #conjuncts: readonly SkippingConjunct[];
  readonly #partitionKeys: ReturnType<typeof partitionKeys>;

  /** Throws `InvalidExpression` for a predicate that does not fit the table. */
  constructor(snapshot: SnapshotState, predicate: Predicate) {
    const { schema } = snapshot;
    const mode = snapshot.tableProperties.columnMappingMode;
    const physicalSchema = physicalReadSchema(schema, mode);
    this.#partitionKeys = partitionKeys(snapshot);
    const partitionColumns = [...this.#partitionKeys.keys()];
    this.predicate = bindPredicate(predicate, schema);
    const physical = mapColumns(this.predicate, (path) => physicalPath(schema, path, mode));
    this.physicalPredicate = mapColumns(physical, (path) => {
      return this.#partitionKeys.has(path[0]!) ? { kind: 'unknown', name: path[0]! } : path;
    });
    this.#conjuncts = skippingConjuncts(physical, {
      source: 'deltaStats',
      schema: physicalSchema,
      partitionColumns,
      displayPath: (path) => logicalPath(schema, path, mode),
    });
    this.skipping = { kind: 'and', inputs: this.#conjuncts.map((conjunct) => conjunct.skipping) };
    const read = referencedColumns(this.skipping);
    const columns = referencedColumns(physical).filter(([name]) => !this.#partitionKeys.has(name!));
    this.stats = narrowed(statsSchema(columns, physicalSchema), read);
    const partitionsRead = read.flatMap(([part, name]) => (part === 'partitionValues' ? [name!] : []));
    this.partitionValues = partitionValuesSchema(partitionsRead, physicalSchema);
    this.partitionMap = types.struct(
      this.partitionValues.fields.map((each) => ({ ...each, name: partitionKey(snapshot, each.name) })),
    );
  }

  /** Whether there is anything to decide by. */
  get isActive(): boolean {
    return referencedColumns(this.skipping).length > 0 || isNever(this.skipping);
  }

  /** For the batches of one schema, whose `add` has the columns wanted of it. */
  forBatches(engine: Engine, batchSchema: StructType): BatchSkipping {
    const explain = skipExplainer(this.#conjuncts, this.#statisticsSchema());
    return new BatchSkipping(engine, batchSchema, this, explain, this.#partitionKeys);
  }

  #statisticsSchema(): StructType {
    return types.struct([...this.stats.fields, field('partitionValues', this.partitionValues)]);
  }
}

/** Skips within batches of one schema. */
export class BatchSkipping {
  readonly #skipping: FileSkipping;
  readonly #explain: ReturnType<typeof skipExplainer>;
  readonly #partitionKeys: ReturnType<typeof partitionKeys>;
  readonly #inputs: ExpressionEvaluator;
  readonly #statistics: ExpressionEvaluator;
  readonly #statisticsSchema: StructType;
  readonly #predicate: PredicateEvaluator;

  constructor(
    engine: Engine,
    batchSchema: StructType,
    skipping: FileSkipping,
    explain: ReturnType<typeof skipExplainer>,
    keys: ReturnType<typeof partitionKeys>,
  ) {
    this.#skipping = skipping;
    this.#explain = explain;
    this.#partitionKeys = keys;
    const { evaluationHandler } = engine;
    const { stats, partitionValues } = statisticsOf(batchSchema, skipping);
    const parts = [stats, partitionValues].filter((part) => part !== undefined);
    const inputSchema = types.struct(parts.map(({ input }) => input));
    this.#inputs = evaluationHandler.newExpressionEvaluator(
      batchSchema,
      { kind: 'struct', fields: parts.map(({ path }) => ({ kind: 'column', path })) },
      inputSchema,
    );
    this.#statisticsSchema = types.struct(parts.map(({ output }) => output));
    this.#statistics = evaluationHandler.newExpressionEvaluator(
      inputSchema,
      { kind: 'struct', fields: parts.map(({ expression }) => expression) },
      this.#statisticsSchema,
    );
    const predicate = mapColumns(skipping.skipping, (path) => {
      return located(path, this.#statisticsSchema) ?? nullOf(path, skipping);
    });
    this.#predicate = evaluationHandler.newPredicateEvaluator(
      this.#statisticsSchema,
      keepUnlessFalse(predicate),
    );
  }

  /**
   * For each row of a batch of live adds: 1 where the file must be read. Only live adds may come in: a partition
   * value that does not parse is a `ParseError` naming the file and the column.
   */
  async keep(adds: EngineData): Promise<Uint8Array> {
    if (this.#statisticsSchema.fields.length === 0) {
      return new Uint8Array(adds.length).fill(isNever(this.#skipping.skipping) ? 0 : 1);
    }
    const statistics = await this.#evaluate(adds);
    const output = (await this.#predicate.evaluate(statistics)).column(['output'])!;
    return Uint8Array.from({ length: adds.length }, (_, row) => (output.getBoolean(row) === false ? 0 : 1));
  }

  /** For each row of a batch of live adds: why its file is skipped, undefined where it is kept. */
  async explain(adds: EngineData): Promise<(SkipReason | undefined)[]> {
    const statistics = await this.#evaluate(adds);
    const { stats, partitionValues } = this.#skipping;
    const read = (path: readonly string[], type: DataType, row: number): ScalarValue => {
      if (type.kind === 'struct')
        return type.fields.map((each) => read([...path, each.name], each.type, row));
      return statistics.column(path)?.getValue(row) ?? null;
    };
    return Array.from({ length: adds.length }, (_, row) => {
      const values = stats.fields.map(({ name, type }) => read(['stats', name], type, row));
      return this.#explain([...values, read(['partitionValues'], partitionValues, row)]);
    });
  }

  async #evaluate(adds: EngineData): Promise<EngineData> {
    if (this.#statisticsSchema.fields.length === 0) return adds;
    const inputs = await this.#inputs.evaluate(adds);
    try {
      return await this.#statistics.evaluate(inputs);
    } catch (error) {
      if (isDeltaError(error, 'ParseError')) this.#findMalformed(adds);
      throw error;
    }
  }

  /** Throws with file and column where a partition value of the batch does not parse. */
  #findMalformed(adds: EngineData): void {
    const maps = adds.column(['add', 'partitionValues']);
    const paths = adds.column(['add', 'path']);
    if (maps === undefined || paths === undefined) return;
    for (let row = 0; row < adds.length; row += 1) {
      const values = maps.getStringMap(row);
      for (const [index, { name, type }] of this.#skipping.partitionValues.fields.entries()) {
        const column = this.#partitionKeys.get(name)?.name ?? name;
        const key = this.#skipping.partitionMap.fields[index]!.name;
        parsePartitionValue(values?.get(key), type, { path: paths.getString(row) ?? '', column });
      }
    }
  }
}

interface StatisticsPart {
  readonly path: readonly string[];
  readonly input: ReturnType<typeof field>;
  readonly output: ReturnType<typeof field>;
  readonly expression: Expression;
}

/** How statistics come out of the columns that a batch has. */
function statisticsOf(
  batchSchema: StructType,
  skipping: FileSkipping,
): { stats: StatisticsPart | undefined; partitionValues: StatisticsPart | undefined } {
  const partitionValues: StatisticsPart = {
    path: ['add', 'partitionValues'],
    input: field('partitionValues', types.map(types.string, types.string)),
    output: field('partitionValues', skipping.partitionValues),
    expression: {
      kind: 'mapToStruct',
      input: { kind: 'column', path: ['partitionValues'] },
      schema: skipping.partitionMap,
    },
  };
  return {
    stats: skipping.stats.fields.length === 0 ? undefined : statsPart(batchSchema, skipping),
    partitionValues: skipping.partitionValues.fields.length === 0 ? undefined : partitionValues,
  };
}

function statsPart(batchSchema: StructType, skipping: FileSkipping): StatisticsPart {
  const input: Expression = { kind: 'column', path: ['stats'] };
  const parsed = typeAt(batchSchema, ['add', 'stats_parsed']);
  if (parsed !== undefined) {
    const path = ['add', 'stats_parsed'];
    return { path, input: field('stats', parsed), output: field('stats', parsed), expression: input };
  }
  if (typeAt(batchSchema, ['add', 'stats']) === undefined) {
    throw new DeltaError('Internal', 'skipping needs the column add.stats or add.stats_parsed');
  }
  return {
    path: ['add', 'stats'],
    input: field('stats', types.string),
    output: field('stats', skipping.stats),
    expression: { kind: 'parseJson', input, schema: skipping.stats },
  };
}

/** The type at a path through structs. */
export function typeAt(schema: StructType, path: readonly string[]): DataType | undefined {
  let type: DataType | undefined = schema;
  for (const name of path) {
    type = type?.kind === 'struct' ? type.fields.find((each) => each.name === name)?.type : undefined;
  }
  return type;
}

/** Where a column of the skipping predicate is in the statistics of a batch. */
function located(path: readonly string[], statistics: StructType): readonly string[] | undefined {
  const there = path[0] === 'partitionValues' ? path : ['stats', ...path];
  return typeAt(statistics, there) === undefined ? undefined : there;
}

/** A statistic that a checkpoint lacks. */
function nullOf(path: readonly string[], { stats }: FileSkipping): Expression {
  return { kind: 'literal', literal: { type: typeAt(stats, path) ?? types.void, value: null } };
}

/** The parts of `schema` that hold the leaves at `paths`. */
function narrowed(schema: StructType, paths: readonly (readonly string[])[]): StructType {
  const fields = schema.fields.flatMap((each) => {
    const below = paths.filter(([name]) => name === each.name).map(([, ...rest]) => rest);
    if (below.length === 0) return [];
    if (each.type.kind !== 'struct') return [each];
    const type = narrowed(each.type, below);
    return type.fields.length === 0 ? [] : [{ ...each, type }];
  });
  return types.struct(fields);
}

/** A constant that no row meets (`1 = 2`): every file goes. */
function isNever(predicate: Predicate): boolean {
  if (predicate.kind === 'and') return predicate.inputs.some(isNever);
  return (
    predicate.kind === 'boolean' &&
    predicate.expression.kind === 'literal' &&
    predicate.expression.literal.value === false
  );
}
