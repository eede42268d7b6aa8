/** {@link EvaluationHandler}: projections in TypeScript without a copy, everything else in the WASM core. */
import { DeltaError, isDeltaError } from '../errors.ts';
import type {
  EvaluationHandler,
  ExpressionEvaluator,
  PredicateEvaluator,
  RowIndexSet,
  RowIndexSets,
} from '../kernel/engine.ts';
import type { EngineData } from '../kernel/engine-data.ts';
import type { Expression, Predicate, Scalar, ScalarValue } from '../kernel/expressions/types.ts';
import { dataTypesEqual, typeToString } from '../kernel/schema/schema.ts';
import { type DataType, type StructType, types } from '../kernel/schema/types.ts';
import { buildColumn } from './arrow-build.ts';
import { ArrowEngineData, makeBatch, toRecordBatch } from './arrow-engine-data.ts';
import { toArrowSchema } from './arrow-schema.ts';
import type { CoreSource } from './core-source.ts';
import { compileProjection, outputSchema } from './projection.ts';
import type { CompiledCore, WasmCore } from './wasm/core.ts';

export interface EvaluationHandlerOptions {
  /** Compiled expressions kept in WASM memory, at most; others are compiled again when used. Default 128. */
  maxCompiled?: number;
}

type Compile = (core: WasmCore) => CompiledCore;

export class DefaultEvaluationHandler implements EvaluationHandler {
  readonly rowIndexSets: RowIndexSets;
  readonly #core: CoreSource;
  readonly #compiled: CompiledCache;

  constructor(core: CoreSource, options: EvaluationHandlerOptions = {}) {
    this.#core = core;
    this.#compiled = new CompiledCache(options.maxCompiled ?? 128);
    this.rowIndexSets = lazySets(core);
  }

  newExpressionEvaluator(
    inputSchema: StructType,
    expression: Expression,
    outputType: DataType,
  ): ExpressionEvaluator {
    const schema = outputSchema(outputType);
    const project = compileProjection(inputSchema, expression, outputType);
    if (project) return { evaluate: (data) => new ArrowEngineData(project(toRecordBatch(data)), schema) };
    return this.#evaluator((core) => core.compileExpression(inputSchema, expression, outputType), schema);
  }

  newPredicateEvaluator(inputSchema: StructType, predicate: Predicate): PredicateEvaluator {
    const schema = outputSchema(types.boolean);
    return this.#evaluator((core) => core.compilePredicate(inputSchema, predicate), schema);
  }

  nullRow(schema: StructType): EngineData {
    const children = schema.fields.map(({ type }) => buildColumn(type, [null]));
    return new ArrowEngineData(makeBatch(toArrowSchema(schema), 1, children), schema);
  }

  createMany(schema: StructType, rows: readonly (readonly Scalar[])[]): EngineData {
    for (const row of rows) checkRow(schema, row);
    const children = schema.fields.map(({ type }, i) =>
      buildColumn(
        type,
        rows.map((row) => row[i]!.value),
      ),
    );
    return new ArrowEngineData(makeBatch(toArrowSchema(schema), rows.length, children), schema);
  }

  /** Where the core is loaded, errors of the expression come now; else with the first batch. */
  #evaluator(compile: Compile, schema: StructType): ExpressionEvaluator {
    const key = {};
    const cache = this.#compiled;
    const source = this.#core;
    const run = (core: WasmCore, data: EngineData): EngineData => {
      const compiled = cache.get(key) ?? cache.add(key, compile(core));
      try {
        return new ArrowEngineData(compiled.evaluate(toRecordBatch(data)), schema);
      } catch (error) {
        // The core may have been replaced, and with it every handle.
        if (isDeltaError(error, 'Internal', 'OutOfMemory')) cache.remove(key);
        throw error;
      }
    };
    if (source.current) cache.add(key, compile(source.current));
    return {
      evaluate: (data) => {
        const core = source.current;
        return core ? run(core, data) : source.load().then((loaded) => run(loaded, data));
      },
    };
  }
}

/**
 * Compiled expressions by evaluator, least recently used first out, so that WASM memory stays bounded whatever number
 * of evaluators exists. Those of evaluators that nobody holds any more go when they are collected.
 */
class CompiledCache {
  readonly #entries = new Map<number, CompiledCore>();
  readonly #ids = new WeakMap<object, number>();
  readonly #collected = new FinalizationRegistry<number>((id) => this.#free(id));
  readonly #max: number;
  #nextId = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: object): CompiledCore | undefined {
    const id = this.#ids.get(key);
    const compiled = id === undefined ? undefined : this.#entries.get(id);
    if (compiled) {
      this.#entries.delete(id!);
      this.#entries.set(id!, compiled);
    }
    return compiled;
  }

  add(key: object, compiled: CompiledCore): CompiledCore {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#nextId++;
      this.#ids.set(key, id);
      this.#collected.register(key, id);
    }
    this.#entries.set(id, compiled);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#max) break;
      this.#free(oldest);
    }
    return compiled;
  }

  remove(key: object): void {
    const id = this.#ids.get(key);
    if (id !== undefined) this.#free(id);
  }

  #free(id: number): void {
    const compiled = this.#entries.get(id);
    this.#entries.delete(id);
    compiled?.free();
  }
}

function checkRow(schema: StructType, row: readonly Scalar[]): void {
  if (row.length !== schema.fields.length) {
    throw new DeltaError(
      'InvalidExpression',
      `a row of ${row.length} values for a schema of ${schema.fields.length} fields`,
    );
  }
  for (const [i, { name, type, nullable }] of schema.fields.entries()) {
    const scalar = row[i]!;
    if (!dataTypesEqual(scalar.type, type, { ignoreNullability: true })) {
      const message = `a value of type ${typeToString(scalar.type)} for column ${name} of type ${typeToString(type)}`;
      throw new DeltaError('InvalidExpression', message, { column: name });
    }
    checkNulls(name, type, nullable, scalar.value);
  }
}

function checkNulls(name: string, type: DataType, nullable: boolean, value: ScalarValue): void {
  if (value === null) {
    if (nullable) return;
    throw new DeltaError('InvalidExpression', `null for column ${name}, which is not nullable`, {
      column: name,
    });
  }
  if (!Array.isArray(value)) return;
  if (type.kind === 'struct') {
    for (const [i, f] of type.fields.entries()) {
      checkNulls(`${name}.${f.name}`, f.type, f.nullable, value[i] ?? null);
    }
  } else if (type.kind === 'array') {
    for (const item of value) checkNulls(`${name}.element`, type.elementType, type.containsNull, item);
  } else if (type.kind === 'map') {
    for (const [key, item] of value as [ScalarValue, ScalarValue][]) {
      checkNulls(`${name}.key`, type.keyType, false, key);
      checkNulls(`${name}.value`, type.valueType, type.valueContainsNull, item);
    }
  }
}

/** The core's sets, which are synchronous and so need a loaded core: every read of a log has loaded it. */
function lazySets(source: CoreSource): RowIndexSets {
  const sets = (): RowIndexSets => {
    if (source.current) return source.current.rowIndexSets;
    throw new DeltaError('Internal', 'row index sets need the WASM core: await engine.ready() first');
  };
  return {
    deserialize: (bytes: Uint8Array): RowIndexSet => sets().deserialize(bytes),
    fromRowIndexes: (rows: Iterable<number>): RowIndexSet => sets().fromRowIndexes(rows),
    union: (a: RowIndexSet, b: RowIndexSet): RowIndexSet => sets().union(a, b),
    difference: (a: RowIndexSet, b: RowIndexSet): RowIndexSet => sets().difference(a, b),
  };
}
