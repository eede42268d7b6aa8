/** Parquet files in the core's memory. */
import { Field, type RecordBatch, Schema, Struct } from 'apache-arrow';
import type { RowGroupLayout } from '../../kernel/engine.ts';
import { field, type StructType, types } from '../../kernel/schema/types.ts';
import { buildColumn } from '../arrow-build.ts';
import { makeBatch } from '../arrow-engine-data.ts';
import { toArrowSchema, toArrowType } from '../arrow-schema.ts';
import type {
  BloomFilterAnswer,
  ByteRange,
  FileBytes,
  ParquetFileCore,
  RowRanges,
  ValuesOfColumn,
} from './core.ts';
import { importBatch, takeBatch } from './exchange.ts';
import type { CoreMemory } from './memory.ts';
import { schemaToWire, structFromWire, type WireField } from './wire.ts';

interface Description {
  hasBloomFilters: boolean;
  fields: WireField[];
  numRows: number;
  rowGroups: { numRows: number; totalByteSize: number }[];
  keyValueMetadata: [string, string][];
  createdBy: string | null;
}

export function openParquetFile(core: CoreMemory, tail: Uint8Array, fileSize: number): ParquetFileCore {
  const handle = core.check('parquet_open', ...core.write(tail), fileSize);
  const json = <T>(name: string, ...args: number[]) => {
    core.check(name, handle, ...args);
    return core.takeJson<T>();
  };
  let freed = false;
  /** The schema that page indexes were last asked for. */
  let indexed = '[]';
  let description: Description;
  let footer: ParquetFileCore['footer'];
  try {
    description = json<Description>('parquet_describe');
    footer = toFooter(description);
  } catch (error) {
    if (!core.broken) core.call('parquet_free', handle);
    throw error;
  }
  return {
    footer,
    layout: () => json<RowGroupLayout[]>('parquet_layout'),
    pageIndexRanges(schema) {
      indexed = schemaToWire(schema);
      return toRanges(json('parquet_page_index_ranges', ...core.writeText(indexed)));
    },
    loadPageIndex(chunks) {
      core.check('parquet_load_page_index', handle, ...core.writeText(indexed), pieces(core, chunks));
    },
    hasBloomFilters: description.hasBloomFilters,
    askBloomFilter: (asked, rowGroup, chunks) => askBloomFilter(core, handle, asked, rowGroup, chunks),
    rowGroupStats(schema, { nanInMax = false } = {}) {
      const wire = core.writeText(schemaToWire(schema));
      core.check('parquet_row_group_stats', handle, ...wire, nanInMax ? 1 : 0);
      return takeBatch(core, statsSchema(schema));
    },
    pageStats(schema, rowGroup) {
      const found = core.check(
        'parquet_page_stats',
        handle,
        ...core.writeText(schemaToWire(schema)),
        rowGroup,
      );
      if (found === 2) return undefined;
      const stats = takeBatch(core, statsSchema(schema));
      const rows = toRanges(json<[number, number][]>('parquet_page_rows'));
      return { stats, rows };
    },
    plan: (schema, rowGroup, rows) =>
      toRanges(
        json(
          'parquet_plan',
          ...core.writeText(schemaToWire(schema)),
          rowGroup,
          ...core.writeNumbers(flat(rows)),
        ),
      ),
    decode: (schema, rowGroup, chunks, options) => decode(core, handle, schema, rowGroup, chunks, options),
    free() {
      if (!freed && !core.broken) core.call('parquet_free', handle);
      freed = true;
    },
  };
}

function toFooter(description: Description): ParquetFileCore['footer'] {
  return {
    schema: structFromWire(description.fields),
    numRows: description.numRows,
    rowGroups: description.rowGroups,
    keyValueMetadata: new Map(description.keyValueMetadata),
    createdBy: description.createdBy ?? undefined,
  };
}

function toRanges(pairs: readonly [number, number][]): ByteRange[] {
  return pairs.map(([start, end]) => ({ start, end }));
}

/** No rows stand for all rows, so a selection of none must not reach the core. */
function flat(rows: RowRanges | undefined): number[] {
  return (rows ?? []).flatMap(({ start, end }) => [start, end]);
}

function pieces(core: CoreMemory, chunks: readonly FileBytes[]): number {
  const handle = core.check('pieces_new');
  for (const { start, bytes } of chunks) core.call('pieces_push', handle, start, ...core.write(bytes));
  return handle;
}

function askBloomFilter(
  core: CoreMemory,
  file: number,
  { column, type, values }: ValuesOfColumn,
  rowGroup: number,
  chunks: readonly FileBytes[],
): BloomFilterAnswer | undefined {
  const schema = types.struct([field('value', type)]);
  const batch = makeBatch(toArrowSchema(schema), values.length, [buildColumn(type, values)]);
  const imported = importBatch(core, batch, schemaToWire(schema));
  const wire = core.writeText(schemaToWire(types.struct([column])));
  core.check('parquet_bloom_filter', file, ...wire, rowGroup, pieces(core, chunks), imported);
  const answer = core.takeJson<{ absent: boolean[] } | { needs: [number, number] } | null>();
  if (answer === null) return undefined;
  return 'absent' in answer ? answer : { needs: toRanges([answer.needs])[0]! };
}

function* decode(
  core: CoreMemory,
  file: number,
  schema: StructType,
  rowGroup: number,
  chunks: readonly FileBytes[],
  options: { batchSize: number; rows?: RowRanges; filePath?: string },
): IterableIterator<RecordBatch> {
  if (options.rows?.length === 0) return;
  const arrow = toArrowSchema(schema);
  const decoder = core.check(
    'decoder_new',
    file,
    ...core.writeText(schemaToWire(schema)),
    rowGroup,
    pieces(core, chunks),
    options.batchSize,
    ...core.writeNumbers(flat(options.rows)),
    ...core.writeText(options.filePath ?? ''),
  );
  try {
    while (core.check('decoder_next', decoder) === 1) yield takeBatch(core, arrow);
  } finally {
    if (!core.broken) core.call('decoder_free', decoder);
  }
}

/** Delta's statistics of the leaves of `schema`, as the core gives them. */
function statsSchema(schema: StructType): Schema {
  const counts = new Struct(leafFields(schema, true));
  const bounds = new Struct(leafFields(schema, false));
  return new Schema([
    new Field('numRecords', toArrowType(types.long), true),
    new Field('nullCount', counts, true),
    new Field('minValues', bounds, true),
    new Field('maxValues', bounds, true),
  ]);
}

/** Leaves through structs; arrays, maps and variants have no statistics of their own. */
function leafFields(schema: StructType, counts: boolean): Field[] {
  return schema.fields.flatMap(({ name, type }) => {
    if (type.kind === 'struct') return [new Field(name, new Struct(leafFields(type, counts)), true)];
    if (type.kind !== 'primitive' && type.kind !== 'decimal') return [];
    return [new Field(name, toArrowType(counts ? types.long : type), true)];
  });
}
