/**
 * A scan as text, so that another process can plan, or read files, without loading the snapshot again.
 *
 * The text holds locations of log files. Where a table's URL carries a signature, so does the text: treat it as such.
 */
import { DeltaError } from '../../errors.ts';
import type { Metadata, Protocol } from '../actions/types.ts';
import type { Runtime } from '../engine.ts';
import type { LogSegment } from '../log/types.ts';
import { parseSchema, schemaToJson } from '../schema/schema-json.ts';
import type { SnapshotState } from '../snapshot/state.ts';
import { tableProperties } from '../table-properties.ts';
import { fromExactJson, toExactJson } from './exact-json.ts';
import type { ScanFile } from './scan-files.ts';
import type { ScanOptions } from './scan-schema.ts';

const FORMAT = 'delta-scan-1';

interface Saved {
  readonly format: string;
  readonly logSegment: LogSegment;
  readonly protocol: Protocol;
  readonly metadata: Omit<Metadata, 'schema'>;
  readonly options: Omit<ScanOptions, 'schema'> & { readonly schema?: string };
}

export function saveScan(snapshot: SnapshotState, options: ScanOptions): string {
  const { schema: _, ...metadata } = snapshot.metadata;
  const { schema, ...rest } = options;
  const saved: Saved = {
    format: FORMAT,
    logSegment: snapshot.logSegment,
    protocol: snapshot.protocol,
    metadata,
    options: schema === undefined ? rest : { ...rest, schema: schemaToJson(schema) },
  };
  return toExactJson(saved);
}

/** Throws `InvalidOption` for text that is no saved scan, or one of another version of this package. */
export function restoreScan(
  text: string,
  runtime: Runtime,
): { readonly snapshot: SnapshotState; readonly options: ScanOptions } {
  const saved = fromExactJson(text) as Partial<Saved> | null;
  const { format, logSegment, protocol, metadata, options } = saved ?? {};
  if (format !== FORMAT || !logSegment || !protocol || !metadata || !options) {
    throw new DeltaError(
      'InvalidOption',
      'the text is no saved scan, or one of another version of this package',
    );
  }
  const schema = parseSchema(metadata.schemaString);
  const { schema: projection, ...rest } = options;
  return {
    snapshot: {
      version: logSegment.version,
      tableRoot: logSegment.tableRoot,
      logSegment,
      protocol,
      metadata: { ...metadata, schema },
      schema,
      tableProperties: tableProperties(protocol, { ...metadata, schema }),
      runtime,
    },
    options: projection === undefined ? rest : { ...rest, schema: parseSchema(projection) },
  };
}

/** Live files as text, for whoever reads them elsewhere. */
export function scanFilesToJson(files: readonly ScanFile[]): string {
  return toExactJson(files);
}

/** The files of {@link scanFilesToJson}'s text. `InvalidOption` where it is none. */
export function scanFilesFromJson(text: string): ScanFile[] {
  const files = fromExactJson(text);
  const isFile = (file: unknown) => typeof (file as ScanFile | null)?.path === 'string';
  if (Array.isArray(files) && files.every(isFile)) return files as ScanFile[];
  throw new DeltaError('InvalidOption', 'the text holds no scan files');
}
