import { useState } from 'preact/hooks';
import { allZones, isZone, localZone } from '../../zones.ts';

const KEY = 'zone';

/** The zone in which timestamps are shown; this browser remembers it. */
export function useZone(): [zone: string, choose: (zone: string) => void] {
  const [zone, setZone] = useState(rememberedZone);
  const choose = (next: string) => {
    setZone(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Storage may be off: the choice then lasts as long as the page.
    }
  };
  return [zone, choose];
}

function rememberedZone(): string {
  try {
    const zone = localStorage.getItem(KEY) ?? 'UTC';
    return isZone(zone) ? zone : 'UTC';
  } catch {
    return 'UTC';
  }
}

export function ZonePicker({ zone, onZone }: { zone: string; onZone: (zone: string) => void }) {
  const local = localZone();
  return (
    <label class="zone">
      <span>Time zone</span>
      <select aria-label="Time zone" value={zone} onChange={(event) => onZone(event.currentTarget.value)}>
        <option value="UTC">UTC</option>
        {local !== 'UTC' && <option value={local}>{local} (here)</option>}
        <optgroup label="All">
          {allZones()
            .filter((each) => each !== 'UTC' && each !== local)
            .map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
        </optgroup>
      </select>
    </label>
  );
}
