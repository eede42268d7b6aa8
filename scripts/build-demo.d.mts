import type { PageFiles } from './lib/page-files.mjs';

export const demoDir: string;
/** Bytes, compressed. */
export const MAX_TRANSFER: number;
export function buildDemo(): Promise<string>;
export function bundleDemo(outdir: string): Promise<PageFiles>;
