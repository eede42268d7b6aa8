import { useEffect, useRef, useState } from 'preact/hooks';
import { formatTime } from '../format.ts';
import { endTask, type Loadable, newTask, session } from '../session.ts';
import type { Overview } from '../worker/protocol.ts';
import type { VersionRange } from '../worker/protocol-open.ts';

interface TravelProps {
  table: Loadable<Overview>;
  /** As asked for: undefined for the latest. */
  version: number | undefined;
  /** Undefined for the latest. */
  onTravel: (version: number | undefined) => void;
}

/** Which version is shown, and ways to others: by number, by slider, by date. */
export function TimeTravel({ table, version, onTravel }: TravelProps) {
  const range = useRange(table);
  const [sliding, setSliding] = useState<number>();
  const shown = sliding ?? (table.state === 'done' ? table.value.version : version);
  const go = (to: number) => {
    setSliding(undefined);
    if (to !== version) onTravel(to);
  };
  return (
    <div class="travel">
      <NumberField shown={shown} last={range?.last} onTravel={go} />
      <input
        class="slider"
        type="range"
        aria-label="Time travel"
        aria-valuetext={shown === undefined ? undefined : `number ${shown}`}
        min={range?.first ?? 0}
        max={range?.last ?? shown ?? 0}
        step={1}
        value={shown ?? 0}
        disabled={range === undefined || range.first === range.last}
        onInput={({ currentTarget }) => setSliding(currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) => go(currentTarget.valueAsNumber)}
      />
      <AsOf table={table} onTravel={go} />
      <button type="button" disabled={version === undefined} onClick={() => onTravel(undefined)}>
        Go to latest
      </button>
    </div>
  );
}

/** The versions that there are, looked up whenever a table has opened; until then those of before. */
function useRange(table: Loadable<Overview>): VersionRange | undefined {
  const [range, setRange] = useState<VersionRange>();
  const overview = table.state === 'done' ? table.value : undefined;
  useEffect(() => {
    if (overview === undefined) return undefined;
    let current = true;
    const task = newTask();
    session.versions(task).then((found) => {
      // Where it cannot be found out, the version that is open is all that is known.
      if (current) setRange(found.ok ? found.value : { first: 0, last: overview.version });
    });
    return () => {
      current = false;
      endTask(task);
    };
  }, [overview]);
  return range;
}

interface NumberProps {
  shown: number | undefined;
  last: number | undefined;
  onTravel: (version: number) => void;
}

/** Takes any version, by Enter or by the arrows; one that is not there is explained below. */
function NumberField({ shown, last, onTravel }: NumberProps) {
  const travel = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    if (input.value !== '' && input.checkValidity()) onTravel(input.valueAsNumber);
  };
  return (
    <div class="version">
      <label for="version">version</label>
      <input
        id="version"
        type="number"
        min={0}
        max={Number.MAX_SAFE_INTEGER}
        step={1}
        value={shown ?? ''}
        onChange={travel}
      />
      <span class="of">{last === undefined ? '' : `of ${last}`}</span>
    </div>
  );
}

/** The version that was the latest at a time. */
function AsOf({ table, onTravel }: { table: Loadable<Overview>; onTravel: (version: number) => void }) {
  const details = useRef<HTMLDetailsElement>(null);
  const [problem, setProblem] = useState<string>();
  const time = table.state === 'done' ? table.value.timestamp : null;
  const close = () => {
    if (details.current !== null) details.current.open = false;
    setProblem(undefined);
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('time'));
    const task = newTask();
    const found = await session.versionAt(task, Date.parse(`${text}Z`));
    endTask(task);
    if (!found.ok) return setProblem(`${found.failure.message} ${found.failure.advice ?? ''}`);
    close();
    onTravel(found.value);
  };
  return (
    <details
      ref={details}
      class="as-of"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
        details.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close();
      }}
    >
      <summary aria-disabled={table.state !== 'done'}>As of…</summary>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          The table as of (UTC)
          <input
            key={time}
            name="time"
            type="datetime-local"
            step={1}
            required
            defaultValue={time === null ? '' : formatTime(time).replace(' ', 'T')}
          />
        </label>
        <button type="submit" class="primary" disabled={table.state !== 'done'}>
          Go
        </button>
        {problem !== undefined && <p role="alert">{problem}</p>}
      </form>
    </details>
  );
}
