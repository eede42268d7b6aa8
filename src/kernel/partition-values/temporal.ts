/**
 * Dates and timestamps as text, as they stand in `partitionValues` (`PROTOCOL.md`, "Partition Value Serialization").
 * Proleptic Gregorian calendar, no time zones of its own: text without an offset is UTC.
 */

const MICROS_PER_SECOND = 1_000_000n;
const MICROS_PER_DAY = 86_400n * MICROS_PER_SECOND;
const MAX_LONG = 2n ** 63n - 1n;
const MIN_LONG = -(2n ** 63n);
/** Years beyond this leave the range of a date in 32-bit days. */
const MAX_YEAR = 5_881_580;

const DATE = /^([+-]?\d{4,7})-(\d{1,2})-(\d{1,2})$/;
const TIMESTAMP =
  /^([+-]?\d{4,7}-\d{1,2}-\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*(Z|z|UTC|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?)?$/;

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar; the day is not checked. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The date of a number of days since 1970-01-01. */
export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1,
  };
}

/** Days since 1970-01-01 of `YYYY-MM-DD`, undefined where the text is no such date. */
export function parseDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (Math.abs(year) > MAX_YEAR || month < 1 || month > 12 || day < 1) return undefined;
  const days = daysFromCivil(year, month, day);
  // A day past the month's end lands in the next month.
  return civilFromDays(days).month === month ? days : undefined;
}

/**
 * Microseconds since the epoch of a date, a space or `T`, a time and, where `zoned`, an offset.
 * A date alone is its midnight (values written before a date column was widened); digits below microseconds are cut;
 * an offset where not `zoned` is refused. Undefined where the text is no such timestamp, or out of the 64-bit range.
 */
export function parseTimestamp(text: string, zoned: boolean): bigint | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, date, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  if (zone !== undefined && !zoned) return undefined;
  const days = parseDate(date!);
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = zone === undefined ? 0 : offsetSeconds(zone);
  if (offset === undefined) return undefined;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset;
  const micros =
    BigInt(days) * MICROS_PER_DAY +
    BigInt(seconds) * MICROS_PER_SECOND +
    BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  return micros > MAX_LONG || micros < MIN_LONG ? undefined : micros;
}

function offsetSeconds(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z' || zone === 'UTC') return 0;
  const digits = zone.slice(1).replaceAll(':', '');
  const [hours, minutes, seconds] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2)));
  if (hours! > 18 || minutes! > 59 || seconds! > 59) return undefined;
  const total = hours! * 3600 + minutes! * 60 + seconds!;
  return zone[0] === '-' ? -total : total;
}

/** `YYYY-MM-DD`; years outside 0000–9999 with a sign or more digits, so that they read back. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  const digits = String(Math.abs(year)).padStart(4, '0');
  const sign = year < 0 ? '-' : year > 9999 ? '+' : '';
  return `${sign}${digits}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Date, `separator` and time with six fraction digits: `YYYY-MM-DD HH:MM:SS.ffffff`. */
export function formatTimestamp(micros: bigint, separator: ' ' | 'T'): string {
  const timeOfDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  const days = Number((micros - timeOfDay) / MICROS_PER_DAY);
  const seconds = Number(timeOfDay / MICROS_PER_SECOND);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  const fraction = String(timeOfDay % MICROS_PER_SECOND).padStart(6, '0');
  return `${formatDate(days)}${separator}${time}.${fraction}`;
}
