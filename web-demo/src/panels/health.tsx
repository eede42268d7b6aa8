import { TaskView } from '../components/task-view.tsx';
import { useTask } from '../components/use-task.ts';
import { session } from '../session.ts';
import type { Finding, Severity } from '../worker/protocol-health.ts';
import { OrphansSection } from './health/orphans.tsx';
import type { PanelProps } from './registry.tsx';

/** What is wrong with the table, and what to do about it. */
export function HealthPanel({ overview, shown, show }: PanelProps) {
  const task = useTask((each) => session.health(each, shown.where), [overview.version, shown.where]);
  return (
    <div class="health">
      <TaskView task={task} doing="Examining files and log">
        {(findings) => <Findings findings={findings} show={show} />}
      </TaskView>
      <OrphansSection />
    </div>
  );
}

const WORDS: Readonly<Record<Severity, string>> = {
  problem: 'Problem',
  warning: 'Warning',
  note: 'Note',
  fine: 'Fine',
};

function Findings({ findings, show }: { findings: Finding[]; show: PanelProps['show'] }) {
  const open = findings.filter(({ severity }) => severity !== 'fine');
  const fine = findings.filter(({ severity }) => severity === 'fine');
  return (
    <>
      <h2>{open.length === 0 ? 'Nothing stands out' : summary(open)}</h2>
      {open.length > 0 && <FindingList findings={open} show={show} />}
      {fine.length > 0 && (
        <details open={open.length === 0}>
          <summary>{fine.length} checks are fine</summary>
          <FindingList findings={fine} show={show} />
        </details>
      )}
    </>
  );
}

/** `1 warning, 2 notes`. */
function summary(findings: Finding[]): string {
  const parts = (['problem', 'warning', 'note'] as const).map((severity) => {
    const { length } = findings.filter((each) => each.severity === severity);
    return length === 0 ? '' : `${length} ${severity}${length === 1 ? '' : 's'}`;
  });
  return parts.filter((part) => part !== '').join(', ');
}

function FindingList({ findings, show }: { findings: Finding[]; show: PanelProps['show'] }) {
  return (
    <ul class="findings">
      {findings.map(({ id, severity, title, text, advice, evidence }) => (
        <li key={id} class={severity} data-finding={id}>
          <h3>
            <span class="severity">{WORDS[severity]}</span> {title}
          </h3>
          <p>{text}</p>
          {advice !== '' && <p class="advice">{advice}</p>}
          {evidence !== undefined && (
            <button
              type="button"
              class="quiet"
              onClick={() => show({ tab: evidence.tab, detail: evidence.detail ?? '' })}
            >
              {evidence.label} ▸
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
