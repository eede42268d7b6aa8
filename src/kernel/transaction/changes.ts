/** What a transaction is to do, as its caller said it; frozen with the first attempt to commit. */
import type { DomainMetadata, Metadata, Protocol } from '../actions/types.ts';
import type { ScanFile } from '../scan/scan-files.ts';
import type { AddFile, CdcFile, DeletionVectorUpdate, FileBatch } from './file-actions.ts';
import { ReadSet } from './reads.ts';

/** Which commits of others a transaction may follow (Delta Lake, "Concurrency control"). */
export const ISOLATION_LEVELS = ['Serializable', 'WriteSerializable', 'SnapshotIsolation'] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

export class Changes {
  operation = 'UNKNOWN';
  operationParameters: Readonly<Record<string, string>> = {};
  engineInfo: string | undefined;
  /** JSON values by key. */
  commitInfo: Readonly<Record<string, unknown>> = {};
  dataChange = true;
  blindAppend = false;
  isolationLevel: IsolationLevel | undefined;
  readonly transactionIds = new Map<string, number>();
  /** A configuration, or null to remove the domain. */
  readonly domains = new Map<string, string | null>();
  /** Domains of the protocol itself (`delta.…`), as they are to be written. */
  readonly systemDomains: DomainMetadata[] = [];
  readonly addBatches: FileBatch<AddFile>[] = [];
  readonly cdcBatches: FileBatch<CdcFile>[] = [];
  readonly removes: ScanFile[] = [];
  readonly vectorUpdates: DeletionVectorUpdate[] = [];
  newProtocol: Protocol | undefined;
  newMetadata: Metadata | undefined;
  readonly reads = new ReadSet();
}

/** {@link Changes} with its batches of files as values. */
export interface ResolvedChanges extends Readonly<Changes> {
  readonly adds: readonly AddFile[];
  readonly cdc: readonly CdcFile[];
}
