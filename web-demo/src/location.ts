/**
 * What the page's link holds: sample or URL, version, tab and filter. Never a query of the table's URL, which may be a
 * signature. A change is a step that the browser's Back undoes.
 */

export interface View {
  url: string | undefined;
  version: number | undefined;
  tab: Tab;
  where: string;
}

export const TABS = ['overview', 'data', 'history'] as const;
export type Tab = (typeof TABS)[number];

export function readView(): View {
  const parameters = new URLSearchParams(globalThis.location.hash.slice(1));
  const version = parameters.get('version');
  const tab = parameters.get('tab');
  return {
    url: parameters.get('url') ?? undefined,
    version: version !== null && /^\d{1,15}$/.test(version) ? Number(version) : undefined,
    tab: TABS.find((name) => name === tab) ?? 'overview',
    where: parameters.get('where') ?? '',
  };
}

export function writeView(view: View): void {
  const parameters = new URLSearchParams();
  if (view.url !== undefined) parameters.set('url', withoutSecrets(view.url));
  if (view.version !== undefined) parameters.set('version', String(view.version));
  if (view.tab !== 'overview') parameters.set('tab', view.tab);
  if (view.where !== '') parameters.set('where', view.where);
  const hash = parameters.size === 0 ? '' : `#${parameters}`;
  if (hash === globalThis.location.hash) return;
  history.pushState(null, '', globalThis.location.pathname + hash);
}

/** A URL without user, password, query and fragment. */
export function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text.replace(/[?#].*$/s, '').replace(/^.*@/s, '');
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
