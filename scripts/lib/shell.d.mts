export const root: string;
export const cacheDir: string;
/** The first of `names` that is an executable on PATH. */
export function which(...names: string[]): string | undefined;
