import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import type { Source } from '../../worker/protocol.ts';

const CreateTable = lazy(async () => ({ default: (await import('./create.tsx')).CreateTable }));

/** The way to a new table from the start: its form comes when it is asked for. */
export function NewTableLink({ onOpen }: { onOpen: (source: Source) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="New table">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        New table
      </button>
      {isOpen && (
        <Suspense fallback={<p class="loading">Loading…</p>}>
          <CreateTable onOpen={onOpen} />
        </Suspense>
      )}
    </section>
  );
}
