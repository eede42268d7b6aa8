/** Making new tables. */
import type { Schema } from 'apache-arrow';
import { schemaOfArrow } from '../../engine/arrow-input.ts';
import { DeltaError, shownUrl } from '../../errors.ts';
import type { Engine } from '../../kernel/engine.ts';
import { parseSchema } from '../../kernel/schema/schema-json.ts';
import type { StructType } from '../../kernel/schema/types.ts';
import type { Snapshot } from '../../kernel/snapshot/snapshot.ts';
import { type CreateTableOptions, createTable } from '../../kernel/transaction/create-table.ts';
import { afterCommit } from './after-commit.ts';
import { attemptsOf, fileSystemWriter, pause, type TableWriter, type WriteOptions } from './commit.ts';
import { ENFORCED_FEATURES } from './constraints.ts';

/** Delta's types, an Arrow schema (of any copy of apache-arrow), or the JSON text of a Delta schema. */
export type SchemaInput = StructType | Schema | string;

export interface CreateOptions extends WriteOptions, CreateTableOptions {
  /** Writes the table; by default the default engine over the location's storage. */
  readonly engine?: Engine | undefined;
}

/** Makes the table; `FileAlreadyExists` where there is one, also where another writer was faster. */
export async function createAt(
  engine: Engine,
  root: URL,
  schema: SchemaInput,
  options: CreateOptions,
  { committer }: TableWriter = fileSystemWriter,
): Promise<Snapshot> {
  const { signal, commitInfo } = options;
  const creation = createTable(root, schemaOf(schema), { ...options, enforcedFeatures: ENFORCED_FEATURES });
  let transaction = await creation.build(engine, committer, { signal });
  if (commitInfo !== undefined) transaction.withCommitInfo(commitInfo);
  for (let attempt = 1; ; attempt += 1) {
    const result = await transaction.commit(engine, { signal });
    if (result.status === 'committed') return afterCommit(engine, result.postCommitSnapshot, options);
    if (result.status === 'conflicted') {
      throw new DeltaError('FileAlreadyExists', 'another writer has just made a table there: open it', {
        table: shownUrl(root),
      });
    }
    if (attempt >= attemptsOf(options)) throw result.error;
    await pause(attempt, options);
    transaction = result.transaction;
  }
}

function schemaOf(schema: SchemaInput): StructType {
  if (typeof schema === 'string') return parseSchema(schema);
  if ('kind' in schema) return schema;
  if (Array.isArray(schema?.fields)) return schemaOfArrow({ schema });
  throw new DeltaError('InvalidOption', 'the schema must be of Delta types, an Arrow schema, or JSON text');
}
