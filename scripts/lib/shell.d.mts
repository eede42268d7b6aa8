export const root: string;
export const cacheDir: string;
