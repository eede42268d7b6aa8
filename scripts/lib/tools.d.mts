export function findChromium(): string | undefined;
export function ensureChromium(): void;
export const versitygwPath: string;
export const gofakes3Path: string;
export function ensureS3Servers(): void;
