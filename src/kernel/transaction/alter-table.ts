/**
 * Changes of a table's columns, properties and features: one commit of metadata.
 *
 * @example
 * const alteration = snapshot.alterTable(committer).addColumn(field('fare', types.double)).renameColumn('a', 'b');
 * await (await alteration.build(engine)).commit(engine);
 */
import { DeltaError, shownUrl, withContext } from '../../errors.ts';
import type { DomainMetadata } from '../actions/types.ts';
import type { Committer } from '../committer/committer.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { parseColumnPath } from '../schema/column-path.ts';
import type { DataType, StructField } from '../schema/types.ts';
import { findDomainMetadata } from '../snapshot/app-state.ts';
import { CLUSTERING_DOMAIN, parseClusteringColumns } from '../snapshot/clustering.ts';
import type { SnapshotFactory, SnapshotState } from '../snapshot/state.ts';
import { isFeatureEnabled, isFeatureSupported } from '../table-features/protocol-support.ts';
import { addColumn, dropColumn, renameColumn, setNullable, widenColumn } from './alter/columns.ts';
import { addConstraint, checkRows, dropConstraint } from './alter/constraints.ts';
import { type Draft, metadataOf } from './alter/draft.ts';
import { setProperties, unsetProperties } from './alter/properties.ts';
import { filesWithoutRowIds } from './alter/row-ids.ts';
import { highWaterMarkDomain } from './row-tracking.ts';
import { Transaction, type TransactionOptions } from './transaction.ts';

/** A path: names, or text with dots (`a.b`); `element`, `key` and `value` lead into arrays and maps. */
export type ColumnName = string | readonly string[];

type Step = (draft: Draft) => Draft;

/** Collects changes; they are applied in order, and checked, by `build`. */
export class TableAlteration<S extends SnapshotState = SnapshotState> {
  readonly #base: S;
  readonly #committer: Committer;
  readonly #makeSnapshot: SnapshotFactory<S>;
  readonly #options: TransactionOptions;
  readonly #steps: Step[] = [];
  readonly #operations = new Set<string>();
  readonly #constraints: { readonly name: string; readonly sql: string }[] = [];

  constructor(base: S, committer: Committer, makeSnapshot: SnapshotFactory<S>, options: TransactionOptions) {
    this.#base = base;
    this.#committer = committer;
    this.#makeSnapshot = makeSnapshot;
    this.#options = options;
  }

  /** A nullable column, last of the table or of the struct at `parent`. */
  addColumn(field: StructField, parent: ColumnName = []): this {
    return this.#add('ADD COLUMNS', (draft) => addColumn(draft, field, pathOf(parent)));
  }

  /** Needs column mapping. */
  renameColumn(column: ColumnName, name: string): this {
    return this.#add('RENAME COLUMN', (draft) => renameColumn(draft, pathOf(column), name));
  }

  /** Needs column mapping. Not for partition and clustering columns, nor for the last one. */
  dropColumn(column: ColumnName): this {
    return this.#add('DROP COLUMNS', (draft) => dropColumn(draft, pathOf(column)));
  }

  /** Needs `delta.enableTypeWidening`. */
  widenColumn(column: ColumnName, type: DataType): this {
    return this.#add('CHANGE COLUMN', (draft) => widenColumn(draft, pathOf(column), type));
  }

  /** Lifts NOT NULL. */
  setNullable(column: ColumnName): this {
    return this.#add('CHANGE COLUMN', (draft) => setNullable(draft, pathOf(column)));
  }

  /**
   * As the properties of `createTable`; `delta.feature.<name>` = `supported` upgrades the protocol. Where row tracking is
   * turned on, the same commit gives row ids to all files that have none: it names every one of them.
   */
  setProperties(properties: Readonly<Record<string, string>>): this {
    return this.#add('SET TBLPROPERTIES', (draft) => setProperties(draft, properties));
  }

  /**
   * A condition that every row must meet, in the grammar of predicates (`parsePredicate`). `build` reads the rows that
   * are there: `ConstraintViolation` with their number where it is not true for some. Whoever writes to the table from
   * then on must enforce it: `DeltaTable` does, other writers of the kernel say so with `enforcedFeatures`.
   */
  addConstraint(name: string, condition: string): this {
    this.#constraints.push({ name, sql: condition });
    return this.#add('ADD CONSTRAINT', (draft) => addConstraint(draft, name, condition));
  }

  dropConstraint(name: string): this {
    return this.#add('DROP CONSTRAINT', (draft) => dropConstraint(draft, name));
  }

  unsetProperties(keys: readonly string[]): this {
    return this.#add('UNSET TBLPROPERTIES', (draft) => unsetProperties(draft, keys));
  }

  /**
   * The transaction of all changes. Errors: `Schema` for columns that are not there or cannot be so, `Unsupported`
   * naming the feature that a change needs or that stands in its way, `InvalidOption` for properties and names of
   * constraints, `InvalidExpression` and `ConstraintViolation` for constraints.
   */
  async build(engine: Engine, options: CallOptions = {}): Promise<Transaction<S>> {
    try {
      return await this.#build(engine, options);
    } catch (error) {
      const { tableRoot, version } = this.#base;
      throw withContext(error, { table: shownUrl(tableRoot), version });
    }
  }

  async #build(engine: Engine, options: CallOptions): Promise<Transaction<S>> {
    const base = this.#base;
    if (this.#steps.length === 0)
      throw new DeltaError('InvalidTransactionState', 'nothing to alter was said');
    refuseIceberg(base);
    let draft: Draft = {
      protocol: base.protocol,
      schema: base.schema,
      partitionColumns: base.metadata.partitionColumns,
      configuration: base.metadata.configuration,
      systemDomains: [],
      readsWholeTable: false,
      startsRowTracking: false,
      clusteringColumns: await clusteringColumns(engine, base, options),
      runtime: base.runtime,
    };
    for (const step of this.#steps) draft = step(draft);
    for (const constraint of this.#constraints) await checkRows(engine, base, constraint, options);
    const untracked = draft.startsRowTracking ? await filesWithoutRowIds(engine, base, options) : [];
    const [operation, ...others] = this.#operations;
    const transaction = new Transaction({
      base,
      committer: this.#committer,
      makeSnapshot: this.#makeSnapshot,
      ...this.#options,
      newProtocol: draft.protocol === base.protocol ? undefined : draft.protocol,
      newMetadata: metadataOf(base.metadata, draft),
      systemDomains: [...draft.systemDomains, ...firstHighWaterMark(base, draft, untracked)],
    })
      .withOperation(others.length === 0 ? operation! : 'ALTER TABLE')
      .withDataChange(false);
    if (untracked.length > 0) transaction.addFiles(untracked);
    return draft.readsWholeTable ? transaction.withReadWholeTable() : transaction.withReadFiles([]);
  }

  #add(operation: string, step: Step): this {
    this.#operations.add(operation);
    this.#steps.push(step);
    return this;
  }
}

function pathOf(column: ColumnName): readonly string[] {
  return typeof column === 'string' ? parseColumnPath(column) : column;
}

function refuseIceberg({ protocol, metadata }: SnapshotState): void {
  const feature = ['icebergCompatV1', 'icebergCompatV2', 'icebergCompatV3'].find((name) => {
    return isFeatureEnabled(protocol, metadata.configuration, name);
  });
  if (feature === undefined) return;
  throw new DeltaError('Unsupported', `cannot alter: the table has the feature ${feature}`, { feature });
}

/** Of a table without files that never had row ids; everywhere else it follows from the ids. */
function firstHighWaterMark(
  { protocol }: SnapshotState,
  { startsRowTracking }: Draft,
  untracked: readonly unknown[],
): DomainMetadata[] {
  const isFirst = startsRowTracking && untracked.length === 0 && !isFeatureSupported(protocol, 'rowTracking');
  return isFirst ? [highWaterMarkDomain(-1n)] : [];
}

async function clusteringColumns(
  engine: Engine,
  { protocol, schema, logSegment, checksum, tableProperties }: SnapshotState,
  options: CallOptions,
): Promise<string[][] | undefined> {
  if (!isFeatureSupported(protocol, 'clustering')) return undefined;
  const domain = await findDomainMetadata(engine, logSegment, checksum, CLUSTERING_DOMAIN, options);
  return domain && parseClusteringColumns(domain.configuration, schema, tableProperties.columnMappingMode);
}
