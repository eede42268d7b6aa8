/** The actions of one commit that a change feed needs, and the state of the table that they make. */
import { DeltaError, shownUrl } from '../../errors.ts';
import { type CommitInfo, findCommitInfoText, parseCommitInfo } from '../actions/commit-info.ts';
import { findMetadata } from '../actions/metadata.ts';
import { findProtocol } from '../actions/protocol.ts';
import { actionField, actionsSchema } from '../actions/schemas.ts';
import type { DeletionVectorDescriptor, Metadata, Protocol } from '../actions/types.ts';
import { descriptorAt, descriptorColumns } from '../deletion-vector/descriptor.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { CommitCheck } from '../log/commit-check.ts';
import { inFile } from '../log/place.ts';
import type { LogFile } from '../log/types.ts';
import { types } from '../schema/types.ts';

/** A file that a commit adds, removes, or writes for the feed. */
export interface FileAction {
  readonly path: string;
  /** Bytes; undefined where a remove does not say. */
  readonly size: number | undefined;
  /** By physical name; undefined where a remove does not say. */
  readonly partitionValues: Readonly<Record<string, string | null>> | undefined;
  readonly deletionVector: DeletionVectorDescriptor | undefined;
  /** Statistics as JSON text, where the action has them and they were asked for. */
  readonly stats: string | undefined;
}

export interface CommitActions {
  readonly commit: LogFile;
  /** Without those that change no data. */
  readonly adds: readonly FileAction[];
  readonly removes: readonly FileAction[];
  readonly cdc: readonly FileAction[];
  readonly protocol: Protocol | undefined;
  readonly metadata: Metadata | undefined;
  readonly commitInfo: CommitInfo | undefined;
}

const FILE_FIELDS = ['path', 'size', 'partitionValues'] as const;
const commitSchema = (...more: readonly string[]) =>
  types.struct([
    actionField('add', ...FILE_FIELDS, 'dataChange', 'deletionVector', ...more),
    actionField('remove', ...FILE_FIELDS, 'dataChange', 'deletionVector', ...more),
    actionField('cdc', ...FILE_FIELDS),
    ...actionsSchema('protocol', 'metaData', 'commitInfo').fields,
  ]);
const SCHEMA = commitSchema();
const SCHEMA_WITH_STATS = commitSchema('stats');

/** Errors name the commit: `InvalidLog`, `MalformedJson`, and those of its actions. */
export async function readCommitActions(
  engine: Engine,
  tableRoot: URL,
  commit: LogFile,
  { signal, stats = false }: CallOptions & { stats?: boolean },
): Promise<CommitActions> {
  const check = new CommitCheck();
  const schema = stats ? SCHEMA_WITH_STATS : SCHEMA;
  const found = {
    adds: [] as FileAction[],
    removes: [] as FileAction[],
    cdc: [] as FileAction[],
    protocol: undefined as Protocol | undefined,
    metadata: undefined as Metadata | undefined,
    commitInfo: undefined as CommitInfo | undefined,
  };
  try {
    for await (const data of engine.jsonHandler.readJsonFiles([commit.file], schema, { signal })) {
      check.check(data);
      found.adds.push(...fileActions(data, 'add'));
      found.removes.push(...fileActions(data, 'remove'));
      found.cdc.push(...fileActions(data, 'cdc'));
      found.protocol ??= findProtocol(data);
      found.metadata ??= findMetadata(data);
      const info = found.commitInfo === undefined ? findCommitInfoText(data) : undefined;
      if (info !== undefined) found.commitInfo = parseCommitInfo(info);
    }
  } catch (error) {
    throw inFile(error, { tableRoot }, commit.file, commit.version);
  }
  return { commit, ...found };
}

function* fileActions(data: EngineData, action: 'add' | 'remove' | 'cdc'): Generator<FileAction, void> {
  const column = (name: string) => data.column([action, name]);
  const [path, size, partitionValues] = FILE_FIELDS.map(column);
  const dataChange = column('dataChange');
  const stats = column('stats');
  const vectors = descriptorColumns(data, [action, 'deletionVector']);
  for (let row = 0; row < data.length; row += 1) {
    const name = path?.getString(row) ?? null;
    if (name === null || dataChange?.getBoolean(row) === false) continue;
    const values = partitionValues?.getStringMap(row) ?? null;
    yield {
      path: name,
      size: size?.getNumber(row) ?? undefined,
      partitionValues: values === null ? undefined : Object.fromEntries(values),
      deletionVector: descriptorAt(vectors, row, name),
      stats: stats?.getString(row) ?? undefined,
    };
  }
}

/** The files of a commit's changes need their partition values: where a remove lacks them, they are not to be had. */
export function requirePartitionValues(
  file: FileAction,
  tableRoot: URL,
  version: number,
  partitionColumns: readonly string[],
): Readonly<Record<string, string | null>> {
  if (file.partitionValues !== undefined || partitionColumns.length === 0) return file.partitionValues ?? {};
  throw new DeltaError(
    'MissingData',
    `version ${version} removes ${file.path} without saying its partition values, so its deleted rows are unknown`,
    { table: shownUrl(tableRoot), version, path: file.path },
  );
}
