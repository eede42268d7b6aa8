import { lazy, Suspense } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../format.ts';
import { isNested } from '../../values.ts';
import type { GridColumn } from '../../worker/protocol-data.ts';
import { cellDisplay } from './display.ts';

/** Only nested values need it. */
const JsonTree = lazy(async () => ({ default: (await import('./json-tree.tsx')).JsonTree }));

export interface OpenCell {
  /** Of this opening. */
  readonly id: string;
  readonly column: GridColumn;
  /** Of the row in the table's order. */
  readonly number: number;
  readonly json: string | null;
}

/** Characters that are shown of a text; all of them can be copied. */
const MAX_SHOWN = 200_000;

/** One value, whole: nested ones as a tree. */
export function CellDialog({ open, zone, onClose }: { open: OpenCell; zone: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [copied, setCopied] = useState(false);
  const { column, number, json } = open;
  const { text, kind } = cellDisplay(json, column.dataType, zone);
  useEffect(() => dialog.current?.showModal(), []);
  const copy = async () => {
    await navigator.clipboard.writeText(kind === 'null' || kind === 'empty' ? '' : text);
    setCopied(true);
  };
  return (
    <dialog class="cell" ref={dialog} aria-labelledby="cell-title" onClose={onClose}>
      <header>
        <h2 id="cell-title">{column.name}</h2>
        <code>{column.type}</code>
        <span class="hint">row {formatCount(number + 1)}</span>
        <button type="button" class="small" onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" class="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section class="cell-value" tabIndex={0} aria-label="Value">
        {json !== null && isNested(column.dataType) ? (
          <Suspense fallback={<p class="loading">Loading…</p>}>
            <JsonTree json={json} type={column.dataType} zone={zone} />
          </Suspense>
        ) : (
          <pre class={kind}>{text.slice(0, MAX_SHOWN)}</pre>
        )}
        {text.length > MAX_SHOWN && (
          <p class="hint">
            The first {formatCount(MAX_SHOWN)} of {formatCount(text.length)} characters; Copy takes all.
          </p>
        )}
      </section>
    </dialog>
  );
}
