import { useState } from 'preact/hooks';
import { FailureBox } from '../../components/failure.tsx';
import { Working } from '../../components/task-view.tsx';
import { SAMPLES, samplesUrl, sampleUrl } from '../../samples.ts';
import { endTask, newTask, session } from '../../session.ts';
import type { Failure, Progress, Source } from '../../worker/protocol.ts';

interface SamplesProps {
  onOpen: (source: Source) => void;
  /** A copy was made in this browser's own storage. */
  onCopied: () => void;
}

/** Pages that did not come over https have no storage of their own. */
const canCopy = 'storage' in navigator && 'getDirectory' in navigator.storage;

/** The tables that come with the page; a copy in this browser may be written to. */
export function Samples({ onOpen, onCopied }: SamplesProps) {
  const [copying, setCopying] = useState<{ cancel: () => void; progress: Progress | undefined }>();
  const [failure, setFailure] = useState<Failure>();
  const copy = async (name: string) => {
    setFailure(undefined);
    const cancel = () => void session.cancel(task.id);
    const task = newTask((progress) => setCopying({ cancel, progress }));
    setCopying({ cancel, progress: undefined });
    const copied = await session.copySample(task, samplesUrl(), name);
    endTask(task);
    setCopying(undefined);
    if (copied.ok) onCopied();
    else if (copied.failure.code !== 'Cancelled') setFailure(copied.failure);
  };
  return (
    <section aria-labelledby="samples">
      <h2 id="samples">Samples</h2>
      <ul class="samples">
        {SAMPLES.map(({ name, title, what }) => (
          <li key={name}>
            <button
              type="button"
              class="sample"
              onClick={() => onOpen({ kind: 'url', url: sampleUrl(name) })}
            >
              <strong id={`sample-${name}`}>{title}</strong>
              <span>{what}</span>
            </button>
            {canCopy && (
              <button
                type="button"
                class="quiet"
                disabled={copying !== undefined}
                onClick={() => void copy(name)}
                aria-describedby={`sample-${name}`}
                title="A copy in this browser's own storage may be written to"
              >
                Copy to this browser
              </button>
            )}
          </li>
        ))}
      </ul>
      {copying !== undefined && <Working doing="Copying" {...copying} />}
      {failure !== undefined && <FailureBox failure={failure} />}
    </section>
  );
}
