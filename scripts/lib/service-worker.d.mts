import type { PageFiles } from './page-files.mjs';

export function buildServiceWorker(outdir: string, files: PageFiles): Promise<void>;
