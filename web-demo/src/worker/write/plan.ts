/** What the text of a commit says, for a person who decides on it. */
import { parse, stringify } from 'lossless-json';
import type { CommitPlan, PlannedFile } from '../protocol-write.ts';

/** Actions, and files, that are shown; the rest is counted. */
const MAX_SHOWN = 100;

type Json = Record<string, unknown>;

/** @param text the commit: an action per line. */
export function commitPlan(location: URL, text: string): CommitPlan {
  const lines = text.split('\n').filter((line) => line !== '');
  const actions = lines.map((line) => parse(line) as Json);
  const info = (actions.find((action) => 'commitInfo' in action)?.commitInfo ?? {}) as Json;
  const files = actions.flatMap(fileOf);
  const adds = files.filter(({ action }) => action === 'add');
  const removes = files.filter(({ action }) => action === 'remove');
  const path = location.pathname.slice(location.pathname.lastIndexOf('/_delta_log/') + 1);
  return {
    version: Number(/(\d{20})[^/]*$/.exec(path)?.[1]),
    operation: String(info.operation ?? 'unnamed operation'),
    path,
    isStaged: path.includes('_staged_commits'),
    metrics: Object.entries((info.operationMetrics ?? {}) as Json).map(([key, value]) => [
      key,
      String(value),
    ]),
    files: files.slice(0, MAX_SHOWN),
    numFiles: files.length,
    numAdds: adds.length,
    numRemoves: removes.length,
    bytesAdded: bytesOf(adds),
    bytesRemoved: bytesOf(removes),
    actions: actions
      .slice(0, MAX_SHOWN)
      .map((action) => stringify(action, undefined, 2))
      .join('\n'),
    numActions: actions.length,
  };
}

/** `commitInfo.txnId`: the same through retries and rebases. */
export function txnIdOf(text: string): string {
  const first = parse(text.slice(0, text.indexOf('\n'))) as { commitInfo?: { txnId?: string } };
  return first.commitInfo?.txnId ?? '';
}

function fileOf(action: Json): PlannedFile[] {
  const [kind, body] = Object.entries(action)[0] as [string, Json];
  if (kind !== 'add' && kind !== 'remove' && kind !== 'cdc') return [];
  const vector = body.deletionVector as { cardinality?: unknown } | undefined;
  const partition = Object.entries((body.partitionValues ?? {}) as Record<string, string | null>);
  return [
    {
      action: kind,
      path: String(body.path),
      partition,
      size: body.size === undefined ? null : Number(body.size),
      rows: rowsOf(body.stats),
      deleted: vector === undefined ? null : Number(vector.cardinality),
    },
  ];
}

function rowsOf(stats: unknown): number | null {
  if (typeof stats !== 'string') return null;
  const { numRecords } = parse(stats) as { numRecords?: unknown };
  return numRecords === undefined ? null : Number(numRecords);
}

function bytesOf(files: readonly PlannedFile[]): number {
  return files.reduce((sum, { size }) => sum + (size ?? 0), 0);
}
