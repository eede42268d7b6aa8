import type { PanelProps } from './registry.tsx';

export function ChangesPanel({ overview }: PanelProps) {
  return <p class="empty">Changes of version {overview.version}.</p>;
}
