/** Decimals as text: exact, through bigint only. */

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * The unscaled value of decimal text (plain or with an exponent) at `precision` and `scale`. Smaller scales are
 * filled with zeros; undefined where the text is no number, digits would be lost, or it does not fit.
 */
export function parseDecimal(text: string, precision: number, scale: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  // value = digits × 10^(shift − scale)
  let digits = `${whole}${fraction}`.replace(/^0+/, '');
  let shift = scale + Number(exponent) - fraction.length;
  while (shift < 0 && digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    shift += 1;
  }
  if (digits === '') return 0n;
  if (shift < 0 || digits.length + shift > precision) return undefined;
  const unscaled = BigInt(digits) * 10n ** BigInt(shift);
  return sign === '-' ? -unscaled : unscaled;
}

/** Plain decimal text with exactly `scale` fraction digits. */
export function formatDecimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  if (scale === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
