/** {@link WasmCore} over a compiled module: the only place that knows its exports. */
import { Field, type RecordBatch, Schema } from 'apache-arrow';
import type { Expression, Predicate } from '../../kernel/expressions/types.ts';
import { type DataType, type StructType, types } from '../../kernel/schema/types.ts';
import { toArrowSchema, toArrowType } from '../arrow-schema.ts';
import type {
  CompiledCore,
  ParquetFileCore,
  ParquetWriteOptions,
  ParquetWriterCore,
  WasmCore,
} from './core.ts';
import { importBatch, takeBatch } from './exchange.ts';
import { serializeExpression, serializePredicate } from './expression-json.ts';
import { type CoreExports, CoreMemory } from './memory.ts';
import { openParquetFile } from './parquet-file.ts';
import { parquetWriter } from './parquet-writer.ts';
import { rowIndexSets } from './row-index-sets.ts';
import { arrowToWire, schemaToWire, toWire } from './wire.ts';

/** The core of a module. A trap costs the instance: the next call gets a fresh one. */
export function createCore(module: WebAssembly.Module): WasmCore {
  let memory: CoreMemory | undefined;
  const core = () => {
    if (memory === undefined || memory.broken) {
      memory = new CoreMemory(new WebAssembly.Instance(module).exports as unknown as CoreExports);
    }
    return memory;
  };
  return {
    parquetTailLength: (tail) => core().check('parquet_tail_length', ...core().write(tail)),
    openParquet: (tail, fileSize): ParquetFileCore => openParquetFile(core(), tail, fileSize),
    parquetWriter: (schema: StructType, options: ParquetWriteOptions): ParquetWriterCore =>
      parquetWriter(core(), schema, options),
    parseNdjson: (bytes, schema, firstLine) => parseNdjson(core(), bytes, schema, firstLine),
    parseJsonColumn: (strings, schema) => parseJsonColumn(core(), strings, schema),
    compileExpression: (inputSchema, expression, outputType) =>
      compileExpression(core(), inputSchema, expression, outputType),
    compilePredicate: (inputSchema, predicate) => compilePredicate(core(), inputSchema, predicate),
    rowIndexSets: rowIndexSets(core),
    memoryBytes: () => core().buffer.byteLength,
  };
}

function parseNdjson(
  core: CoreMemory,
  bytes: Uint8Array,
  schema: StructType,
  firstLine: number,
): RecordBatch {
  const wire = core.writeText(schemaToWire(schema));
  core.check('json_lines', ...core.write(bytes), ...wire, firstLine);
  return takeBatch(core, toArrowSchema(schema));
}

function parseJsonColumn(core: CoreMemory, strings: RecordBatch, schema: StructType): RecordBatch {
  const batch = importBatch(core, strings, arrowToWire(strings.schema));
  core.check('json_column', batch, ...core.writeText(schemaToWire(schema)));
  return takeBatch(core, toArrowSchema(schema));
}

function compileExpression(
  core: CoreMemory,
  inputSchema: StructType,
  expression: Expression,
  outputType: DataType,
): CompiledCore {
  const output =
    outputType.kind === 'struct'
      ? toArrowSchema(outputType)
      : new Schema([new Field('output', toArrowType(outputType), true)]);
  const handle = core.check(
    'expression_new',
    ...core.writeText(schemaToWire(inputSchema)),
    ...core.writeText(serializeExpression(expression)),
    ...core.writeText(JSON.stringify(toWire(outputType))),
  );
  return compiled(core, handle, schemaToWire(inputSchema), output);
}

function compilePredicate(core: CoreMemory, inputSchema: StructType, predicate: Predicate): CompiledCore {
  const handle = core.check(
    'predicate_new',
    ...core.writeText(schemaToWire(inputSchema)),
    ...core.writeText(serializePredicate(predicate)),
  );
  const output = new Schema([new Field('output', toArrowType(types.boolean), true)]);
  return compiled(core, handle, schemaToWire(inputSchema), output);
}

function compiled(core: CoreMemory, handle: number, wire: string, output: Schema): CompiledCore {
  let freed = false;
  return {
    evaluate(batch) {
      core.check('expression_evaluate', handle, importBatch(core, batch, wire));
      return takeBatch(core, output);
    },
    free() {
      if (!freed && !core.broken) core.call('expression_free', handle);
      freed = true;
    },
  };
}
