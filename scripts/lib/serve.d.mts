export const TYPES: Record<string, string>;
export function serve(root: string, port: number): Promise<string>;
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined;
