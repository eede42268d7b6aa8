/** Deleting data files that no version within the retention needs (`PROTOCOL.md`, "VACUUM Protocol Check"). */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import { checkRowlessWriteSupport } from '../checkpoint/support.ts';
import { partitionFields } from '../column-mapping/resolve.ts';
import { type CallOptions, compareUtf8, type Engine, type FileMeta, relativePath } from '../engine.ts';
import { hiveEscape } from '../partition-values/path.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { type GrantOptions, newestToMaintain } from './catalog-grant.ts';
import { deleteInOrder, deletingStorage } from './delete-files.ts';
import { type References, referencesOf } from './references.ts';

export interface VacuumOptions extends GrantOptions {
  /**
   * Files that were removed or written in the last so many hours stay. Default: the table's
   * `delta.deletedFileRetentionDuration` (7 days).
   */
  readonly retainHours?: number | undefined;
  /**
   * Allows fewer hours than the table's property asks for. Readers of older versions, and writers whose files are not
   * committed yet, lose them then.
   */
  readonly allowShortRetention?: boolean | undefined;
  /** Whether only to tell what would be deleted. Default false. */
  readonly dryRun?: boolean | undefined;
}

export interface VacuumResult {
  /** The version whose files, and those it remembers, were kept. */
  readonly version: number;
  readonly dryRun: boolean;
  readonly retainHours: number;
  /** What was deleted, or would be: decoded paths relative to the table's root, in order. */
  readonly files: readonly string[];
  /** Bytes of these files. */
  readonly sizeInBytes: number;
}

const HOUR = 60 * 60 * 1000;

/**
 * Vacuums the newest version of a table. Everything is listed and every reference read before the first file is
 * deleted: a failure until then deletes nothing.
 *
 * Errors: `Unsupported` for a catalog-managed table without its catalog's `grant` or with commits that are not published,
 * a feature that this version does not know, a storage that cannot delete (unless it is a dry run), list folders or tell
 * times; `InvalidOption` for a negative retention, or one below the table's without
 * `allowShortRetention`; those of reading the log; storage's own.
 */
export async function vacuum(
  engine: Engine,
  snapshot: Snapshot,
  options: VacuumOptions = {},
): Promise<VacuumResult> {
  const { dryRun = false, signal } = options;
  const newest = await newestToMaintain(engine, snapshot, 'vacuum', options);
  const { tableRoot, version } = newest;
  checkRowlessWriteSupport(newest);
  const storage = dryRun ? undefined : deletingStorage(engine, tableRoot, 'vacuum');
  const retention = retentionOf(newest, options);
  const cutoff = newest.runtime.now() - retention;
  try {
    const references = await referencesOf(engine, newest, cutoff, { signal });
    const files = await unreferenced(engine, newest, references, cutoff, { signal });
    const locations = files.map(({ location }) => location);
    if (storage !== undefined) await deleteInOrder(storage, locations, { signal });
    return {
      version,
      dryRun,
      retainHours: retention / HOUR,
      files: locations.map((location) => relativePath(tableRoot, location)!),
      sizeInBytes: files.reduce((sum, { size }) => sum + size, 0),
    };
  } catch (error) {
    throw withContext(error, { table: shownUrl(tableRoot), version });
  }
}

/** Milliseconds. */
function retentionOf(
  { tableProperties, tableRoot }: SnapshotState,
  { retainHours, allowShortRetention = false }: VacuumOptions,
): number {
  const least = tableProperties.deletedFileRetentionDuration;
  if (retainHours === undefined) return least;
  const table = shownUrl(tableRoot);
  if (!(retainHours >= 0 && Number.isFinite(retainHours))) {
    throw new DeltaError('InvalidOption', `retainHours must be a number ≥ 0, not ${retainHours}`, { table });
  }
  const retention = Math.floor(retainHours * HOUR);
  if (retention >= least || allowShortRetention) return retention;
  throw new DeltaError(
    'InvalidOption',
    `retaining ${retainHours} hours is less than the ${least / HOUR} hours of the table's ` +
      'delta.deletedFileRetentionDuration: readers and writers under way may lose files. ' +
      'Retain as long, or allow it (allowShortRetention)',
    { table },
  );
}

/** Files under the root that are old enough and that nothing refers to, in order of their paths. */
async function unreferenced(
  engine: Engine,
  snapshot: SnapshotState,
  references: References,
  cutoff: number,
  options: CallOptions,
): Promise<FileMeta[]> {
  const { tableRoot } = snapshot;
  const isHidden = hiddenNames(snapshot);
  const found: { readonly path: string; readonly file: FileMeta }[] = [];
  const otherTables: string[] = [];
  for await (const file of listAll(engine, tableRoot, options)) {
    const path = relativePath(tableRoot, file.location);
    if (path === undefined || path.endsWith('/')) continue;
    const log = path.indexOf('/_delta_log/');
    if (log >= 0) otherTables.push(path.slice(0, log + 1));
    if (path.split('/').some(isHidden) || references.has(path)) continue;
    if (file.lastModified <= 0) throw noTimes(tableRoot);
    if (file.lastModified < cutoff) found.push({ path, file });
  }
  const tables = [...new Set(otherTables)];
  return found
    .filter(({ path }) => !tables.some((folder) => path.startsWith(folder)))
    .sort((a, b) => compareUtf8(a.path, b.path))
    .map(({ file }) => file);
}

function listAll(engine: Engine, tableRoot: URL, options: CallOptions): AsyncIterable<FileMeta> {
  const { storageHandler } = engine;
  if (storageHandler.listRecursive !== undefined) return storageHandler.listRecursive(tableRoot, options);
  const message = 'vacuum is not possible: the storage cannot list folders with all that is below';
  throw new DeltaError('Unsupported', message, { table: shownUrl(tableRoot) });
}

function noTimes(tableRoot: URL): DeltaError {
  const message = 'vacuum is not possible: the storage does not tell how old files are';
  return new DeltaError('Unsupported', message, { table: shownUrl(tableRoot) });
}

/**
 * Names that are not the table's data: `_…` and `.…`, but for change files and folders of partition columns that are
 * called so.
 */
function hiddenNames({ schema, metadata, tableProperties }: SnapshotState): (name: string) => boolean {
  const columns = partitionFields(schema, metadata.partitionColumns, tableProperties.columnMappingMode);
  const prefixes = columns.flatMap(({ field, physicalName }) => {
    const stored = metadata.storedPartitionNames?.[field.name] ?? field.name;
    return [field.name, stored, physicalName].flatMap((name) => [`${name}=`, `${hiveEscape(name)}=`]);
  });
  return (name) =>
    /^[_.]/.test(name) && name !== '_change_data' && !prefixes.some((prefix) => name.startsWith(prefix));
}
