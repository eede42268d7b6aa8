/** Commands that write: each prints what was done as one JSON object. */
import { readFile } from 'node:fs/promises';
import { DeltaError } from '../errors.ts';
import { DeltaTable } from '../table/delta-table.ts';
import { catalogName, openTable, registerStorages, unityCatalog } from './open.ts';
import { rowsFromFile } from './rows-from-file.ts';
import type { Run } from './run-context.ts';
import { columnList, pairs, text, UsageError, wholeNumber } from './usage.ts';

export async function create({ table, options, env, output }: Run): Promise<void> {
  const file = text(options.schema);
  if (file === undefined) throw new UsageError('create: of which schema? See create --help');
  const partitionBy = columnList('partition-by', options['partition-by']);
  const properties = pairs('property', options.property);
  const schema = await schemaText(file);
  registerStorages(env);
  const created = { partitionBy, properties, onWarning };
  const name = catalogName(table);
  const { version } = await (name === undefined
    ? DeltaTable.create(table, schema, created)
    : (await unityCatalog(env)).create(name, schema, created));
  await output.writeLine({ version });
}

async function schemaText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new DeltaError(
      missing ? 'FileNotFound' : 'IOError',
      `cannot read ${path}: ${(cause as Error).message}`,
      {
        path,
        cause,
      },
    );
  }
}

export async function checkpoint({ table, env, output }: Run): Promise<void> {
  const opened = await openTable(table, env, {});
  const result = await opened.checkpoint();
  await output.writeLine({ version: opened.version, result });
}

export async function publish({ table, env, output }: Run): Promise<void> {
  const opened = await openTable(table, env, {});
  const before = opened.snapshot.logSegment.maxPublishedVersion ?? -1;
  const version = await opened.publish();
  await output.writeLine({ version, published: version - before });
}

export async function vacuum({ table, options, env, output }: Run): Promise<void> {
  const retainHours = wholeNumber('retain', options.retain);
  const opened = await openTable(table, env, {});
  const result = await opened.vacuum({
    retainHours,
    dryRun: options['dry-run'] === true,
    allowShortRetention: options['allow-short-retention'] === true,
  });
  await output.writeLine(result);
}

export async function append({ table, options, env, output }: Run): Promise<void> {
  const from = text(options.from);
  if (from === undefined) throw new UsageError('append: from which file? See append --help');
  const opened = await openTable(table, env, {});
  const version = await opened.append(await rowsFromFile(from), { onWarning });
  await output.writeLine({ version });
}

export async function deleteRows({ table, options, env, output }: Run): Promise<void> {
  const where = text(options.where);
  if (where === undefined) throw new UsageError('delete: which rows? See delete --help');
  const opened = await openTable(table, env, {});
  await output.writeLine(await opened.delete(where, { onWarning }));
}

/** The change is made: what went wrong afterwards is said, and is no failure. */
function onWarning({ code, message }: { code: string; message: string }): void {
  process.stderr.write(`warning: ${code}: ${message.replace(/\s*[\r\n]+\s*/g, ' ')}\n`);
}
