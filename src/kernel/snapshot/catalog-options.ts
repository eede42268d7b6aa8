/**
 * A catalog's say in a snapshot: the log tail (commits that it ratified, published or not) and the newest version
 * that it knows (`PROTOCOL.md`, "Catalog-managed tables"; Delta Kernel, "Reading catalog-managed tables").
 */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { Protocol } from '../actions/types.ts';
import type { LogPath } from '../log/log-path.ts';
import { isFeatureSupported } from '../table-features/protocol-support.ts';

export interface VersionOptions {
  /** The version wanted; the latest by default. */
  version?: number | undefined;
  /** Commits that the catalog ratified: ascending, without gap or duplicate. */
  logTail?: readonly LogPath[] | undefined;
  /** The newest version that the catalog ratified. Required for catalog-managed tables, refused for others. */
  maxCatalogVersion?: number | undefined;
}

/**
 * The version to load, undefined for the latest, once the options have been found to agree.
 * Throws `InvalidOption` for numbers that are no versions, `LogTailVersionsNotContiguous`, and `MaxCatalogVersion`
 * where the maximum is missing or does not fit the version or the tail.
 */
export function targetVersion(options: VersionOptions, tableRoot: URL): number | undefined {
  const { version, logTail = [], maxCatalogVersion } = options;
  checkVersion('version', version);
  checkVersion('maxCatalogVersion', maxCatalogVersion);
  checkTail(logTail, tableRoot);
  const table = shownUrl(tableRoot);
  if (maxCatalogVersion === undefined) {
    if (logTail.some(({ kind }) => kind === 'stagedCommit')) {
      throw new DeltaError('MaxCatalogVersion', 'a log tail with staged commits needs maxCatalogVersion', {
        table,
      });
    }
    return version;
  }
  if (version !== undefined && version > maxCatalogVersion) {
    throw new DeltaError(
      'MaxCatalogVersion',
      `version ${version} is above ${maxCatalogVersion}, the newest version that the catalog ratified`,
      { table, version },
    );
  }
  const last = logTail.at(-1)?.version;
  if (last !== undefined) checkTailEnd(last, version, maxCatalogVersion, table);
  return version ?? maxCatalogVersion;
}

function checkVersion(name: string, version: number | undefined): void {
  if (version === undefined || (Number.isSafeInteger(version) && version >= 0)) return;
  throw new DeltaError('InvalidOption', `${name} must be a whole number from 0 to 2^53 - 1, not ${version}`);
}

function checkTail(logTail: readonly LogPath[], tableRoot: URL): void {
  for (let index = 1; index < logTail.length; index++) {
    const [first, second] = [logTail[index - 1]!.version, logTail[index]!.version];
    if (second === first + 1) continue;
    throw new DeltaError(
      'LogTailVersionsNotContiguous',
      `the log tail must be ascending without gaps or duplicates, but ${second} follows ${first}`,
      { table: shownUrl(tableRoot), version: second },
    );
  }
}

/** Without time travel the tail ends at the maximum; with it, it reaches the version at least. */
function checkTailEnd(last: number, version: number | undefined, maximum: number, table: string): void {
  if (version === undefined && last !== maximum) {
    throw new DeltaError(
      'MaxCatalogVersion',
      `the log tail ends at version ${last}, but the catalog's newest version is ${maximum}`,
      { table, version: last },
    );
  }
  if (version !== undefined && last < version) {
    throw new DeltaError(
      'MaxCatalogVersion',
      `the log tail ends at version ${last}, before version ${version}`,
      {
        table,
        version: last,
      },
    );
  }
}

/** Throws `MaxCatalogVersion` where a catalog-managed table is opened without its catalog, or the other way round. */
export function checkCatalogManaged(
  protocol: Protocol,
  maxCatalogVersion: number | undefined,
  tableRoot: URL,
): void {
  const managed = isFeatureSupported(protocol, 'catalogManaged');
  if (managed === (maxCatalogVersion !== undefined)) return;
  const place = { table: shownUrl(tableRoot), feature: 'catalogManaged' };
  if (!managed) {
    const message = 'maxCatalogVersion was given for a table that is not catalog-managed: open it without';
    throw new DeltaError('MaxCatalogVersion', message, place);
  }
  throw new DeltaError(
    'MaxCatalogVersion',
    'the table is catalog-managed: only its catalog knows which versions exist, so it cannot be opened by its path ' +
      'alone. Open it through the catalog (for Unity Catalog: by its name catalog.schema.table), or pass ' +
      'maxCatalogVersion and logTail as the catalog gives them',
    place,
  );
}
