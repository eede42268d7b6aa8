import type { PanelProps } from './registry.tsx';

export function WritePanel({ overview }: PanelProps) {
  return <p class="empty">Write of version {overview.version}.</p>;
}
