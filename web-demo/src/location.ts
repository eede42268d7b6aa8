/**
 * What the page's link holds: where the table is, version, tab, filter and what the tab shows. Never a query of the
 * table's URL, which may be a signature.
 */
import { PLACE_KEYS, type Place } from './places.ts';

export interface View {
  /** Empty for none, and for folders. */
  place: Place;
  version: number | undefined;
  tab: Tab;
  where: string;
  /** What the tab itself wants to find again, such as the file that it shows; empty for nothing. */
  detail: string;
}

export const TABS = ['overview', 'data', 'history', 'files', 'health', 'changes', 'sql', 'write'] as const;
export type Tab = (typeof TABS)[number];

export function readView(): View {
  const parameters = new URLSearchParams(globalThis.location.hash.slice(1));
  const version = parameters.get('version');
  const tab = parameters.get('tab');
  return {
    place: Object.fromEntries(
      PLACE_KEYS.flatMap((key) => {
        const value = parameters.get(key);
        return value === null ? [] : [[key, value]];
      }),
    ),
    version: version !== null && /^\d{1,15}$/.test(version) ? Number(version) : undefined,
    tab: TABS.find((name) => name === tab) ?? 'overview',
    where: parameters.get('where') ?? '',
    detail: parameters.get('detail') ?? '',
  };
}

/** The page's address with a view in it. */
export function linkOf(view: View): string {
  const parameters = new URLSearchParams();
  for (const key of PLACE_KEYS) {
    const value = view.place[key];
    if (value !== undefined) parameters.set(key, value);
  }
  if (view.version !== undefined) parameters.set('version', String(view.version));
  if (view.tab !== 'overview') parameters.set('tab', view.tab);
  if (view.where !== '') parameters.set('where', view.where);
  if (view.detail !== '') parameters.set('detail', view.detail);
  return parameters.size === 0
    ? globalThis.location.pathname
    : `${globalThis.location.pathname}#${parameters}`;
}
