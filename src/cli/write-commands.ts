/** Commands that write: each prints what was done as one JSON object. */
import { openTable } from './open.ts';
import { rowsFromFile } from './rows-from-file.ts';
import type { Run } from './run-context.ts';
import { text, UsageError } from './usage.ts';

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
