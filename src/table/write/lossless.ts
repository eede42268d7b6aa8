/** Numbers as lossless-json reads them: objects that keep the digits. */
export function isLossless(value: unknown): value is { readonly value: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { isLosslessNumber, value: text } = value as { isLosslessNumber?: unknown; value?: unknown };
  return isLosslessNumber === true && typeof text === 'string';
}
