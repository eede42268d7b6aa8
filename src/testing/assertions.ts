/** Assertions of contract suites, without a test runner. */

/** Throws, with both values, unless they are deeply equal (bigints, bytes, NaN and −0 told apart). */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [a, b] = [show(actual), show(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

/** Throws unless `run` fails with a DeltaError of that code, and returns the error. */
export async function failsWith(
  code: string,
  run: () => unknown,
): Promise<{ message: string; path?: string; line?: number; column?: string }> {
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    const found = error as { name?: string; code?: string; message: string };
    if (found.name === 'DeltaError' && found.code === code) return found;
    throw new Error(`expected a DeltaError ${code}, got ${found.name} ${found.code}: ${found.message}`, {
      cause: error,
    });
  }
  throw new Error(`expected a DeltaError ${code}, got ${show(result)}`);
}

/** A value as text that tells every value from every other. */
function show(value: unknown): string {
  return JSON.stringify(value, (_, v) => {
    if (typeof v === 'bigint') return `${v}n`;
    if (v === undefined) return 'undefined';
    if (typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0)))
      return `number ${Object.is(v, -0) ? '-0' : v}`;
    if (ArrayBuffer.isView(v)) return `bytes ${[...(v as Uint8Array)].join(' ')}`;
    return v;
  });
}
