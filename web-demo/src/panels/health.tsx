import type { PanelProps } from './registry.tsx';

export function HealthPanel({ overview }: PanelProps) {
  return <p class="empty">Health of version {overview.version}.</p>;
}
