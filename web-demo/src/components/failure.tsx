import type { Failure } from '../worker/protocol.ts';

/** Why something could not be shown, and what to do about it. */
export function FailureBox({ failure }: { failure: Failure }) {
  return (
    <section class="failure" role="alert">
      <h2>{failure.code}</h2>
      <p>{failure.message}</p>
      {failure.advice !== undefined && <p class="advice">{failure.advice}</p>}
    </section>
  );
}
