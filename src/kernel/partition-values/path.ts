/**
 * Directories of partitioned files, as Hive and Spark name them. `add.path` holds such a path URI-encoded once more:
 * `encodeLogPath` in `paths.ts`.
 */

const HIVE_NULL = '__HIVE_DEFAULT_PARTITION__';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
const HIVE_ESCAPED = /[\u0001-\u001f\u007f"#%'*/:=?\\{[\]^]/g;

/** A name or value as Hive and Spark write it in a directory name. */
export function hiveEscape(text: string): string {
  return text.replace(HIVE_ESCAPED, (char) => percent(char.charCodeAt(0)));
}

/**
 * `a=1/b=x%3Ay`, without a trailing slash, of column names and serialised values in partition order; '' without any.
 * For people only: readers take values from `partitionValues`.
 */
export function partitionDirectory(values: Iterable<readonly [name: string, value: string | null]>): string {
  return Array.from(values, ([name, value]) => {
    return `${hiveEscape(name)}=${value === null || value === '' ? HIVE_NULL : hiveEscape(value)}`;
  }).join('/');
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
