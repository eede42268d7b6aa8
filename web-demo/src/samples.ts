/** The tables that come with the page (`scripts/samples/make_samples.py`). */
export const SAMPLES = [
  { name: 'trips', title: 'Taxi trips', what: 'partitioned by day, decimals, nested columns, 2,800 rows' },
  {
    name: 'inventory',
    title: 'Inventory',
    what: 'time travel over 7 versions, a change feed, a schema change',
  },
  { name: 'customers', title: 'Customers', what: 'deletion vectors, column mapping, a checkpoint, variants' },
] as const;

/** Folder of all samples. */
export function samplesUrl(): string {
  return new URL('./samples/', globalThis.location.href).href.replace(/[?#].*$/, '');
}

export function sampleUrl(name: string): string {
  return `${samplesUrl()}${name}/`;
}

/** The name of the sample that a URL means. */
export function sampleAt(url: string): string | undefined {
  return SAMPLES.find(({ name }) => withoutSlash(sampleUrl(name)) === withoutSlash(url))?.name;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
