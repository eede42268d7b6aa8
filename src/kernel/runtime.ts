/** The clock and the randomness of the machine that this runs on: the only file of the kernel that touches them. */
import type { Runtime } from './engine.ts';

/** What is used where no `runtime` is passed. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  uuid: () => crypto.randomUUID(),
};
