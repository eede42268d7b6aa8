/** A commit's actions as they are written: one JSON object per line. */
import type { CommitLine, OpenedCommit } from '../protocol-history.ts';

/** Characters of a line that are shown. */
const MAX_LINE = 200_000;
/** The name of the action is the first key. */
const ACTION = /^\s*\{\s*"((?:[^"\\]|\\.){1,80})"/;
/** What actions are about, as far as that is short to say. */
const ABOUT = /"(?:path|operation|domain|appId|name)"\s*:\s*("(?:[^"\\]|\\.){0,2000}")/;

export class CommitText {
  readonly #lines: readonly string[];
  readonly #actions: readonly string[];
  readonly #isCut: boolean;

  /** @param isCut whether the file goes on: its last line is then left out. */
  constructor(bytes: Uint8Array, isCut: boolean) {
    const lines = new TextDecoder().decode(bytes).split('\n');
    this.#lines = (isCut ? lines.slice(0, -1) : lines).filter((line) => line.trim() !== '');
    this.#actions = this.#lines.map((line) => ACTION.exec(line)?.[1] ?? 'no JSON object');
    this.#isCut = isCut;
  }

  summary(): Omit<OpenedCommit, 'version' | 'bytes'> {
    const counts = new Map<string, number>();
    for (const action of this.#actions) counts.set(action, (counts.get(action) ?? 0) + 1);
    const actions = [...counts].sort((a, b) => b[1] - a[1]);
    return { isCut: this.#isCut, lines: this.#lines.length, actions };
  }

  lines({ action, start, end }: { action?: string | undefined; start: number; end: number }): CommitLine[] {
    const found: number[] = [];
    for (let at = 0; at < this.#lines.length && found.length < end; at += 1) {
      if (action === undefined || this.#actions[at] === action) found.push(at);
    }
    return found.slice(start).map((at) => {
      const line = this.#lines[at]!;
      return {
        action: this.#actions[at]!,
        about: aboutOf(line),
        text: line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line,
        length: line.length,
      };
    });
  }
}

function aboutOf(line: string): string {
  const [, quoted] = ABOUT.exec(line) ?? [];
  if (quoted === undefined) return '';
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted; // an escape that JSON does not have: the line itself shows it
  }
}
