/** Tables that a test puts beside those that the inspector's test server has. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedDir } from '../helpers/shared.ts';
import type { Inspector } from './inspector.ts';

/** The folder of the shared corpus, undefined where that is absent. */
export const shared = sharedDir();

/** Serves a table of the corpus, such as `spark-4.2/generated`. @returns its part of a link. */
export async function serveCorpusTable(ui: Inspector, name: string): Promise<string> {
  await cp(join(shared!, 'corpus/tables', name, 'delta'), join(ui.tables, name), { recursive: true });
  return link(ui, name);
}

/** Serves a log: per version its actions, or its text as it is. */
export async function serveLog(
  ui: Inspector,
  name: string,
  commits: readonly (string | readonly object[])[],
): Promise<string> {
  const log = join(ui.tables, name, '_delta_log');
  await mkdir(log, { recursive: true });
  for (const [version, commit] of commits.entries()) {
    const lines =
      typeof commit === 'string' ? commit : commit.map((action) => JSON.stringify(action)).join('\n');
    await writeFile(join(log, `${String(version).padStart(20, '0')}.json`), lines);
  }
  return link(ui, name);
}

export const protocol = { protocol: { minReaderVersion: 1, minWriterVersion: 2 } };

/** Columns as `['a', 'long']`. */
export function metaData(columns: readonly [string, string][], partitionColumns: readonly string[] = []) {
  const fields = columns.map(([name, type]) => ({ name, type, nullable: true, metadata: {} }));
  return {
    metaData: {
      id: 'a',
      format: { provider: 'parquet', options: {} },
      schemaString: JSON.stringify({ type: 'struct', fields }),
      partitionColumns,
      configuration: {},
    },
  };
}

function link(ui: Inspector, name: string): string {
  return `#url=${encodeURIComponent(`${ui.host.url}${name}`)}`;
}
