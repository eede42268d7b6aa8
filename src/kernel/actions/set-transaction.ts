/** Reading `txn` actions (`PROTOCOL.md`, "Transaction Identifiers"). */
import { DeltaError } from '../../errors.ts';
import type { EngineData } from '../engine-data.ts';
import type { SetTransaction } from './types.ts';

/** The transactions of a batch, in row order. */
export function* setTransactions(data: EngineData): Generator<SetTransaction> {
  const appId = data.column(['txn', 'appId']);
  const version = data.column(['txn', 'version']);
  const lastUpdated = data.column(['txn', 'lastUpdated']);
  if (appId === undefined || version === undefined) return;
  for (let row = 0; row < data.length; row++) {
    const id = appId.getString(row);
    if (id === null) continue;
    const number = version.getNumber(row);
    if (number === null) throw new DeltaError('InvalidLog', `the txn of ${id} has no version`);
    const updated = lastUpdated?.getNumber(row) ?? null;
    yield { appId: id, version: number, ...(updated !== null && { lastUpdated: updated }) };
  }
}
