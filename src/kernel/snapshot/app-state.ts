/** Application transactions and domains of a version, found with as little of the log as possible. */
import { domainMetadatas } from '../actions/domain-metadata.ts';
import { actionsSchema } from '../actions/schemas.ts';
import { setTransactions } from '../actions/set-transaction.ts';
import type { DomainMetadata, SetTransaction } from '../actions/types.ts';
import { AppState } from '../checkpoint/app-state.ts';
import type { CallOptions, Engine } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import type { Checksum } from '../log/checksum.ts';
import { inFile } from '../log/place.ts';
import { readActions } from '../log/read-actions.ts';
import type { LogSegment } from '../log/types.ts';

/** The newest transaction of an application, undefined where it has none. */
export async function findSetTransaction(
  engine: Engine,
  segment: LogSegment,
  checksum: Checksum | undefined,
  appId: string,
  options: CallOptions,
): Promise<SetTransaction | undefined> {
  const known = checksum?.setTransactions;
  if (known !== undefined) return known.find((transaction) => transaction.appId === appId);
  return findNewest(engine, segment, 'txn', options, setTransactions, (txn) => txn.appId === appId);
}

/** The newest action of a domain, undefined where it has none or was removed. */
export async function findDomainMetadata(
  engine: Engine,
  segment: LogSegment,
  checksum: Checksum | undefined,
  domain: string,
  options: CallOptions,
): Promise<DomainMetadata | undefined> {
  const known = checksum?.domainMetadata;
  const newest =
    known === undefined
      ? await findNewest(
          engine,
          segment,
          'domainMetadata',
          options,
          domainMetadatas,
          (it) => it.domain === domain,
        )
      : known.find((candidate) => candidate.domain === domain);
  return newest?.removed ? undefined : newest;
}

/** Every application's newest transaction, and every domain that was not removed; each sorted by name. */
export interface ApplicationState {
  readonly setTransactions: readonly SetTransaction[];
  readonly domainMetadata: readonly DomainMetadata[];
}

/** All that applications left in a version: from its checksum, else by replay of the log without its file actions. */
export async function readApplicationState(
  engine: Engine,
  segment: LogSegment,
  checksum: Checksum | undefined,
  { signal }: CallOptions,
): Promise<ApplicationState> {
  const { setTransactions: transactions, domainMetadata: domains } = checksum ?? {};
  if (transactions !== undefined && domains !== undefined) {
    return { setTransactions: transactions, domainMetadata: domains };
  }
  const state = new AppState();
  const schema = actionsSchema('txn', 'domainMetadata');
  for await (const { data, file, version } of readActions(engine, segment, schema, { signal })) {
    try {
      state.collect(data);
    } catch (error) {
      throw inFile(error, segment, file, version);
    }
  }
  return { setTransactions: state.transactions, domainMetadata: state.domains };
}

async function findNewest<T>(
  engine: Engine,
  segment: LogSegment,
  action: 'txn' | 'domainMetadata',
  { signal }: CallOptions,
  read: (data: EngineData) => Iterable<T>,
  isWanted: (item: T) => boolean,
): Promise<T | undefined> {
  for await (const { data, file, version } of readActions(engine, segment, actionsSchema(action), {
    signal,
  })) {
    try {
      for (const item of read(data)) if (isWanted(item)) return item;
    } catch (error) {
      throw inFile(error, segment, file, version);
    }
  }
  return undefined;
}
