/** Reading the `metaData` action (`PROTOCOL.md`, "Change Metadata"). */
import { DeltaError } from '../../errors.ts';
import type { EngineData } from '../engine-data.ts';
import { asSafeInteger, asString, asStrings, isObject, type JsonObject } from '../log/json.ts';
import { parseSchema } from '../schema/schema-json.ts';
import type { StructType } from '../schema/types.ts';
import type { Metadata } from './types.ts';

/** The first metadata of a batch that has one. */
export function findMetadata(data: EngineData): Metadata | undefined {
  const schemaString = data.column(['metaData', 'schemaString']);
  const id = data.column(['metaData', 'id']);
  if (schemaString === undefined || id === undefined) return undefined;
  for (let row = 0; row < data.length; row++) {
    if (schemaString.isNull(row) && id.isNull(row)) continue;
    const text = (name: string) => data.column(['metaData', name])?.getString(row) ?? undefined;
    const partitionColumns = data.column(['metaData', 'partitionColumns'])?.getValue(row);
    return newMetadata({
      id: text('id'),
      name: text('name'),
      description: text('description'),
      provider: data.column(['metaData', 'format', 'provider'])?.getString(row) ?? undefined,
      options: stringRecord(data.column(['metaData', 'format', 'options'])?.getStringMap(row)),
      schemaString: text('schemaString'),
      partitionColumns: asStrings(partitionColumns ?? []),
      createdTime: data.column(['metaData', 'createdTime'])?.getNumber(row) ?? undefined,
      configuration: stringRecord(data.column(['metaData', 'configuration'])?.getStringMap(row)),
    });
  }
  return undefined;
}

/** The metadata of a checksum, undefined where it lacks what a checksum must have. */
export function metadataFromJson(json: JsonObject): Metadata | undefined {
  const format = isObject(json.format) ? json.format : {};
  const fields: MetadataFields = {
    id: asString(json.id),
    name: asString(json.name),
    description: asString(json.description),
    provider: asString(format.provider),
    options: jsonRecord(format.options),
    schemaString: asString(json.schemaString),
    partitionColumns: asStrings(json.partitionColumns ?? []),
    createdTime: asSafeInteger(json.createdTime),
    configuration: jsonRecord(json.configuration),
  };
  if (fields.schemaString === undefined || fields.partitionColumns === undefined) return undefined;
  return newMetadata(fields);
}

interface MetadataFields {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly provider: string | undefined;
  readonly options: Readonly<Record<string, string>>;
  readonly schemaString: string | undefined;
  readonly partitionColumns: readonly string[] | undefined;
  readonly createdTime: number | undefined;
  readonly configuration: Readonly<Record<string, string>>;
}

/** What a metaData without a schema stands for: old versions of Spark wrote none before columns were set. */
const NO_SCHEMA = '{"type":"struct","fields":[]}';

/**
 * Throws `Schema` for a malformed schema and for a partition column that it does not have, `Unsupported` for a data
 * format other than Parquet.
 */
function newMetadata(fields: MetadataFields): Metadata {
  const { name, description, createdTime, configuration, schemaString = NO_SCHEMA } = fields;
  const provider = fields.provider ?? 'parquet';
  if (provider !== 'parquet') {
    throw new DeltaError('Unsupported', `the table's files are ${JSON.stringify(provider)}, not parquet`);
  }
  if (fields.partitionColumns === undefined)
    throw new DeltaError('Schema', 'the partitionColumns hold a null');
  const schema = parseSchema(schemaString);
  return {
    id: fields.id ?? '',
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    format: { provider, options: fields.options },
    schemaString,
    schema,
    ...partitioning(schema, fields.partitionColumns),
    ...(createdTime !== undefined && { createdTime }),
    configuration,
  };
}

function partitioning(
  schema: StructType,
  stored: readonly string[],
): Pick<Metadata, 'partitionColumns' | 'storedPartitionNames'> {
  const partitionColumns = stored.map((column) => inSchema(schema, column));
  const differing = partitionColumns.flatMap((column, index) =>
    column === stored[index] ? [] : [[column, stored[index]!] as const],
  );
  if (differing.length === 0) return { partitionColumns };
  return { partitionColumns, storedPartitionNames: Object.fromEntries(differing) };
}

/** The column in the schema's own casing; names are unique without regard to case. */
function inSchema(schema: StructType, column: string): string {
  const exact = schema.fields.find(({ name }) => name === column);
  const found = exact ?? schema.fields.find(({ name }) => name.toLowerCase() === column.toLowerCase());
  if (found !== undefined) return found.name;
  throw new DeltaError('Schema', `the partition column ${column} is not in the schema`, { column });
}

function stringRecord(map: ReadonlyMap<string, string | null> | null | undefined): Record<string, string> {
  return recordOf(map?.entries() ?? []);
}

function jsonRecord(value: unknown): Record<string, string> {
  return isObject(value) ? recordOf(Object.entries(value)) : {};
}

/** Entries with a null value count as absent. */
function recordOf(entries: Iterable<readonly [string, unknown]>): Record<string, string> {
  const present = [...entries].flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [[key, String(value)] as const],
  );
  return Object.fromEntries(present);
}
