/** Numbers, sizes and times as people read them. */
const integer = new Intl.NumberFormat('en');
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function formatCount(value: number | null): string {
  return value === null ? 'unknown' : integer.format(value);
}

export function formatBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${UNITS[unit]}`;
}

/** UTC, to the second. */
export function formatTime(ms: number | null): string {
  return ms === null ? 'unknown' : new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
}

/** A cell's JSON text as a person reads it: strings without quotes. */
export function formatCell(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
