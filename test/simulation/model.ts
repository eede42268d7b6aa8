/** A log read in the plainest way, without any code of the kernel. */
import type { MemoryStorageHandler } from '../../src/storage/memory.ts';
import { holds, same } from './same.ts';

export interface FileAction {
  readonly path: string;
  readonly size: number;
  readonly stats: string;
  readonly deletionVector?: { readonly offset?: number; readonly cardinality: number };
  readonly baseRowId?: number;
  readonly defaultRowCommitVersion?: number;
}

export interface CommitInfo {
  readonly txnId: string;
  readonly operation: string;
  readonly isBlindAppend?: boolean;
  readonly inCommitTimestamp?: number;
  /** What the writer of the commit saw. */
  readonly sim?: Seen;
}

export interface Seen {
  /** The live files that a whole-table reader has read. */
  readonly read?: readonly string[];
  /** The setting that the metadata had. */
  readonly setting: string;
}

export interface ModelVersion {
  readonly version: number;
  readonly info: CommitInfo;
  readonly adds: readonly FileAction[];
  readonly removes: readonly FileAction[];
  /** Live files after the commit, by {@link fileKey}. */
  readonly live: ReadonlyMap<string, FileAction>;
  /** The commit's own; undefined where it leaves it as it is. */
  readonly metaData: object;
  readonly protocol: object;
  readonly configuration: Readonly<Record<string, string>>;
  /** Newest version by application. */
  readonly apps: ReadonlyMap<string, number>;
  /** Configurations by domain. */
  readonly domains: ReadonlyMap<string, string>;
}

export interface Model {
  /** Whether whole-table readers must have seen everything; else they may have missed blind appends. */
  readonly isSerializable: boolean;
  readonly versions: readonly ModelVersion[];
  /** Decoded paths of files of the log that are no commits. */
  readonly others: readonly string[];
}

/** A file with its deletion vector. */
export function fileKey({
  path,
  deletionVector,
}: Pick<FileAction, 'path'> & { deletionVector?: { offset?: number | undefined } | undefined }): string {
  return deletionVector ? `${path}@${deletionVector.offset}` : path;
}

export const SETTING = 'sim.setting';
export const DOMAIN = 'sim';

export async function textOf(storage: MemoryStorageHandler, location: URL): Promise<string> {
  for await (const bytes of storage.readFiles([{ location }])) return new TextDecoder().decode(bytes);
  throw new Error('no bytes');
}

const COMMIT = /\/_delta_log\/\d{20}\.json$/;

/** Throws where a commit adds what is there, removes what is not, or forgets a change that it has not seen. */
export async function replay(storage: MemoryStorageHandler, root: URL): Promise<Model> {
  const paths = storage.paths();
  const commits = paths.filter((path) => COMMIT.test(path));
  const versions: ModelVersion[] = [];
  for (const [index, path] of commits.entries()) {
    same(Number(path.slice(-25, -5)), index, 'versions are dense');
    const lines = (await textOf(storage, new URL(path, root))).split('\n').slice(0, -1);
    versions.push(
      versionAfter(
        versions.at(-1),
        lines.map((line) => JSON.parse(line) as Record<string, unknown>),
      ),
    );
  }
  return {
    versions,
    others: paths.filter((path) => path.includes('/_delta_log/') && !COMMIT.test(path)),
    isSerializable: versions[0]!.configuration['delta.isolationLevel'] !== 'WriteSerializable',
  };
}

function versionAfter(before: ModelVersion | undefined, actions: Record<string, unknown>[]): ModelVersion {
  const version = (before?.version ?? -1) + 1;
  same(Object.keys(actions[0]!), ['commitInfo'], 'commitInfo comes first');
  const of = <T>(kind: string) => actions.flatMap((action) => (kind in action ? [action[kind] as T] : []));
  const [adds, removes] = [of<FileAction>('add'), of<FileAction>('remove')];
  const live = new Map(before?.live);
  for (const file of removes)
    holds(live.delete(fileKey(file)), `version ${version} removes ${file.path}, which is live`);
  const livePaths = new Set(Array.from(live.values(), ({ path }) => path));
  for (const file of adds) {
    holds(!livePaths.has(file.path), `version ${version} adds ${file.path}, which is not live`);
    livePaths.add(file.path);
    live.set(fileKey(file), file);
  }
  const metaData = of<{ configuration: Record<string, string> }>('metaData').at(-1);
  const apps = of<{ appId: string; version: number }>('txn').map((txn) => [txn.appId, txn.version] as const);
  const domains = of<{ domain: string; configuration: string }>('domainMetadata');
  const next: ModelVersion = {
    version,
    info: actions[0]!.commitInfo as CommitInfo,
    adds,
    removes,
    live,
    metaData: metaData ?? before!.metaData,
    protocol: of<object>('protocol').at(-1) ?? before!.protocol,
    configuration: metaData?.configuration ?? before!.configuration,
    apps: new Map([...(before?.apps ?? []), ...apps]),
    domains: new Map([
      ...(before?.domains ?? []),
      ...domains.map(({ domain, configuration }) => [domain, configuration] as const),
    ]),
  };
  if (before !== undefined) {
    checkCounters(before, next, { setting: metaData !== undefined, apps: apps.map(([appId]) => appId) });
  }
  return next;
}

/** Counters that writers raise by one, from what they read: a step of any other size is a lost or a doubled update. */
function checkCounters(
  before: ModelVersion,
  { version, info, configuration, apps, domains }: ModelVersion,
  changed: { setting: boolean; apps: readonly string[] },
): void {
  const setting = before.configuration[SETTING] ?? '0';
  if (info.sim) same(info.sim.setting, setting, `the metadata that version ${version} was made for`);
  same(Number(configuration[SETTING] ?? '0') - Number(setting), changed.setting ? 1 : 0, 'the setting');
  for (const appId of changed.apps) {
    same(apps.get(appId), (before.apps.get(appId) ?? 0) + 1, `version ${version}, application ${appId}`);
  }
  const [from, to] = [before.domains.get(DOMAIN) ?? '0', domains.get(DOMAIN) ?? '0'];
  holds(
    from === to || Number(to) === Number(from) + 1,
    `version ${version}, the domain from ${from} to ${to}`,
  );
}
