import type { Metafile } from 'esbuild';

export interface PageFiles {
  first: string[];
  later: string[];
  large: string[];
}
export function pageFiles(outdir: string, metafile: Metafile): PageFiles;
export function weigh(
  outdir: string,
  names: readonly string[],
): { name: string; raw: number; compressed: number }[];
