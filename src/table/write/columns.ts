/** Columns that the input lacks: defaults, generated columns, nulls. */
import type { Data } from 'apache-arrow';
import { constantColumn } from '../../engine/arrow-build.ts';
import { ArrowEngineData, makeBatch, toRecordBatch } from '../../engine/arrow-engine-data.ts';
import { toArrowSchema } from '../../engine/arrow-schema.ts';
import { DeltaError } from '../../errors.ts';
import type { Engine, ExpressionEvaluator } from '../../kernel/engine.ts';
import { evaluateConstant } from '../../kernel/expressions/evaluate.ts';
import type { ScalarValue } from '../../kernel/expressions/types.ts';
import { referencedColumns } from '../../kernel/expressions/visit.ts';
import { relaxedSchema } from '../../kernel/scan/scan-schema.ts';
import { METADATA_KEYS, type StructField, type StructType, types } from '../../kernel/schema/types.ts';
import { boundExpression } from './sql-expression.ts';

/** The columns of a batch by the schema's order; undefined for those that the input lacks. */
export interface GivenColumns {
  readonly columns: readonly (Data | undefined)[];
  readonly length: number;
}

/** Makes whole batches of a table's schema, every field nullable: {@link relaxedSchema}. */
export class ColumnFiller {
  readonly #engine: Engine;
  readonly #schema: StructType;
  readonly #relaxed: StructType;
  readonly #defaults = new Map<string, ScalarValue>();
  readonly #generators = new Map<string, ExpressionEvaluator>();

  constructor(engine: Engine, schema: StructType) {
    this.#engine = engine;
    this.#schema = schema;
    this.#relaxed = relaxedSchema(schema);
  }

  /** Throws `Unsupported` for a column that is missing and whose default or expression cannot be evaluated. */
  async fill({ columns, length }: GivenColumns): Promise<ArrowEngineData> {
    const children = this.#schema.fields.map((field, index) => {
      return columns[index] ?? constantColumn(field.type, this.#defaultOf(field), length);
    });
    let batch = this.#batch(children, length);
    for (const [index, field] of this.#schema.fields.entries()) {
      if (columns[index] !== undefined || !(METADATA_KEYS.generationExpression in field.metadata)) continue;
      const computed = await this.#generator(field).evaluate(batch);
      children[index] = toRecordBatch(computed).data.children[0]!;
      batch = this.#batch(children, length);
    }
    return batch;
  }

  #batch(children: Data[], length: number): ArrowEngineData {
    return new ArrowEngineData(makeBatch(toArrowSchema(this.#relaxed), length, children), this.#relaxed);
  }

  #defaultOf(field: StructField): ScalarValue {
    const sql = field.metadata[METADATA_KEYS.currentDefault];
    if (sql === undefined) return null;
    const known = this.#defaults.get(field.name);
    if (known !== undefined) return known;
    const name = `the default of column ${field.name}`;
    const place = { feature: 'allowColumnDefaults', name, column: field.name };
    const { value } = evaluateConstant(boundExpression(String(sql), types.struct([]), field.type, place));
    this.#defaults.set(field.name, value);
    return value;
  }

  #generator(field: StructField): ExpressionEvaluator {
    const known = this.#generators.get(field.name);
    if (known !== undefined) return known;
    const name = `the generated column ${field.name}`;
    const place = { feature: 'generatedColumns', name, column: field.name };
    const sql = String(field.metadata[METADATA_KEYS.generationExpression]);
    const expression = boundExpression(sql, this.#schema, field.type, place);
    const generated = referencedColumns(expression).find(([column]) => this.#isGenerated(column!));
    if (generated !== undefined) {
      throw new DeltaError('Unsupported', `cannot write: ${name} is made of another, ${generated[0]}`, place);
    }
    const evaluator = this.#engine.evaluationHandler.newExpressionEvaluator(
      this.#relaxed,
      expression,
      field.type,
    );
    this.#generators.set(field.name, evaluator);
    return evaluator;
  }

  #isGenerated(column: string): boolean {
    const field = this.#schema.fields.find(({ name }) => name === column);
    return field !== undefined && METADATA_KEYS.generationExpression in field.metadata;
  }
}
