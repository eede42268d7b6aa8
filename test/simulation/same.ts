/** Comparisons by the million: the test framework's own only where they fail. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

export function same(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toStrictEqual(expected);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) expect.fail(what);
}
