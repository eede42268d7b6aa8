/** `POST …/tables/T`: requirements, then all updates or none. */
import {
  invalid,
  type Json,
  objectOf,
  onlyFields,
  positiveOf,
  propertiesOf,
  StubError,
  textOf,
  textsOf,
} from './answers.ts';
import { checkColumns, checkDomains, checkPartitionColumns, checkProtocol } from './columns.ts';
import { type CommitRow, latestVersion, loadAnswer, type StubTable, unpublished } from './state.ts';

const MAX_UNPUBLISHED = 10;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'add-commit': ['commit', 'uniform'],
  'set-latest-backfilled-version': ['latest-published-version'],
  'set-properties': ['updates'],
  'remove-properties': ['removals'],
  'set-columns': ['columns'],
  'set-partition-columns': ['partition-columns'],
  'set-table-comment': ['comment'],
  'set-protocol': ['protocol'],
  'set-domain-metadata': ['updates'],
  'remove-domain-metadata': ['domains'],
};

export interface UpdateContext {
  readonly now: () => number;
  /** Which of the two ways of answering a resend of a purged version; see `uc-api.md` §3. */
  readonly generation: '0.6.0' | 'head';
  /** `head`: whether staged and published file of a version are the same bytes. */
  readonly compareWithPublished: (
    table: StubTable,
    row: CommitRow,
  ) => Promise<'same' | 'different' | 'unreadable'>;
}

export async function updateTable(table: StubTable, body: Json, context: UpdateContext): Promise<Json> {
  onlyFields(body, ['requirements', 'updates']);
  const updates = actionsOf(body.updates);
  checkRequirements(table, body.requirements);
  const commit = commitOf(updates.get('add-commit'));
  const notice = noticeOf(updates.get('set-latest-backfilled-version'));
  if (commit !== undefined && isKnown(table, commit)) {
    await checkResend(table, commit, context);
    return loadAnswer(table);
  }
  // No await from here on: requests are one transaction each.
  const apply = metadataChange(table, updates);
  const listedBefore = unpublished(table);
  const rows = rowsAfter(table, commit, notice);
  // Nothing was changed up to here, and nothing fails from here on.
  table.rows = rows;
  table.published = Math.max(table.published, notice ?? 0);
  table.rows = rows.filter(({ version }) => version > table.published || version === rows.at(-1)!.version);
  if (apply !== undefined) {
    apply();
    table.etag = `etag-${nextEtag(table, context.now())}`;
    table.updatedTime = context.now();
    if (commit !== undefined) {
      table.lastCommitVersion = commit.version;
      table.lastCommitTimestamp = commit.timestamp;
    }
  }
  // Observed: the answer to a notice of the last commit still lists it.
  const last = listedBefore.at(-1);
  const isStale = commit === undefined && notice !== undefined && notice === last?.version;
  return loadAnswer(table, isStale ? [last!] : undefined);
}

function nextEtag({ etag }: StubTable, now: number): number {
  return Math.max(now, Number(etag.slice('etag-'.length)) + 1);
}

function actionsOf(value: unknown): Map<string, Json> {
  if (!Array.isArray(value) || value.length === 0) throw invalid('updates must not be empty.');
  const result = new Map<string, Json>();
  for (const item of value) {
    const update = objectOf(item, 'update');
    const action = String(update.action);
    const fields = FIELDS[action];
    if (fields === undefined) {
      throw invalid(`failed to parse a JSON document: Could not resolve type id '${action}'`);
    }
    onlyFields(update, ['action', ...fields]);
    if (result.has(action)) throw invalid(`Duplicate action: ${action}`);
    result.set(action, update);
  }
  return result;
}

function checkRequirements(table: StubTable, value: unknown): void {
  const seen = new Set<string>();
  for (const item of Array.isArray(value) ? value : []) {
    const requirement = objectOf(item, 'requirement');
    const type = String(requirement.type);
    if (seen.has(type)) throw invalid(`Duplicate requirement: ${type}`);
    seen.add(type);
    if (type === 'assert-table-uuid') {
      onlyFields(requirement, ['type', 'uuid']);
      checkEqual(type, textOf(requirement.uuid, 'uuid'), table.id);
    } else if (type === 'assert-etag') {
      onlyFields(requirement, ['type', 'etag']);
      checkEqual(type, textOf(requirement.etag, 'etag'), table.etag);
    } else throw invalid(`failed to parse a JSON document: Could not resolve type id '${type}'`);
  }
  if (!seen.has('assert-table-uuid')) throw invalid('assert-table-uuid requirement is required.');
}

function checkEqual(type: string, expected: string, found: string): void {
  if (expected === found) return;
  const message = `${type} failed: expected ${expected} but table has ${found}`;
  throw new StubError('UpdateRequirementConflictException', message);
}

function commitOf(update: Json | undefined): CommitRow | undefined {
  if (update === undefined) return undefined;
  const commit = objectOf(update.commit, 'commit');
  onlyFields(commit, ['version', 'timestamp', 'file-name', 'file-size', 'file-modification-timestamp']);
  return {
    version: positiveOf(commit.version, 'version'),
    timestamp: positiveOf(commit.timestamp, 'timestamp'),
    'file-name': textOf(commit['file-name'], 'file-name'),
    'file-size': positiveOf(commit['file-size'], 'file-size'),
    'file-modification-timestamp': positiveOf(
      commit['file-modification-timestamp'],
      'file-modification-timestamp',
    ),
  };
}

function noticeOf(update: Json | undefined): number | undefined {
  if (update === undefined) return undefined;
  const version = update['latest-published-version'];
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 0) return version;
  throw invalid('latest-published-version is required.');
}

/** Whether the version of a commit was ratified before. */
function isKnown(table: StubTable, { version }: CommitRow): boolean {
  return table.rows.length > 0 && version <= latestVersion(table);
}

/** The same commit again is a no-op while its row is kept. Another file of a version that exists is a conflict. */
async function checkResend(table: StubTable, commit: CommitRow, context: UpdateContext): Promise<void> {
  const latest = latestVersion(table);
  const row = table.rows.find(({ version }) => version === commit.version);
  if (row?.['file-name'] === commit['file-name']) return;
  if (row === undefined && context.generation === 'head') {
    const found = await context.compareWithPublished(table, commit);
    if (found === 'same') return;
    if (found === 'unreadable') {
      throw new StubError('CommitStateUnknownException', `Commit ${commit.version} could not be compared`);
    }
  }
  const message = `Commit version already accepted. Current table version is ${latest}`;
  throw new StubError('CommitVersionConflictException', message);
}

/** The commits after a request: checks versions and the limit, changes nothing. */
function rowsAfter(table: StubTable, commit: CommitRow | undefined, notice: number | undefined): CommitRow[] {
  const last = latestVersion(table);
  if (commit !== undefined && table.rows.length > 0 && commit.version !== last + 1) {
    const rule = `Commit version must be the next version after the latest commit ${last}, but got ${commit.version}`;
    throw invalid(rule);
  }
  if (notice !== undefined && notice > last) {
    throw invalid(
      commit === undefined
        ? `Should not backfill version ${notice} while the last version committed is ${last}`
        : `Latest backfilled version ${notice} cannot be greater than the last commit version = ${last}`,
    );
  }
  const rows = commit === undefined ? table.rows : [...table.rows, commit];
  const published = Math.max(table.published, notice ?? 0);
  const count = rows.filter(({ version }) => version > published).length;
  if (commit !== undefined && count > MAX_UNPUBLISHED) {
    const message = `Max number of commits per table reached: ${table.id}`;
    throw new StubError('ResourceExhaustedException', message);
  }
  return rows;
}

/** What the other actions do, once they are all valid; undefined where there are none. */
function metadataChange(table: StubTable, updates: ReadonlyMap<string, Json>): (() => void) | undefined {
  const changes: (() => void)[] = [];
  const on = (action: string, prepare: (update: Json) => () => void) => {
    const update = updates.get(action);
    if (update !== undefined) changes.push(prepare(update));
  };
  let { columns, protocol } = table;
  on('set-columns', (update) => {
    columns = checkColumns(update.columns);
    return () => {
      table.columns = columns;
    };
  });
  on('set-partition-columns', (update) => {
    const partitionColumns = checkPartitionColumns(update['partition-columns'], columns);
    return () => {
      table.partitionColumns = partitionColumns;
    };
  });
  on('set-protocol', (update) => {
    protocol = checkProtocol(update.protocol);
    return () => {
      table.protocol = protocol;
    };
  });
  on('set-table-comment', (update) => {
    const comment = textOf(update.comment, 'comment');
    return () => {
      table.comment = comment;
    };
  });
  on('set-domain-metadata', (update) => {
    const domains = checkDomains(update.updates, (protocol['writer-features'] ?? []) as string[]);
    return () => {
      for (const [domain, value] of Object.entries(domains)) table.domains.set(domain, value);
    };
  });
  on('remove-domain-metadata', (update) => {
    const domains = textsOf(update.domains, 'domains');
    return () => {
      for (const domain of domains) table.domains.delete(domain);
    };
  });
  propertyChange(table, updates, changes);
  if (changes.length === 0) return undefined;
  return () => {
    for (const change of changes) change();
  };
}

function propertyChange(table: StubTable, updates: ReadonlyMap<string, Json>, changes: (() => void)[]): void {
  const [set, remove] = [updates.get('set-properties'), updates.get('remove-properties')];
  if (set === undefined && remove === undefined) return;
  const values = set === undefined ? new Map<string, string>() : propertiesOf(set.updates, 'updates');
  const removals = remove === undefined ? [] : textsOf(remove.removals, 'removals');
  const both = removals.filter((key) => values.has(key));
  if (both.length > 0)
    throw invalid(`set-properties and remove-properties overlap on keys: ${both.join(', ')}`);
  changes.push(() => {
    for (const [key, value] of values) table.properties.set(key, value);
    for (const key of removals) table.properties.delete(key);
  });
}
