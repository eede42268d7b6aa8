/** Commands of `delta-web` and their options, and how they are read from the command line. */
import { parseArgs } from 'node:util';

/** A wrong use of the command line: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  /** May be given several times: its value is a list. */
  readonly multiple?: boolean;
  readonly value?: string;
  readonly help: string;
}

export interface CommandSpec {
  readonly help: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
}

const version: Record<string, OptionSpec> = {
  version: { type: 'string', value: 'N', help: 'the table as of version N' },
  timestamp: {
    type: 'string',
    value: 'T',
    help: 'as of a time: ISO 8601 (UTC without a zone) or milliseconds',
  },
};
const where: OptionSpec = {
  type: 'string',
  value: 'P',
  help: `a condition, such as "fare > 100 AND city = 'NYC'"`,
};

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  inspect: {
    help: 'version, protocol, schema, properties and size of a table, as one JSON object',
    options: version,
  },
  read: {
    help: 'rows as NDJSON',
    options: {
      ...version,
      columns: { type: 'string', value: 'a,b', help: 'these columns only, in this order' },
      where,
      limit: { type: 'string', value: 'N', help: 'at most N rows' },
    },
  },
  files: {
    help: 'live files as NDJSON',
    options: {
      ...version,
      where,
      explain: { type: 'boolean', help: 'print skipped files too, and why each is read or skipped' },
    },
  },
  changes: {
    help: 'rows that commits inserted, deleted or updated, as NDJSON',
    options: {
      start: { type: 'string', value: 'N', help: 'the first version whose changes are wanted (required)' },
      end: { type: 'string', value: 'M', help: 'the last one; the latest by default' },
      columns: { type: 'string', value: 'a,b', help: 'these columns only, in this order' },
    },
  },
  history: {
    help: 'commits as NDJSON, newest first',
    options: { limit: { type: 'string', value: 'N', help: 'the newest N commits' } },
  },
  create: {
    help: 'make a new, empty table; prints its version as JSON',
    options: {
      schema: { type: 'string', value: 'FILE', help: "the schema in Delta's JSON (required)" },
      'partition-by': { type: 'string', value: 'a,b', help: 'partition by these columns' },
      property: { type: 'string', multiple: true, value: 'K=V', help: 'a table property; may be repeated' },
    },
  },
  append: {
    help: 'append the rows of a file; prints the new version as JSON',
    options: {
      from: {
        type: 'string',
        value: 'FILE',
        help: 'NDJSON, in the form that read prints, or Parquet; - is standard input (required)',
      },
    },
  },
  delete: {
    help: 'delete the rows for which a condition is true; prints what was done as JSON',
    options: { where: { ...where, help: `${where.help}; TRUE for all rows (required)` } },
  },
  checkpoint: {
    help: 'write a checkpoint of the newest version; prints what was done as JSON',
    options: {},
  },
  publish: {
    help: 'publish the commits that a catalog ratified and that are only staged; prints what was done as JSON',
    options: {},
  },
  vacuum: {
    help: 'delete data files that no version within the retention needs; prints what was done as JSON',
    options: {
      retain: {
        type: 'string',
        value: 'H',
        help: "keep what was removed in the last H hours; the table's retention by default",
      },
      'dry-run': { type: 'boolean', help: 'delete nothing, only tell what would be deleted' },
      'allow-short-retention': {
        type: 'boolean',
        help: "allow fewer hours than the table's retention: readers and writers under way may lose files",
      },
    },
  },
};

/** A command as it was asked for. */
export interface Invocation {
  readonly command: string;
  readonly table: string;
  readonly options: Readonly<Record<string, OptionValue>>;
}

export type OptionValue = string | boolean | readonly string[] | undefined;

/** Reads the arguments after the program's name: what to run, or the help to print. */
export function parseCommandLine(args: readonly string[]): Invocation | { help: string } {
  const [command, ...rest] = args;
  if (command === undefined) throw new UsageError('which command? See --help');
  if (command === '--help' || command === '-h' || command === 'help') return { help: generalHelp() };
  const spec = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (spec === undefined) throw new UsageError(`${command} is not a command. See --help`);
  const { values, positionals } = parseOptions(spec, rest);
  if (values.help === true) return { help: commandHelp(command, spec) };
  const [table, ...excess] = positionals;
  if (table === undefined) throw new UsageError(`${command}: which table? See ${command} --help`);
  if (excess.length > 0) throw new UsageError(`${command}: one table only, not also ${excess.join(' ')}`);
  return { command, table, options: values };
}

function parseOptions(spec: CommandSpec, args: string[]) {
  const known = Object.entries(spec.options).map(
    ([name, { type, multiple = false }]) => [name, { type, multiple }] as const,
  );
  try {
    return parseArgs({
      args,
      options: { ...Object.fromEntries(known), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    }) as { values: Record<string, OptionValue>; positionals: string[] };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? firstSentence(cause.message) : String(cause), { cause });
  }
}

function firstSentence(message: string): string {
  return message.split(/\.\s|\n/, 1)[0]!;
}

/** A whole number ≥ 0, undefined where the option is absent. */
export function wholeNumber(name: string, value: OptionValue): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,16}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new UsageError(`--${name} takes a whole number, not ${value}`);
  return number;
}

/** The text of an option, undefined where it is absent. */
export function text(value: OptionValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `name=value` pairs of an option that may be repeated. */
export function pairs(name: string, value: OptionValue): Record<string, string> {
  const texts = Array.isArray(value) ? (value as readonly string[]) : [];
  const entries = texts.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw new UsageError(`--${name} takes name=value, not ${each}`);
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** Column names joined by commas; a name with a comma or a dot of its own stands in backticks. */
export function columnList(name: string, value: OptionValue): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  const columns = value.match(/(?:`(?:[^`]|``)*`|[^,`])+/g)?.map((column) => column.trim()) ?? [];
  if (columns.length === 0 || columns.includes(''))
    throw new UsageError(`--${name} takes names joined by commas`);
  return columns;
}

const TABLE_HELP = `<table> is a path, or a URL with file:, http:, https: or s3:. For s3: credentials, region and
AWS_ENDPOINT_URL come from the environment, as in the AWS tools. uc://catalog.schema.table is a table of the Unity
Catalog at UC_URL, with the token UC_TOKEN.`;

function generalHelp(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { help }]) => `  ${name.padEnd(width)}  ${help}`);
  return [
    'usage: delta-web <command> <table> [options]',
    '',
    ...lines,
    '',
    TABLE_HELP,
    'Exit status: 0 done; 1 a failure, told in one line on standard error that begins with its code; 2 wrong usage.',
    'delta-web <command> --help lists the options of a command.',
    '',
  ].join('\n');
}

function commandHelp(command: string, spec: CommandSpec): string {
  const options = Object.entries(spec.options).map(
    ([name, { value, help }]) => [value === undefined ? `--${name}` : `--${name} ${value}`, help] as const,
  );
  const width = Math.max(...options.map(([usage]) => usage.length));
  const lines = options.map(([usage, help]) => `  ${usage.padEnd(width)}  ${help}`);
  return [
    `usage: delta-web ${command} <table> [options]`,
    '',
    spec.help,
    '',
    ...lines,
    '',
    TABLE_HELP,
    '',
  ].join('\n');
}
