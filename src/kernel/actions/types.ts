/** Actions of the log as values (`PROTOCOL.md`, "Actions"), for those that are few. File actions stay columnar. */
import type { StructType } from '../schema/types.ts';

export interface Protocol {
  readonly minReaderVersion: number;
  readonly minWriterVersion: number;
  /** Present exactly where minReaderVersion is 3. */
  readonly readerFeatures?: readonly string[];
  /** Present exactly where minWriterVersion is 7. */
  readonly writerFeatures?: readonly string[];
}

export interface Metadata {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly format: { readonly provider: string; readonly options: Readonly<Record<string, string>> };
  /** As stored. */
  readonly schemaString: string;
  readonly schema: StructType;
  /** Logical names, as in the schema's own casing. */
  readonly partitionColumns: readonly string[];
  /**
   * What `partitionColumns` says, by the schema's name, where it differs in case: `partitionValues` then has that
   * spelling too, unless columns are mapped.
   */
  readonly storedPartitionNames?: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly createdTime?: number;
  readonly configuration: Readonly<Record<string, string>>;
}

export interface SetTransaction {
  readonly appId: string;
  readonly version: number;
  readonly lastUpdated?: number;
}

export interface DomainMetadata {
  readonly domain: string;
  readonly configuration: string;
  readonly removed: boolean;
}

/** `PROTOCOL.md`, "Deletion Vector Descriptor Schema". */
export interface DeletionVectorDescriptor {
  readonly storageType: 'u' | 'p' | 'i';
  readonly pathOrInlineDv: string;
  readonly offset?: number;
  readonly sizeInBytes: number;
  readonly cardinality: number;
}
