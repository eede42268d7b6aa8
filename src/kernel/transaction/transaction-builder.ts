/** What a transaction does and what it read, as its caller says it before the commit. */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { DeletionVectorDescriptor } from '../actions/types.ts';
import type { FilteredEngineData } from '../engine-data.ts';
import { type Condition, toPredicate } from '../expressions/builders.ts';
import type { Scalar } from '../expressions/types.ts';
import { normalizePartitionValues } from '../partition-values/normalize.ts';
import { Scan, type ScanOptions } from '../scan/scan.ts';
import type { ScanFile } from '../scan/scan-files.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { type Changes, ISOLATION_LEVELS, type IsolationLevel } from './changes.ts';
import { type AddFile, type CdcFile, type FileBatch, scanFilesOf } from './file-actions.ts';
import { type WriteContext, type WriteContextOptions, writeContext } from './write-context.ts';

export abstract class TransactionBuilder<S extends SnapshotState> {
  protected readonly base: S;

  protected constructor(base: S) {
    this.base = base;
  }

  /** Throws `InvalidTransactionState` once a commit was tried. */
  protected abstract open(): Changes;

  /** The version that it is built on: the one that was read, or the newest one that a rebase found. */
  get readVersion(): number {
    return this.base.version;
  }

  /** `commitInfo.operation` and its parameters, whose values are JSON texts. */
  withOperation(name: string, parameters: Readonly<Record<string, string>> = {}): this {
    const changes = this.open();
    changes.operation = name;
    changes.operationParameters = parameters;
    return this;
  }

  /** `commitInfo.engineInfo`: name and version of the writing application. */
  withEngineInfo(engineInfo: string): this {
    this.open().engineInfo = engineInfo;
    return this;
  }

  /** More keys of `commitInfo`, as JSON values. Keys that the kernel sets are the kernel's. */
  withCommitInfo(values: Readonly<Record<string, unknown>>): this {
    const changes = this.open();
    changes.commitInfo = { ...changes.commitInfo, ...values };
    return this;
  }

  /** False: rows are only moved between files (compaction). Default true. */
  withDataChange(dataChange: boolean): this {
    this.open().dataChange = dataChange;
    return this;
  }

  /** Declares that nothing of the table was read: only such appends never conflict with each other. */
  withBlindAppend(): this {
    this.open().blindAppend = true;
    return this;
  }

  /** Records the newest version of an application, so that it can tell what it has written (`PROTOCOL.md`, `txn`). */
  withTransactionId(appId: string, version: number): this {
    const { transactionIds } = this.open();
    if (transactionIds.has(appId)) throw this.invalid(`two versions of the application ${appId}`);
    if (!Number.isSafeInteger(version) || version < 0) {
      throw new DeltaError('InvalidOption', `${version} is no version of the application ${appId}`);
    }
    transactionIds.set(appId, version);
    return this;
  }

  /** Sets the configuration of a user domain. */
  withDomainMetadata(domain: string, configuration: string): this {
    return this.#withDomain(domain, configuration);
  }

  /** Removes a user domain; nothing where there is none. */
  withDomainMetadataRemoved(domain: string): this {
    return this.#withDomain(domain, null);
  }

  /** Default: the table's `delta.isolationLevel`, else `Serializable`. */
  withIsolationLevel(level: IsolationLevel): this {
    if (!ISOLATION_LEVELS.includes(level)) {
      throw new DeltaError(
        'InvalidOption',
        `the isolation level must be one of ${ISOLATION_LEVELS.join(', ')}`,
      );
    }
    this.open().isolationLevel = level;
    return this;
  }

  /** A scan of the version that is read, which counts as read. */
  scan(options: ScanOptions = {}): Scan {
    const { reads } = this.open();
    if (options.predicate === undefined) reads.addWholeTable();
    else reads.addPredicate(this.base, options.predicate);
    return new Scan(this.base, options);
  }

  /** Declares that the rows for which a predicate is true were read. */
  withReadPredicate(predicate: Condition): this {
    this.open().reads.addPredicate(this.base, toPredicate(predicate));
    return this;
  }

  /** Declares that these files (`path` as the log has it), and no others, were read; an empty list: none. */
  withReadFiles(paths: Iterable<string>): this {
    this.open().reads.addFiles(paths);
    return this;
  }

  withReadWholeTable(): this {
    this.open().reads.addWholeTable();
    return this;
  }

  /** Declares that the newest version of an application was read. */
  withReadAppId(appId: string): this {
    this.open().reads.appIds.add(appId);
    return this;
  }

  /** Where and how files of a table without partition columns are written. `Schema` where none can be. */
  unpartitionedWriteContext(options: WriteContextOptions = {}): WriteContext {
    return this.partitionedWriteContext({}, options);
  }

  /** The same for one partition: a value per partition column, by logical name. `InvalidPartitionValues`. */
  partitionedWriteContext(
    values: Readonly<Record<string, Scalar>>,
    options: WriteContextOptions = {},
  ): WriteContext {
    const { schema, metadata, tableRoot } = this.base;
    try {
      const normalized = normalizePartitionValues(values, schema, metadata.partitionColumns);
      return writeContext(this.base, normalized, options);
    } catch (error) {
      throw withContext(error, { table: shownUrl(tableRoot) });
    }
  }

  /** Files that were written: values, or a batch of `addFilesSchema`. */
  addFiles(files: FileBatch<AddFile>): this {
    this.open().addBatches.push(files);
    return this;
  }

  /** Files of changed rows, for tables with a change data feed. */
  addCdcFiles(files: FileBatch<CdcFile>): this {
    this.open().cdcBatches.push(files);
    return this;
  }

  /** Files of a scan of the version that is read, whole. */
  removeFiles(files: FilteredEngineData | Iterable<ScanFile>): this {
    this.open().removes.push(...scanFilesOf(files));
    return this;
  }

  /**
   * New deletion vectors of live files, by `path`: whole ones, which also hold the rows deleted before.
   * Every path must be among `files`, the files of a scan of the version that is read; other files stay as they are.
   */
  updateDeletionVectors(
    vectors: ReadonlyMap<string, DeletionVectorDescriptor>,
    files: FilteredEngineData | Iterable<ScanFile>,
  ): this {
    const { vectorUpdates } = this.open();
    const byPath = new Map(scanFilesOf(files).map((file) => [file.path, file]));
    for (const [path, deletionVector] of vectors) {
      const file = byPath.get(path);
      if (file === undefined)
        throw this.invalid(`a deletion vector for ${path}, which is not among the files`);
      vectorUpdates.push({ file, deletionVector });
    }
    return this;
  }

  #withDomain(domain: string, configuration: string | null): this {
    const { domains } = this.open();
    if (domain === '' || domain.startsWith('delta.')) {
      throw new DeltaError(
        'InvalidOption',
        `the domain ${JSON.stringify(domain)} is reserved: "delta." begins those`,
      );
    }
    if (domains.has(domain)) throw this.invalid(`two changes of the domain ${domain}`);
    domains.set(domain, configuration);
    return this;
  }

  protected invalid(problem: string): DeltaError {
    const { tableRoot, version } = this.base;
    return new DeltaError('InvalidTransactionState', `the transaction on version ${version}: ${problem}`, {
      table: shownUrl(tableRoot),
    });
  }
}
