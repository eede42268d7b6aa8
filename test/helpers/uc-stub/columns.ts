/** What the server checks of a table's columns, protocol and domains on the wire. */
import { invalid, type Json, objectOf, onlyFields, textsOf } from './answers.ts';

/** A struct as `/delta/v1` spells it: kebab-case keys in nested types, unknown keys refused. */
export function checkColumns(value: unknown): Json {
  const struct = objectOf(value, 'columns');
  checkStruct(struct);
  if ((struct.fields as unknown[]).length === 0) throw invalid('At least one column is required.');
  return struct;
}

function checkStruct(struct: Json): void {
  onlyFields(struct, ['type', 'fields']);
  if (!Array.isArray(struct.fields)) throw invalid('fields is required.');
  const names = new Set<string>();
  for (const item of struct.fields) {
    const field = objectOf(item, 'field');
    onlyFields(field, ['name', 'type', 'nullable', 'metadata']);
    if (typeof field.name !== 'string' || field.name === '') throw invalid('Column name is required.');
    if (typeof field.nullable !== 'boolean') throw invalid(`Column ${field.name}: nullable is required.`);
    objectOf(field.metadata, `Column ${field.name}: metadata`);
    if (names.has(field.name.toLowerCase())) throw invalid(`Duplicate column name: ${field.name}`);
    names.add(field.name.toLowerCase());
    checkType(field.type, field.name);
  }
}

function checkType(type: unknown, column: string): void {
  if (typeof type === 'string' && type !== '') return;
  const object = objectOf(type, `Column ${column}: type`);
  switch (object.type) {
    case 'struct':
      checkStruct(object);
      return;
    case 'array':
      onlyFields(object, ['type', 'element-type', 'contains-null']);
      if (typeof object['contains-null'] !== 'boolean') throw invalid('contains-null is required.');
      checkType(object['element-type'], column);
      return;
    case 'map':
      onlyFields(object, ['type', 'key-type', 'value-type', 'value-contains-null']);
      if (typeof object['value-contains-null'] !== 'boolean')
        throw invalid('value-contains-null is required.');
      checkType(object['key-type'], column);
      checkType(object['value-type'], column);
      return;
    default:
      throw invalid(`Column ${column}: unknown type ${String(object.type)}`);
  }
}

export function checkPartitionColumns(value: unknown, columns: Json): string[] {
  const names = (columns.fields as Json[]).map(({ name }) => String(name).toLowerCase());
  const partitions = textsOf(value ?? [], 'partition-columns');
  for (const name of partitions) {
    if (!names.includes(name.toLowerCase())) throw invalid(`Partition column does not exist: ${name}`);
  }
  return partitions;
}

const READER_FEATURES = ['catalogManaged', 'v2Checkpoint', 'vacuumProtocolCheck', 'deletionVectors'];
const WRITER_FEATURES = [...READER_FEATURES, 'inCommitTimestamp'];

export const REQUIRED_PROTOCOL = {
  'min-reader-version': 3,
  'min-writer-version': 7,
  'reader-features': READER_FEATURES,
  'writer-features': WRITER_FEATURES,
};

export const SUGGESTED_PROTOCOL = {
  'reader-features': ['columnMapping'],
  'writer-features': ['columnMapping', 'domainMetadata', 'rowTracking'],
};

export const REQUIRED_PROPERTIES: Readonly<Record<string, string>> = {
  'delta.enableInCommitTimestamps': 'true',
  'delta.checkpoint.writeStatsAsJson': 'true',
  'delta.checkpointPolicy': 'v2',
  'delta.checkpoint.writeStatsAsStruct': 'true',
  'delta.enableDeletionVectors': 'true',
};

export function checkProtocol(value: unknown): Json {
  const protocol = objectOf(value, 'protocol');
  const fields = ['min-reader-version', 'min-writer-version', 'reader-features', 'writer-features'];
  onlyFields(protocol, fields);
  if (!(Number(protocol['min-reader-version']) >= 3)) throw invalid('min-reader-version must be at least 3');
  if (!(Number(protocol['min-writer-version']) >= 7)) throw invalid('min-writer-version must be at least 7');
  const reader = textsOf(protocol['reader-features'] ?? [], 'reader-features');
  const writer = textsOf(protocol['writer-features'] ?? [], 'writer-features');
  for (const [have, wanted, what] of [
    [reader, READER_FEATURES, 'reader'],
    [writer, WRITER_FEATURES, 'writer'],
    [writer, reader, 'writer'],
  ] as const) {
    const missing = wanted.filter((feature) => !have.includes(feature));
    if (missing.length > 0) throw invalid(`Required ${what} features are missing: ${missing.join(', ')}`);
  }
  return protocol;
}

/** `domain-metadata` of a create, `updates` of set-domain-metadata: only with the writer feature. */
export function checkDomains(value: unknown, writerFeatures: readonly string[]): Json {
  const domains = objectOf(value, 'domain-metadata');
  onlyFields(domains, ['delta.clustering', 'delta.rowTracking']);
  for (const domain of Object.keys(domains)) {
    const feature = domain === 'delta.clustering' ? 'clustering' : 'rowTracking';
    const key = domain === 'delta.clustering' ? 'clusteringColumns' : 'rowIdHighWaterMark';
    const configuration = objectOf(domains[domain], domain);
    onlyFields(configuration, [key]);
    if (configuration[key] === undefined) throw invalid(`${domain}: ${key} is required.`);
    if (!writerFeatures.includes(feature)) throw invalid(`${domain} needs the writer feature ${feature}`);
  }
  return domains;
}
