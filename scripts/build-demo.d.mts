export const demoDir: string;
export function buildDemo(): Promise<string>;
export function bundleDemo(outdir: string): Promise<void>;
