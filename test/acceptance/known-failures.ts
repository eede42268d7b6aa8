/** Corpus cases that do not pass yet, each with its reason: `<table>` or `<table> version <n>`. Kept short. */
export const KNOWN_FAILURES: Readonly<Record<string, string>> = {};
