/**
 * A catalog without a server: one record per table in a storage that can compare and swap (memory, OPFS, R2).
 *
 * It orders the commits of all who use the same records, and no more: it has no users, no permissions, no audit, and
 * hands out no credentials. Whoever can write the records can write the tables.
 */
import { DeltaError, isDeltaError } from '../../errors.ts';
import type { CallOptions } from '../../kernel/engine.ts';
import { CatalogCommitter, type CatalogCommitterOptions } from '../catalog-committer.ts';
import type { CatalogTable, CatalogTableState, Ratification, RatifiedCommit } from '../staged-commit.ts';
import type { RecordStore, StoredRecord } from './record-store.ts';
import { parseRecord, recordText, type TableRecord, withCommit, withoutPublished } from './table-record.ts';

export interface EmbeddedCatalogOptions {
  /** Commits of a table that wait to be published, at most. Default 10, as Unity Catalog has it. */
  readonly maxUnpublished?: number | undefined;
}

/** Replacements of one record that may lose against others before it is given up. */
const MAX_REPLACEMENTS = 50;

export class EmbeddedCatalog {
  readonly #records: RecordStore;
  readonly #maxUnpublished: number;

  constructor(records: RecordStore, { maxUnpublished = 10 }: EmbeddedCatalogOptions = {}) {
    if (!Number.isSafeInteger(maxUnpublished) || maxUnpublished < 1) {
      throw new DeltaError(
        'InvalidOption',
        `maxUnpublished must be a whole number from 1 on, not ${maxUnpublished}`,
      );
    }
    this.#records = records;
    this.#maxUnpublished = maxUnpublished;
  }

  /** Names of all tables, in any order. */
  async *list(): AsyncIterable<string> {
    for await (const key of this.#records.keys(PREFIX))
      yield decodeURIComponent(key.slice(PREFIX.length, -SUFFIX.length));
  }

  /** `TableNotFound` where there is none. */
  async load(name: string, _options: CallOptions = {}): Promise<TableRecord> {
    return (await this.#read(name)).record;
  }

  /**
   * Registers a table whose version 0 is written. Again with the same id: nothing. `CatalogError` for a name that is
   * taken by another table.
   */
  async register(name: string, tableId: string, location: URL): Promise<void> {
    const record: TableRecord = { tableId, location: location.href, latestVersion: 0, commits: [] };
    let failure: unknown;
    try {
      if (await this.#records.replace(keyOf(name), recordText(record), undefined)) return;
    } catch (error) {
      if (!isDeltaError(error, 'IOError')) throw error;
      failure = error;
    }
    const found = await this.#records.read(keyOf(name));
    if (found === undefined) throw failure ?? missing(name);
    if (parseRecord(keyOf(name), found.text).tableId === tableId) return;
    throw new DeltaError('CatalogError', `there is a table ${name} in the catalog already`);
  }

  /** Forgets a table; its files stay. Idempotent. */
  async drop(name: string): Promise<void> {
    await this.#records.remove(keyOf(name));
  }

  /** The committer of a table. `tableId` guards against another table of the same name. */
  committer(name: string, tableId: string, options: CatalogCommitterOptions = {}): CatalogCommitter {
    return new CatalogCommitter(this.table(name, tableId), options);
  }

  /** What a committer needs of a table. */
  table(name: string, tableId: string): CatalogTable {
    const checked = async () => {
      const read = await this.#read(name);
      if (read.record.tableId === tableId) return read;
      throw new DeltaError('CatalogError', `${name} is another table by now: open it again`);
    };
    return {
      load: async (): Promise<CatalogTableState> => (await checked()).record,
      ratify: (commit) => this.#ratify(name, commit, checked),
      notifyPublished: async (version) => {
        await this.#update(name, checked, (record) => publishedUpTo(record, version));
      },
    };
  }

  async #ratify(name: string, commit: RatifiedCommit, read: () => Promise<Read>): Promise<Ratification> {
    let refusal: Ratification | undefined;
    try {
      await this.#update(name, read, (record) => {
        refusal = this.#refuse(name, record, commit);
        return refusal === undefined ? withCommit(record, commit) : undefined;
      });
    } catch (error) {
      // The swap may have been made: the record will tell.
      if (isDeltaError(error, 'IOError')) return { kind: 'unknown', error };
      throw error;
    }
    return refusal ?? { kind: 'ratified' };
  }

  #refuse(name: string, record: TableRecord, commit: RatifiedCommit): Ratification | undefined {
    const { latestVersion, commits } = record;
    if (commit.version <= latestVersion) return { kind: 'conflict' };
    if (commit.version > latestVersion + 1) {
      const message = `version ${commit.version} of ${name} does not follow ${latestVersion}, the newest one`;
      throw new DeltaError('CatalogError', message, { version: commit.version });
    }
    if (commits.length < this.#maxUnpublished) return undefined;
    const message = `${name} has ${commits.length} commits that are not published: publish them first`;
    return { kind: 'tooMany', error: new DeltaError('TooManyUnpublishedCommits', message) };
  }

  /** Reads, changes and swaps until nobody else did in between. `change` gives undefined for no change. */
  async #update(
    name: string,
    read: () => Promise<Read>,
    change: (record: TableRecord) => TableRecord | undefined,
  ): Promise<void> {
    for (let attempt = 0; attempt < MAX_REPLACEMENTS; attempt++) {
      const { record, stored } = await read();
      const changed = change(record);
      if (changed === undefined) return;
      if (await this.#records.replace(keyOf(name), recordText(changed), stored.tag)) return;
    }
    throw new DeltaError('IOError', `the record of ${name} was changed by others all the time: try again`);
  }

  async #read(name: string): Promise<Read> {
    const stored = await this.#records.read(keyOf(name));
    if (stored === undefined) throw missing(name);
    return { stored, record: parseRecord(keyOf(name), stored.text) };
  }
}

interface Read {
  readonly stored: StoredRecord;
  readonly record: TableRecord;
}

const PREFIX = 'tables/';
const SUFFIX = '.json';

function keyOf(name: string): string {
  if (name !== '') return `${PREFIX}${encodeURIComponent(name)}${SUFFIX}`;
  throw new DeltaError('InvalidOption', 'a table of a catalog needs a name');
}

function missing(name: string): DeltaError {
  return new DeltaError('TableNotFound', `the catalog has no table ${name}`);
}

function publishedUpTo(record: TableRecord, version: number): TableRecord | undefined {
  if (version > record.latestVersion) {
    const message = `version ${version} cannot be published: ${record.latestVersion} is the newest one`;
    throw new DeltaError('CatalogError', message, { version });
  }
  const after = withoutPublished(record, version);
  return after.commits.length === record.commits.length ? undefined : after;
}
