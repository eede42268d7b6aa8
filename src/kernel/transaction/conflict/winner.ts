/** A commit that came before ours, with all that conflicts are judged by. */
import { type CommitInfo, findCommitInfoText, parseCommitInfo } from '../../actions/commit-info.ts';
import { domainMetadatas } from '../../actions/domain-metadata.ts';
import { actionField, actionsSchema } from '../../actions/schemas.ts';
import { setTransactions } from '../../actions/set-transaction.ts';
import type { DomainMetadata } from '../../actions/types.ts';
import type { CallOptions, Engine } from '../../engine.ts';
import type { EngineData } from '../../engine-data.ts';
import { inFile } from '../../log/place.ts';
import { readActions } from '../../log/read-actions.ts';
import type { LogFile, LogSegment } from '../../log/types.ts';
import { types } from '../../schema/types.ts';

export interface Winner {
  readonly version: number;
  readonly file: LogFile;
  readonly commitInfo: CommitInfo | undefined;
  readonly hasProtocol: boolean;
  readonly hasMetadata: boolean;
  readonly appIds: ReadonlySet<string>;
  readonly domains: readonly DomainMetadata[];
  /** Its file actions: `add` and `remove`. */
  readonly batches: readonly EngineData[];
}

const SCHEMA = types.struct([
  ...actionsSchema('commitInfo', 'txn', 'domainMetadata').fields,
  actionField('protocol', 'minReaderVersion', 'minWriterVersion'),
  actionField('metaData', 'id'),
  actionField(
    'add',
    'path',
    'partitionValues',
    'dataChange',
    'stats',
    'baseRowId',
    'defaultRowCommitVersion',
  ),
  actionField('remove', 'path', 'partitionValues', 'stats'),
]);

/** A commit that cannot be read is an error, with its place: what it did is not known. */
export async function readWinner(
  engine: Engine,
  { tableRoot, logRoot }: Pick<LogSegment, 'tableRoot' | 'logRoot'>,
  file: LogFile,
  options: CallOptions,
): Promise<Winner> {
  const { version } = file;
  const segment: LogSegment = {
    tableRoot,
    logRoot,
    version,
    commits: [file],
    checkpoint: [],
    compactions: [],
  };
  const batches: EngineData[] = [];
  const read = readActions(engine, segment, SCHEMA, { signal: options.signal, commitsOnly: true });
  for await (const { data } of read) batches.push(data);
  try {
    return {
      version,
      file,
      commitInfo: firstCommitInfo(batches),
      hasProtocol: batches.some((batch) => holds(batch, 'protocol')),
      hasMetadata: batches.some((batch) => holds(batch, 'metaData')),
      appIds: new Set(batches.flatMap((batch) => Array.from(setTransactions(batch), ({ appId }) => appId))),
      domains: batches.flatMap((batch) => [...domainMetadatas(batch)]),
      batches,
    };
  } catch (error) {
    throw inFile(error, segment, file.file, version);
  }
}

function firstCommitInfo(batches: readonly EngineData[]): CommitInfo | undefined {
  for (const batch of batches) {
    const text = findCommitInfoText(batch);
    if (text !== undefined) return parseCommitInfo(text);
  }
  return undefined;
}

function holds(batch: EngineData, action: string): boolean {
  const column = batch.column([action])!;
  for (let row = 0; row < batch.length; row++) if (!column.isNull(row)) return true;
  return false;
}
