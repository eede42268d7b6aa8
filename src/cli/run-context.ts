/** What a command gets. */
import type { Output, Progress } from './output.ts';
import type { Invocation } from './usage.ts';

export interface Run extends Invocation {
  readonly output: Output;
  readonly progress: Progress;
  readonly env: Readonly<Record<string, string | undefined>>;
}
