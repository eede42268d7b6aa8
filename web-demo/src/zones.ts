/** Timestamps in a time zone: digits stay exact, only the offset comes from the browser. */

/** As the worker writes a timestamp: `2024-02-29T12:00:00.000001Z`; years may have a sign or more digits. */
const TIMESTAMP = /^([+-]?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z$/;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The zone of this browser. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All zones that the browser knows, UTC first. */
export function allZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

export function isZone(name: string): boolean {
  try {
    offsetFormat(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** In UTC as it is; else the clock of the zone and its offset. Years that no clock knows stay in UTC. */
export function zonedTimestamp(text: string, zone: string): string {
  const match = TIMESTAMP.exec(text);
  if (zone === 'UTC' || match === null) return text;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const time = new Date(0);
  time.setUTCFullYear(year!, month! - 1, day!);
  time.setUTCHours(hour!, minute!, second!);
  if (Number.isNaN(time.getTime())) return text;
  const offset = offsetAt(time, zone);
  const local = new Date(time.getTime() + offset.ms);
  if (Number.isNaN(local.getTime())) return text;
  return local.toISOString().replace(/\.\d+Z$/, `${match[7] ?? ''}${offset.text}`);
}

function offsetAt(time: Date, zone: string): { ms: number; text: string } {
  const parts = offsetFormat(zone).formatToParts(time);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = '00'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  if (sign === undefined) return { ms: 0, text: '+00:00' };
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const text = `${sign}${hours}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
  return { ms: (sign === '-' ? -size : size) * 1000, text };
}

function offsetFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  return format;
}
