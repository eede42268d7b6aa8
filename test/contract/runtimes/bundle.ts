/** A module of ours as one script, for a runtime that is not this one. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export async function bundle(entry: URL, format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    format,
    target: 'es2022',
    platform: 'neutral',
  });
  return outputFiles[0]!.text;
}
