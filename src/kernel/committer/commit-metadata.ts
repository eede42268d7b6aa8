/** What a committer is told of the commit that it is to make. */
import type { DomainMetadata, Metadata, Protocol } from '../actions/types.ts';
import type { Runtime } from '../engine.ts';
import { commitFileName, logRootOf, stagedCommitFileName } from '../log/log-path.ts';
import { joinPath } from '../paths.ts';
import { featureNamed } from '../table-features/features.ts';

/** What a commit does to a table, and who manages that. */
export type CommitType =
  | 'pathBasedCreate'
  | 'catalogManagedCreate'
  | 'pathBasedWrite'
  | 'catalogManagedWrite'
  | 'upgradeToCatalogManaged'
  | 'downgradeToPathBased';

export interface CommitMetadataFields {
  /** Ends in `/`. */
  readonly tableRoot: URL;
  readonly version: number;
  readonly commitType: CommitType;
  /**
   * Milliseconds since the Unix epoch: what `commitInfo.inCommitTimestamp` says, or the time of the commit by the
   * writer's clock where in-commit timestamps are off.
   */
  readonly inCommitTimestamp: number;
  /** `commitInfo.txnId`: one per transaction, the same in all its attempts. */
  readonly txnId: string;
  /** End of the gap-free run of published commits, as the transaction's snapshot knew it. */
  readonly maxPublishedVersion?: number | undefined;
  /** Of the version that was read; undefined for a new table. */
  readonly readProtocol?: Protocol | undefined;
  readonly readMetadata?: Metadata | undefined;
  /** What the commit sets; undefined where it leaves it as it is. */
  readonly newProtocol?: Protocol | undefined;
  readonly newMetadata?: Metadata | undefined;
  /** As written, system domains (`delta.…`) and removals among them. */
  readonly domainMetadataChanges: readonly DomainMetadata[];
}

export class CommitMetadata {
  readonly tableRoot: URL;
  readonly version: number;
  readonly commitType: CommitType;
  readonly inCommitTimestamp: number;
  readonly txnId: string;
  readonly maxPublishedVersion: number | undefined;
  readonly readProtocol: Protocol | undefined;
  readonly readMetadata: Metadata | undefined;
  readonly newProtocol: Protocol | undefined;
  readonly newMetadata: Metadata | undefined;
  readonly domainMetadataChanges: readonly DomainMetadata[];
  readonly #runtime: Runtime;

  constructor(fields: CommitMetadataFields, runtime: Runtime) {
    this.tableRoot = fields.tableRoot;
    this.version = fields.version;
    this.commitType = fields.commitType;
    this.inCommitTimestamp = fields.inCommitTimestamp;
    this.txnId = fields.txnId;
    this.maxPublishedVersion = fields.maxPublishedVersion;
    this.readProtocol = fields.readProtocol;
    this.readMetadata = fields.readMetadata;
    this.newProtocol = fields.newProtocol;
    this.newMetadata = fields.newMetadata;
    this.domainMetadataChanges = fields.domainMetadataChanges;
    this.#runtime = runtime;
  }

  /** `_delta_log/<version>.json`. */
  publishedCommitPath(): URL {
    return joinPath(logRootOf(this.tableRoot), commitFileName(this.version));
  }

  /**
   * `_delta_log/_staged_commits/<version>.<uuid>.json` with a fresh UUID at every call: call it once per `commit`,
   * or the catalog is told of a file that was never written.
   */
  stagedCommitPath(): URL {
    const name = stagedCommitFileName(this.version, this.#runtime.uuid());
    return joinPath(logRootOf(this.tableRoot), '_staged_commits/', name);
  }

  /** The protocol after the commit. */
  get protocol(): Protocol | undefined {
    return this.newProtocol ?? this.readProtocol;
  }

  /** The metadata after the commit. */
  get metadata(): Metadata | undefined {
    return this.newMetadata ?? this.readMetadata;
  }

  /** `metaData.configuration` after the commit. */
  get metadataConfiguration(): Readonly<Record<string, string>> {
    return this.metadata?.configuration ?? {};
  }

  get hasProtocolChange(): boolean {
    return this.newProtocol !== undefined;
  }

  get hasMetadataChange(): boolean {
    return this.newMetadata !== undefined;
  }

  hasDomainMetadataChange(domain: string): boolean {
    return this.domainMetadataChanges.some((change) => change.domain === domain);
  }

  /** Whether `readerFeatures` of the protocol after the commit lists a feature, under this or an older name. */
  hasReaderFeature(name: string): boolean {
    return lists(this.protocol?.readerFeatures, name);
  }

  hasWriterFeature(name: string): boolean {
    return lists(this.protocol?.writerFeatures, name);
  }
}

function lists(features: readonly string[] | undefined, name: string): boolean {
  return (features ?? []).some((listed) => listed === name || featureNamed(listed)?.name === name);
}
