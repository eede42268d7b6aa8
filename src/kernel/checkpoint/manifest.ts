/** The rows of a checkpoint's own file (`PROTOCOL.md`, "Checkpoint Specs"). */
import {
  checkpointMetadataSchema,
  domainMetadataSchema,
  metadataSchema,
  protocolSchema,
  sidecarSchema,
  txnSchema,
} from '../actions/schemas.ts';
import type { SetTransaction } from '../actions/types.ts';
import type { Engine, ExpressionEvaluator } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import type { Expression, ScalarValue } from '../expressions/types.ts';
import { field, type StructType, types } from '../schema/types.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import {
  domainValue,
  metadataScalar,
  protocolScalar,
  transactionValue,
} from '../transaction/action-batches.ts';
import type { AppState } from './app-state.ts';

/** A file of file actions beside a V2 checkpoint. */
export interface Sidecar {
  /** Its name in `_delta_log/_sidecars/`, which needs no encoding. */
  readonly path: string;
  readonly sizeInBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly modificationTime: number;
}

/** Batches of a checkpoint's columns: one action per row. */
export class ManifestRows {
  readonly #engine: Engine;
  readonly #snapshot: SnapshotState;
  readonly #schema: StructType;
  readonly #isV2: boolean;
  readonly #widen: ExpressionEvaluator;

  /** @param fileActions the columns `add` and `remove`. */
  constructor(engine: Engine, snapshot: SnapshotState, fileActions: StructType, isV2: boolean) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#isV2 = isV2;
    this.#schema = types.struct([
      field('txn', txnSchema),
      ...fileActions.fields,
      field('metaData', metadataSchema),
      field('protocol', protocolSchema),
      field('domainMetadata', domainMetadataSchema),
      ...(isV2
        ? [field('checkpointMetadata', checkpointMetadataSchema), field('sidecar', sidecarSchema)]
        : []),
    ]);
    const own = new Set(fileActions.fields.map(({ name }) => name));
    const fields = this.#schema.fields.map(({ name, type }): Expression => {
      if (own.has(name)) return { kind: 'column', path: [name] };
      return { kind: 'literal', literal: { type, value: null } };
    });
    this.#widen = engine.evaluationHandler.newExpressionEvaluator(
      fileActions,
      { kind: 'struct', fields },
      this.#schema,
    );
  }

  /** `appState` is looked at after the last of `fileActions`, which complete it. */
  async *all(
    fileActions: AsyncIterable<EngineData>,
    appState: AppState,
    sidecars: readonly Sidecar[],
  ): AsyncGenerator<EngineData, void, undefined> {
    const { protocol, metadata, version } = this.#snapshot;
    yield this.#rows([
      ...(this.#isV2 ? [{ name: 'checkpointMetadata', value: [BigInt(version), null] }] : []),
      { name: 'protocol', value: protocolScalar(protocol).value },
      { name: 'metaData', value: metadataScalar(metadata).value },
    ]);
    for await (const batch of fileActions) yield await this.#widen.evaluate(batch);
    const live = appState.transactions.filter((transaction) => !this.#isExpired(transaction));
    const rest = [
      ...live.map((transaction) => ({ name: 'txn', value: transactionValue(transaction) })),
      ...appState.domains.map((domain) => ({ name: 'domainMetadata', value: domainValue(domain) })),
      ...sidecars.map((sidecar) => ({ name: 'sidecar', value: sidecarValue(sidecar) })),
    ];
    if (rest.length > 0) yield this.#rows(rest);
  }

  #isExpired({ lastUpdated }: SetTransaction): boolean {
    const { runtime, tableProperties } = this.#snapshot;
    const retention = tableProperties.setTransactionRetentionDuration;
    return retention !== undefined && lastUpdated !== undefined && lastUpdated <= runtime.now() - retention;
  }

  #rows(actions: readonly { readonly name: string; readonly value: ScalarValue }[]): EngineData {
    const rows = actions.map(({ name, value }) =>
      this.#schema.fields.map(({ name: column, type }) => ({ type, value: column === name ? value : null })),
    );
    return this.#engine.evaluationHandler.createMany(this.#schema, rows);
  }
}

function sidecarValue({ path, sizeInBytes, modificationTime }: Sidecar): ScalarValue {
  return [path, BigInt(sizeInBytes), BigInt(modificationTime), null];
}
