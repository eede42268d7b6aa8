/** How long the page's main thread was busy without a pause: by the processor's time, so that a busy machine does not count. */
import type { Inspector } from './inspector.ts';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread's own time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task of the main thread while `work` goes on, in milliseconds. The page must be open. */
export async function longestTask(ui: Inspector, work: () => Promise<void>): Promise<number> {
  await ui.browser.startTracing(ui.page, { categories: ['-*', 'toplevel'] });
  let buffer: Buffer;
  try {
    await work();
  } finally {
    buffer = await ui.browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(buffer.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no task of the main thread');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}
