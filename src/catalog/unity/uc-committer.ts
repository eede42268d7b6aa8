/** The committer of Unity Catalog. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { CommitMetadata } from '../../kernel/committer/commit-metadata.ts';
import type { CallOptions } from '../../kernel/engine.ts';
import { CatalogCommitter, type CatalogCommitterOptions } from '../catalog-committer.ts';
import type { CatalogTable, CatalogTableState, Ratification, RatifiedCommit } from '../staged-commit.ts';
import {
  shownName,
  type TableName,
  type TableRequirement,
  type UnityCatalogError,
  type UnityClient,
} from './client.ts';
import { metadataUpdates } from './updates.ts';

export interface UCCommitterTable {
  readonly client: UnityClient;
  readonly name: TableName;
  /** `table-uuid`: a table of the same name that is another one is never written to. */
  readonly tableId: string;
}

export const TABLE_ID_PROPERTY = 'io.unitycatalog.tableId';

const READER_FEATURES = ['catalogManaged', 'vacuumProtocolCheck'];
const WRITER_FEATURES = [...READER_FEATURES, 'inCommitTimestamp'];

/**
 * Version 0 is written, and registered by whoever creates the table; later versions are staged and ratified in one
 * attempt, with changes of metadata, protocol and domains in the same request.
 */
export class UCCommitter extends CatalogCommitter {
  readonly #table: UCCommitterTable;

  constructor(table: UCCommitterTable, options: CatalogCommitterOptions = {}) {
    super(new UnityCatalogTable(table), options);
    this.#table = table;
  }

  protected override checkTable(metadata: CommitMetadata): void {
    const fail = (problem: string, feature?: string) => {
      const place = { table: shownUrl(metadata.tableRoot), version: metadata.version };
      return new DeltaError('Unsupported', `${shownName(this.#table.name)}: ${problem}`, {
        ...place,
        ...(feature !== undefined && { feature }),
      });
    };
    const missing =
      READER_FEATURES.find((feature) => !metadata.hasReaderFeature(feature)) ??
      WRITER_FEATURES.find((feature) => !metadata.hasWriterFeature(feature));
    if (missing !== undefined) throw fail(`Unity Catalog requires the table feature ${missing}`, missing);
    const properties = metadata.metadataConfiguration;
    if (properties['delta.enableInCommitTimestamps'] !== 'true') {
      throw fail('Unity Catalog requires delta.enableInCommitTimestamps = true', 'inCommitTimestamp');
    }
    const tableId = properties[TABLE_ID_PROPERTY];
    if (tableId !== this.#table.tableId) {
      throw fail(`the table says that it is ${tableId}, the catalog that it is ${this.#table.tableId}`);
    }
    if (properties['delta.universalFormat.enabledFormats']) {
      throw fail('tables with UniForm (delta.universalFormat.enabledFormats) cannot be written', 'UniForm');
    }
  }
}

class UnityCatalogTable implements CatalogTable {
  readonly #table: UCCommitterTable;

  constructor(table: UCCommitterTable) {
    this.#table = table;
  }

  async load(options: CallOptions = {}): Promise<CatalogTableState> {
    const { client, name, tableId } = this.#table;
    const table = await client.loadTable(name, options);
    if (table.tableId === tableId) return table;
    const message = `${shownName(name)} is another table by now (${table.tableId} instead of ${tableId})`;
    throw new DeltaError('CatalogError', `${message}: open it again`);
  }

  async ratify(commit: RatifiedCommit, metadata: CommitMetadata): Promise<Ratification> {
    const { client, name } = this.#table;
    const { maxPublishedVersion } = metadata;
    try {
      await client.updateTable(name, this.#requirements(), [
        { action: 'add-commit', commit },
        ...(maxPublishedVersion === undefined
          ? []
          : [
              {
                action: 'set-latest-backfilled-version' as const,
                latestPublishedVersion: maxPublishedVersion,
              },
            ]),
        ...metadataUpdates(metadata),
      ]);
      return { kind: 'ratified' };
    } catch (error) {
      return ratificationOf(error);
    }
  }

  async notifyPublished(version: number, options: CallOptions = {}): Promise<void> {
    const { client, name } = this.#table;
    const update = { action: 'set-latest-backfilled-version' as const, latestPublishedVersion: version };
    await client.updateTable(name, this.#requirements(), [update], options);
  }

  #requirements(): TableRequirement[] {
    return [{ type: 'assert-table-uuid', uuid: this.#table.tableId }];
  }
}

/** By the type of the error; a plain refusal is thrown. */
function ratificationOf(error: unknown): Ratification {
  if (!isDeltaError(error)) throw error;
  const { type } = error as UnityCatalogError;
  if (type === 'CommitVersionConflictException') return { kind: 'conflict' };
  if (type === 'ResourceExhaustedException') return { kind: 'tooMany', error };
  if (error.code !== 'IOError') throw error;
  return { kind: error.status === 429 ? 'notDone' : 'unknown', error };
}
