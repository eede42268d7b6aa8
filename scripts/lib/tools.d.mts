export function findChromium(): string | undefined;
export function ensureChromium(): void;
export const versitygwPath: string;
export function ensureVersitygw(): void;
