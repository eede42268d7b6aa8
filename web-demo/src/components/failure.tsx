import type { Failure, Source } from '../worker/protocol.ts';

interface FailureProps {
  failure: Failure;
  /** Where trying once more may help. */
  onRetry?: () => void;
  /** Opens another table that the failure names. */
  onOpen?: (source: Source) => void;
}

const OFFLINE =
  'This browser is offline. Samples that were open before, folders and the tables of this browser still open.';

/** Why something could not be shown, and what to do about it. */
export function FailureBox({ failure, onRetry, onOpen }: FailureProps) {
  const isOffline = failure.code === 'IOError' && !navigator.onLine;
  const { advice, snippet } = isOffline ? { advice: OFFLINE, snippet: undefined } : failure;
  return (
    <section class="failure" role="alert">
      <h2>{words(failure.code)}</h2>
      <p>{sentence(failure.message)}</p>
      {advice !== undefined && <p class="advice">{advice}</p>}
      {snippet !== undefined && <Snippet text={snippet} />}
      {onOpen !== undefined &&
        failure.nearby?.map(({ name, source }) => (
          <p key={name}>
            There is a table {name}.{' '}
            <button type="button" onClick={() => onOpen(source)}>
              Open {name}
            </button>
          </p>
        ))}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  );
}

function Snippet({ text }: { text: string }) {
  return (
    <div class="snippet">
      <pre>{text}</pre>
      <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy
      </button>
    </div>
  );
}

/** `TableNotFound` as "Table not found". */
function words(code: string): string {
  if (code === 'IOError') return 'Reading failed';
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Messages begin small where they begin with a word, and with a name or an address as that is written. */
function sentence(message: string): string {
  return message.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
}
