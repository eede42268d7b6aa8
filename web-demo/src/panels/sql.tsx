import type { PanelProps } from './registry.tsx';

export function SqlPanel({ overview }: PanelProps) {
  return <p class="empty">SQL of version {overview.version}.</p>;
}
