import type { PanelProps } from './registry.tsx';

export function FilesPanel({ overview }: PanelProps) {
  return <p class="empty">Files of version {overview.version}.</p>;
}
