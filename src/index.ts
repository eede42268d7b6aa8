/**
 * The public surface: everything but the storages that one platform has, and without a default way of loading the
 * WASM core. `delta-kernel-web` is this plus a loader (`index.node.ts`, `index.browser.ts`, `index.workerd.ts`);
 * `delta-kernel-web/slim` is this alone, for those who call `init` themselves.
 */

export { toRecordBatch } from './engine/arrow-engine-data.ts';
export { createEngine, DefaultEngine, type EngineOptions } from './engine/default-engine.ts';
export { init, type WasmSource } from './engine/wasm/load.ts';
export { DeltaError, type DeltaErrorCode, type DeltaErrorContext, isDeltaError } from './errors.ts';
export type {
  DeletionVectorDescriptor,
  DomainMetadata,
  Metadata,
  Protocol,
  SetTransaction,
} from './kernel/actions/types.ts';
export type { CheckpointOptions } from './kernel/checkpoint/checkpoint.ts';
export type { WriteOutcome } from './kernel/checkpoint/outcome.ts';
export type { ChecksumOptions } from './kernel/checkpoint/write-checksum.ts';
export { CommitMetadata, type CommitType } from './kernel/committer/commit-metadata.ts';
export type {
  CatalogCommit,
  CommitResponse,
  Committer,
  PublishMetadata,
} from './kernel/committer/committer.ts';
export { FileSystemCommitter } from './kernel/committer/file-system-committer.ts';
export { publishByCopies } from './kernel/committer/publish-copies.ts';
export type {
  CallOptions,
  ColumnChunkLayout,
  Engine,
  EvaluationHandler,
  ExpressionEvaluator,
  FileMeta,
  FileSlice,
  JsonHandler,
  PageLayout,
  ParquetFooter,
  ParquetHandler,
  ParquetLayout,
  PredicateEvaluator,
  ReadHints,
  RowGroupLayout,
  RowGroupVerdict,
  RowIndexSet,
  RowIndexSets,
  Runtime,
  StorageHandler,
  ValueBounds,
} from './kernel/engine.ts';
export { compareUtf8 } from './kernel/engine.ts';
export type { Column, EngineData, FilteredEngineData, SelectionVector } from './kernel/engine-data.ts';
export {
  and,
  type Condition,
  col,
  ExpressionBuilder,
  lit,
  not,
  type Operand,
  or,
  PredicateBuilder,
} from './kernel/expressions/builders.ts';
export type { DecidingValue, SkipReason } from './kernel/expressions/explain.ts';
export { ExpressionError, type SourceSpan } from './kernel/expressions/expression-error.ts';
export { parsePredicate } from './kernel/expressions/parser.ts';
export { expressionToString, predicateToString } from './kernel/expressions/print.ts';
export type {
  BinaryOperator,
  ComparisonOperator,
  Expression,
  Predicate,
  Scalar,
  ScalarValue,
} from './kernel/expressions/types.ts';
export { referencedColumns } from './kernel/expressions/visit.ts';
export type { HistoryEntry, HistoryOptions } from './kernel/history/history.ts';
export { LogPath } from './kernel/log/log-path.ts';
export type { CatalogGrant, GrantOptions } from './kernel/maintenance/catalog-grant.ts';
export { type CleanupOptions, type CleanupResult, cleanUpLog } from './kernel/maintenance/cleanup-log.ts';
export { countTombstones, type Tombstones } from './kernel/maintenance/tombstones.ts';
export { type VacuumOptions, type VacuumResult, vacuum } from './kernel/maintenance/vacuum.ts';
export type { PlanBudget } from './kernel/scan/budget.ts';
export {
  type ColumnChange,
  diffSnapshots,
  type FilesDiff,
  type SchemaDiff,
  type TableDiff,
} from './kernel/scan/diff.ts';
export type { ExplainedFile, ExplainTotals, FileTotals, ScanExplanation } from './kernel/scan/explain.ts';
export {
  type FileChanges,
  type IncrementalOptions,
  IncrementalScan,
  type RemovedFile,
} from './kernel/scan/incremental.ts';
export type { PlanOptions, PlanPage, PlanShards, ShardOptions } from './kernel/scan/plan.ts';
export { scanFilesFromJson, scanFilesToJson } from './kernel/scan/saved-scan.ts';
export {
  type ExecuteOptions,
  type FileRows,
  type ReadFilesOptions,
  Scan,
  type ScanMetadataOptions,
} from './kernel/scan/scan.ts';
export {
  dataFileMeta,
  liveRecords,
  type ScanFile,
  type ScanMetadata,
  type ScanTransforms,
  scanFileSchema,
  visitScanFiles,
} from './kernel/scan/scan-files.ts';
export type {
  ProjectionOptions,
  ScanMetadataColumn,
  ScanOptions as KernelScanOptions,
} from './kernel/scan/scan-schema.ts';
export { columnPathToString, parseColumnPath } from './kernel/schema/column-path.ts';
export { typeToString } from './kernel/schema/schema.ts';
export { parseSchema, schemaToJson } from './kernel/schema/schema-json.ts';
export {
  type ArrayType,
  type DataType,
  type DecimalType,
  field,
  type MapType,
  type MetadataColumn,
  type OpaqueType,
  type PrimitiveName,
  type PrimitiveType,
  type StructField,
  type StructType,
  types,
  type VariantType,
} from './kernel/schema/types.ts';
export type { ApplicationState } from './kernel/snapshot/app-state.ts';
export { type RefreshOptions, Snapshot, type SnapshotOptions } from './kernel/snapshot/snapshot.ts';
export {
  type ExecuteChangesOptions,
  TableChanges,
  type TableChangesOptions,
  type TableChangesScan,
  type TableChangesScanOptions,
} from './kernel/table-changes/table-changes.ts';
export type { ColumnMappingMode, TableProperties } from './kernel/table-properties.ts';
export type { ColumnName, TableAlteration } from './kernel/transaction/alter-table.ts';
export type { IsolationLevel } from './kernel/transaction/changes.ts';
export type { RebaseOptions } from './kernel/transaction/conflict/rebase.ts';
export {
  type CreateTableOptions,
  createTable,
  type TableCreation,
} from './kernel/transaction/create-table.ts';
export {
  type AddFile,
  addFilesSchema,
  type CdcFile,
  type FileBatch,
} from './kernel/transaction/file-actions.ts';
export type {
  CommitResult,
  CommittedTransaction,
  ConflictedTransaction,
  RetryableTransaction,
} from './kernel/transaction/results.ts';
export type { Transaction, TransactionOptions } from './kernel/transaction/transaction.ts';
export type { NewFile, WriteContext, WriteContextOptions } from './kernel/transaction/write-context.ts';
export { type CoalesceOptions, withRangeCoalescing } from './storage/coalesce.ts';
export { type CountedStorage, type StorageCounts, withCounting } from './storage/counting.ts';
export { HttpStorageHandler } from './storage/http.ts';
export { MemoryStorageHandler, type MemoryStorageOptions } from './storage/memory.ts';
export { type RetryOptions, withRetries } from './storage/retry.ts';
export { type ChangesOptions, ChangesScan } from './table/changes-scan.ts';
export {
  type CreateLocation,
  DeltaTable,
  type FilterOptions,
  type OpenOptions,
  type ScanOptions,
  type StoredTable,
  type Where,
} from './table/delta-table.ts';
export { jsonWriters, rowsToNdjson } from './table/json-rows.ts';
export type { ValueWriter } from './table/json-values.ts';
export { registerStorage, type StorageFactory } from './table/location.ts';
export type { TableDetail } from './table/table-detail.ts';
export { TableScan } from './table/table-scan.ts';
export type { WarningListener } from './table/write/after-commit.ts';
export type { Alter } from './table/write/alter.ts';
export type { AppendOptions, AppVersion } from './table/write/append.ts';
export type { CatalogState, TableWriter, WriteOptions } from './table/write/commit.ts';
export type { CreateOptions, SchemaInput } from './table/write/create.ts';
export type { DeleteResult } from './table/write/delete.ts';
export type { Row, RowInput } from './table/write/input.ts';
export { type ValueReader, valueReader } from './table/write/row-values.ts';
