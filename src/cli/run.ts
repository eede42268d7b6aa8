/** One run of the command line: parses, runs, and turns every outcome into an exit status. */
import type { Writable } from 'node:stream';
import { isDeltaError } from '../errors.ts';
import { commands } from './commands.ts';
import { Output, OutputClosed, Progress } from './output.ts';
import { parseCommandLine, UsageError } from './usage.ts';

/** Where a run prints, and what it knows of its surroundings. */
export interface Surroundings {
  readonly stdout: Writable;
  readonly stderr: Writable & { isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs one command.
 * @returns the exit status: 0 done, 1 a failure, 2 wrong usage. A reader that closes standard output is no failure.
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const output = new Output(surroundings.stdout);
  const progress = new Progress(surroundings.stderr, Date.now);
  try {
    const invocation = parseCommandLine(args);
    if ('help' in invocation) await output.write(invocation.help);
    else await commands[invocation.command]!({ ...invocation, output, progress, env: surroundings.env });
    await output.flush();
    return 0;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    progress.clear();
    surroundings.stderr.write(`${errorLine(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    progress.clear();
  }
}

/** One line that begins with the code and names the place, where the message does not. */
export function errorLine(error: unknown): string {
  if (error instanceof UsageError) return oneLine(`usage: ${error.message}`);
  if (!isDeltaError(error))
    return oneLine(`Internal: ${error instanceof Error ? error.message : String(error)}`);
  const { table, version, path, line } = error;
  const place = [
    table === undefined ? undefined : `table ${table}`,
    version === undefined ? undefined : `version ${version}`,
    path === undefined ? undefined : `file ${path}`,
    line === undefined ? undefined : `line ${line}`,
  ].filter((part) => part !== undefined && !error.message.includes(part.slice(part.indexOf(' ') + 1)));
  return oneLine(`${error.code}: ${error.message}${place.length > 0 ? ` (${place.join(', ')})` : ''}`);
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ');
}
