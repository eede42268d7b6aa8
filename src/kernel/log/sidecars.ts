/** Sidecars of a V2 checkpoint (`PROTOCOL.md`, "Sidecar Files"). */
import { DeltaError } from '../../errors.ts';
import type { FileMeta } from '../engine.ts';
import type { EngineData } from '../engine-data.ts';
import { joinPath, resolvePath } from '../paths.ts';
import type { LogSegment } from './types.ts';

interface Sidecar {
  /** As written: a URI. */
  readonly path: string;
  readonly sizeInBytes: number;
  readonly modificationTime: number;
}

/** Gathers the `sidecar` rows of a checkpoint's manifest; a manifest may have the column and no rows. */
export class SidecarCollector {
  readonly found: Sidecar[] = [];

  /** Throws `InvalidCheckpoint` for a sidecar without path or size. */
  collect(data: EngineData): void {
    const column = data.column(['sidecar']);
    if (column === undefined) return;
    const path = data.column(['sidecar', 'path'])!;
    const sizeInBytes = data.column(['sidecar', 'sizeInBytes'])!;
    const modificationTime = data.column(['sidecar', 'modificationTime']);
    for (let row = 0; row < data.length; row++) {
      if (column.isNull(row) || (path.isNull(row) && sizeInBytes.isNull(row))) continue;
      this.found.push({
        path: required(path.getString(row), 'path'),
        sizeInBytes: required(sizeInBytes.getNumber(row), 'sizeInBytes'),
        modificationTime: modificationTime?.getNumber(row) ?? 0,
      });
    }
  }
}

function required<T>(value: T | null, name: string): T {
  if (value !== null) return value;
  throw new DeltaError('InvalidCheckpoint', `the checkpoint has a sidecar without ${name}`);
}

/** The files of a checkpoint's sidecars: names are relative to `_delta_log/_sidecars/`, absolute URIs stay. */
export function sidecarFiles(
  segment: LogSegment,
  sidecars: readonly Sidecar[],
): { readonly file: FileMeta }[] {
  const directory = joinPath(segment.logRoot, '_sidecars/');
  return sidecars.map(({ path, sizeInBytes, modificationTime }) => ({
    file: { location: resolvePath(directory, path), size: sizeInBytes, lastModified: modificationTime },
  }));
}
