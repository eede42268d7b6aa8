/** What may be committed: every rule that can be checked before anything is written (`PROTOCOL.md`, by feature). */
import { DeltaError, withContext } from '../../errors.ts';
import { partitionFields } from '../column-mapping/resolve.ts';
import { checkDescriptor } from '../deletion-vector/descriptor.ts';
import { parsePartitionValue } from '../partition-values/parse.ts';
import { canonicalPath } from '../paths.ts';
import { partitionKey } from '../scan/scan-schema.ts';
import { checkSchemaForDataFiles, checkSchemaForWrite } from '../schema/write-rules.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { isChangeColumn } from '../table-changes/changes-schema.ts';
import { isFeatureEnabled, isFeatureSupported } from '../table-features/protocol-support.ts';
import { checkWriteSupport } from '../table-features/write-support.ts';
import { checkTableProperties } from '../table-properties.ts';
import type { ResolvedChanges } from './changes.ts';
import { isolationLevel } from './conflict/isolation.ts';
import type { CdcFile } from './file-actions.ts';
import { parseStats, requireNumRecords } from './file-stats.ts';
import { assignsRowIds } from './row-tracking.ts';

/**
 * Throws `InvalidTransactionState` for what contradicts itself, `Unsupported` for what the table's features forbid,
 * `Schema`, `InvalidPartitionValues`, `ParseError`, `StatsValidation`, `DeletionVector`, `ConstraintViolation` for
 * files that do not fit the table.
 *
 * @param after the table as it is after the commit.
 */
export function validateChanges(
  changes: ResolvedChanges,
  before: SnapshotState,
  after: SnapshotState,
  enforced: ReadonlySet<string>,
): void {
  if (changes.newProtocol !== undefined || changes.newMetadata !== undefined) {
    checkSchemaForWrite(after.schema, { columnMapping: after.tableProperties.columnMappingMode !== 'none' });
    checkWriteSupport(after.protocol, after.metadata, { enforced });
    checkTableProperties(after.tableProperties);
    checkChangeColumns(after);
  }
  isolationLevel(changes, before);
  checkBlindAppend(changes, before);
  checkAppendOnly(changes, before);
  checkChangeFeed(changes, after);
  checkAdds(changes, after);
  checkCdcFiles(changes.cdc, after);
  checkRemoves(changes);
  checkVectors(changes, after);
  checkDomains(changes, after);
}

function checkChangeColumns({ protocol, metadata, schema }: SnapshotState): void {
  if (!isFeatureEnabled(protocol, metadata.configuration, 'changeDataFeed')) return;
  const taken = schema.fields.find(({ name }) => isChangeColumn(name));
  if (taken === undefined) return;
  const message = `the column ${taken.name} has the name of a column of the change data feed`;
  throw new DeltaError('ChangeDataFeedIncompatibleSchema', message, { column: taken.name });
}

function checkBlindAppend(changes: ResolvedChanges, before: SnapshotState): void {
  if (!changes.blindAppend) return;
  const { adds, removes, vectorUpdates, dataChange } = changes;
  const fault =
    before.version < 0
      ? 'creates a table'
      : adds.length === 0
        ? 'adds no files'
        : removes.length + vectorUpdates.length > 0
          ? 'removes rows'
          : !dataChange
            ? 'changes no data'
            : changes.newMetadata !== undefined || changes.newProtocol !== undefined
              ? 'changes metadata'
              : undefined;
  if (fault !== undefined) throw invalidState(`a blind append that ${fault} is none`);
}

function checkAppendOnly(
  { dataChange, removes, vectorUpdates }: ResolvedChanges,
  before: SnapshotState,
): void {
  if (!dataChange || removes.length + vectorUpdates.length === 0) return;
  if (!isFeatureEnabled(before.protocol, before.metadata.configuration, 'appendOnly')) return;
  throw new DeltaError('Unsupported', 'rows cannot be removed: the table is append-only (delta.appendOnly)', {
    feature: 'appendOnly',
  });
}

/** Readers of a version with change files take nothing else of it, so these must hold all of its changes. */
function checkChangeFeed(changes: ResolvedChanges, { protocol, metadata }: SnapshotState): void {
  const { adds, cdc, removes, vectorUpdates, dataChange } = changes;
  const isOn = isFeatureEnabled(protocol, metadata.configuration, 'changeDataFeed');
  if (cdc.length > 0 && !isOn) {
    throw invalidState('change files in a table without a change data feed (delta.enableChangeDataFeed)');
  }
  const rewrites = dataChange && adds.length > 0 && removes.length + vectorUpdates.length > 0;
  if (!isOn || !rewrites || cdc.length > 0) return;
  throw new DeltaError(
    'ChangeDataFeedUnsupported',
    'the table has a change data feed, and the commit both adds and removes rows: write the changed rows of the ' +
      'whole commit to change files (addCdcFiles), or commit the removal and the addition one after the other',
    { feature: 'changeDataFeed' },
  );
}

function checkAdds({ adds, vectorUpdates, removes }: ResolvedChanges, after: SnapshotState): void {
  if (adds.length === 0) return;
  checkSchemaForDataFiles(after.schema);
  const partitions = partitionRules(after);
  const seen = new Set<string>();
  for (const { file } of vectorUpdates) seen.add(canonicalPath(file.path));
  const needsRecords = assignsRowIds(after);
  for (const add of adds) {
    checkFile(add, partitions);
    checkCount(add.modificationTime, 'modificationTime', add.path);
    parseStats(add.stats, add.path);
    if (needsRecords) requireNumRecords(add.stats, add.path, 'row tracking gives ids by it');
    if (add.deletionVector) {
      checkVectorOf(add.path, add.stats, add.deletionVector.cardinality);
      checkDescriptor({ ...add.deletionVector }, add.path);
    }
    const path = canonicalPath(add.path);
    if (seen.has(path)) throw invalidState(`the file ${add.path} is added twice`, add.path);
    seen.add(path);
  }
  const removed = new Set(
    removes.filter((file) => !file.deletionVector).map(({ path }) => canonicalPath(path)),
  );
  const both = adds.find((add) => !add.deletionVector && removed.has(canonicalPath(add.path)));
  if (both) throw invalidState(`the file ${both.path} is added and removed`, both.path);
}

interface PartitionRule {
  readonly key: string;
  readonly check: (text: string | null, path: string) => void;
}

function partitionRules(snapshot: SnapshotState): readonly PartitionRule[] {
  const { schema, metadata, tableProperties } = snapshot;
  return partitionFields(schema, metadata.partitionColumns, tableProperties.columnMappingMode).map(
    ({ field, physicalName }) => ({
      key: partitionKey(snapshot, physicalName),
      check: (text, path) => {
        const { value } = parsePartitionValue(text, field.type, { path, column: field.name });
        if (value !== null || field.nullable) return;
        const message = `the file ${path} has null for the partition column ${field.name}, which is NOT NULL`;
        throw new DeltaError('ConstraintViolation', message, { path, column: field.name });
      },
    }),
  );
}

function checkFile({ path, partitionValues, size }: CdcFile, partitions: readonly PartitionRule[]): void {
  if (path === '') throw invalidState('a file without a path');
  checkCount(size, 'size', path);
  const keys = Object.keys(partitionValues);
  const unknown = keys.find((key) => !partitions.some((partition) => partition.key === key));
  const missing = partitions.find(({ key }) => !keys.includes(key));
  if (unknown !== undefined || missing !== undefined) {
    const problem =
      unknown === undefined ? `no value for ${missing!.key}` : `a value for ${unknown}, which is none`;
    throw new DeltaError(
      'InvalidPartitionValues',
      `the file ${path} must have one value per partition column, by its physical name: it has ${problem}`,
      { path, column: unknown ?? missing!.key },
    );
  }
  for (const { key, check } of partitions) check(partitionValues[key]!, path);
}

function checkCount(value: number, name: string, path: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw invalidState(`the file ${path} has ${name} ${value}, no whole number from 0 on`, path);
}

function checkCdcFiles(files: readonly CdcFile[], after: SnapshotState): void {
  const partitions = partitionRules(after);
  for (const file of files) checkFile(file, partitions);
}

function checkRemoves({ removes, vectorUpdates }: ResolvedChanges): void {
  const seen = new Set<string>();
  for (const file of [...removes, ...vectorUpdates.map((update) => update.file)]) {
    if (file.path === '') throw invalidState('a removed file without a path');
    checkCount(file.size, 'size', file.path);
    const path = canonicalPath(file.path);
    if (seen.has(path)) throw invalidState(`the file ${file.path} is removed or changed twice`, file.path);
    seen.add(path);
  }
}

function checkVectors({ adds, vectorUpdates }: ResolvedChanges, { protocol, metadata }: SnapshotState): void {
  if (vectorUpdates.length === 0 && !adds.some((add) => add.deletionVector)) return;
  if (!isFeatureEnabled(protocol, metadata.configuration, 'deletionVectors')) {
    throw new DeltaError(
      'Unsupported',
      'the table has no deletion vectors: the feature and delta.enableDeletionVectors = true are needed',
      { feature: 'deletionVectors' },
    );
  }
  for (const { file, deletionVector } of vectorUpdates) {
    checkDescriptor({ ...deletionVector }, file.path);
    checkVectorOf(file.path, file.stats, deletionVector.cardinality);
  }
}

function checkVectorOf(path: string, stats: string | undefined, cardinality: number): void {
  const numRecords = requireNumRecords(stats, path, 'files with a deletion vector must have it');
  if (cardinality <= numRecords) return;
  const message = `the deletion vector of ${path} deletes ${cardinality} of ${numRecords} rows`;
  throw new DeltaError('DeletionVector', message, { path });
}

function checkDomains({ domains }: ResolvedChanges, { protocol }: SnapshotState): void {
  if (domains.size === 0 || isFeatureSupported(protocol, 'domainMetadata')) return;
  throw new DeltaError('Unsupported', 'the table does not have the feature domainMetadata', {
    feature: 'domainMetadata',
  });
}

function invalidState(message: string, path?: string): DeltaError {
  const error = new DeltaError('InvalidTransactionState', message);
  return path === undefined ? error : (withContext(error, { path }) as DeltaError);
}
