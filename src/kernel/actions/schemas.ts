/**
 * The actions of the log as types (`PROTOCOL.md`, "Actions"). Every field is nullable: a row of a batch holds one
 * action and nulls for the others, and what an action must have is checked where it is read.
 */
import { DeltaError } from '../../errors.ts';
import { field, type StructField, type StructType, types } from '../schema/types.ts';

const { string, long, integer, boolean } = types;
const stringMap = types.map(string, string);

export const deletionVectorSchema = types.struct([
  field('storageType', string),
  field('pathOrInlineDv', string),
  field('offset', integer),
  field('sizeInBytes', integer),
  field('cardinality', long),
]);

export const addSchema = types.struct([
  field('path', string),
  field('partitionValues', stringMap),
  field('size', long),
  field('modificationTime', long),
  field('dataChange', boolean),
  field('stats', string),
  field('tags', stringMap),
  field('deletionVector', deletionVectorSchema),
  field('baseRowId', long),
  field('defaultRowCommitVersion', long),
  field('clusteringProvider', string),
]);

export const removeSchema = types.struct([
  field('path', string),
  field('deletionTimestamp', long),
  field('dataChange', boolean),
  field('extendedFileMetadata', boolean),
  field('partitionValues', stringMap),
  field('size', long),
  field('stats', string),
  field('tags', stringMap),
  field('deletionVector', deletionVectorSchema),
  field('baseRowId', long),
  field('defaultRowCommitVersion', long),
]);

export const cdcSchema = types.struct([
  field('path', string),
  field('partitionValues', stringMap),
  field('size', long),
  field('dataChange', boolean),
  field('tags', stringMap),
]);

export const metadataSchema = types.struct([
  field('id', string),
  field('name', string),
  field('description', string),
  field('format', types.struct([field('provider', string), field('options', stringMap)])),
  field('schemaString', string),
  field('partitionColumns', types.array(string)),
  field('createdTime', long),
  field('configuration', stringMap),
]);

export const protocolSchema = types.struct([
  field('minReaderVersion', integer),
  field('minWriterVersion', integer),
  field('readerFeatures', types.array(string)),
  field('writerFeatures', types.array(string)),
]);

export const txnSchema = types.struct([
  field('appId', string),
  field('version', long),
  field('lastUpdated', long),
]);

export const domainMetadataSchema = types.struct([
  field('domain', string),
  field('configuration', string),
  field('removed', boolean),
]);

export const sidecarSchema = types.struct([
  field('path', string),
  field('sizeInBytes', long),
  field('modificationTime', long),
  field('tags', stringMap),
]);

export const checkpointMetadataSchema = types.struct([field('version', long), field('tags', stringMap)]);

/** `commitInfo` is free form: its JSON text ({@link parseCommitInfo} reads it). Checkpoints have none. */
export const commitInfoType = string;

const ACTION_STRUCTS = {
  add: addSchema,
  remove: removeSchema,
  cdc: cdcSchema,
  metaData: metadataSchema,
  protocol: protocolSchema,
  txn: txnSchema,
  domainMetadata: domainMetadataSchema,
  sidecar: sidecarSchema,
  checkpointMetadata: checkpointMetadataSchema,
} as const;

export type ActionName = keyof typeof ACTION_STRUCTS | 'commitInfo';

/** A schema of whole actions, one column each. */
export function actionsSchema(...names: readonly ActionName[]): StructType {
  return types.struct(
    names.map((name) => field(name, name === 'commitInfo' ? commitInfoType : ACTION_STRUCTS[name])),
  );
}

/**
 * A column of one action with some of its fields only, e.g. `actionField('add', 'path', 'size')`.
 * Throws `Internal` for a field that the action does not have.
 */
export function actionField(name: keyof typeof ACTION_STRUCTS, ...fields: readonly string[]): StructField {
  const picked = fields.map((wanted) => {
    const found = ACTION_STRUCTS[name].fields.find((candidate) => candidate.name === wanted);
    if (found === undefined) throw new DeltaError('Internal', `${name} has no field ${wanted}`);
    return found;
  });
  return field(name, types.struct(picked));
}
