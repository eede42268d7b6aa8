/** The health tab: findings about the table, and files that nothing refers to. */
import type { WorkerContext } from './context.ts';
import { readFacts } from './health/facts.ts';
import { findingsOf } from './health/findings.ts';
import type { HealthCalls } from './protocol-health.ts';

const EXAMPLES = 20;

export function healthCalls(context: WorkerContext): HealthCalls {
  return {
    health: (task, where) => context.run(task, async (work) => findingsOf(await readFacts(work, where))),
    findOrphans: (task) =>
      context.run(task, async ({ table, signal }) => {
        const { files, sizeInBytes, retainHours } = await table.vacuum({ dryRun: true, signal });
        return { files: files.length, sizeInBytes, retainHours, examples: files.slice(0, EXAMPLES) };
      }),
  };
}
