/** Which sidecars a checkpoint refers to (`PROTOCOL.md`, "Sidecar Files"). */
import { actionsSchema } from '../actions/schemas.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import { inFile } from '../log/place.ts';
import { SidecarCollector, sidecarFiles } from '../log/sidecars.ts';
import type { LogFile, LogSegment } from '../log/types.ts';

/** The sidecars of one file of a checkpoint; none for a checkpoint without. Errors name the file. */
export async function sidecarsOf(
  engine: Engine,
  segment: LogSegment,
  { file, version }: LogFile,
  { signal }: CallOptions,
): Promise<FileMeta[]> {
  const schema = actionsSchema('sidecar');
  const { jsonHandler, parquetHandler } = engine;
  const isJson = file.location.pathname.endsWith('.json');
  const batches = isJson
    ? jsonHandler.readJsonFiles([file], schema, { signal })
    : parquetHandler.readParquetFiles([file], schema, { signal });
  const collector = new SidecarCollector();
  try {
    for await (const batch of batches) collector.collect(batch);
    return sidecarFiles(segment, collector.found).map((sidecar) => sidecar.file);
  } catch (error) {
    throw inFile(error, segment, file, version);
  }
}
