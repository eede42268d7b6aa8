/** Chance and time of a simulated run: everything comes from one seed, so that a run can be had again. */
import type { Runtime } from '../../src/kernel/engine.ts';

/** A small generator of good quality (mulberry32): whole runs must not depend on the platform. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 to `below` − 1. */
  whole(below: number): number {
    return Math.floor(this.next() * below);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.whole(items.length)]!;
  }
}

/** Runs tasks against each other, one step at a time; who takes the next step is chance. */
export class Scheduler {
  readonly #chance: Chance;
  readonly #waiting: (() => void)[] = [];

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** The end of a step: others may go first. */
  step(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Until all tasks have ended. Tasks wait for nothing but steps. */
  async run(tasks: readonly Promise<unknown>[]): Promise<void> {
    let running = true;
    const ended = Promise.allSettled(tasks).then(() => {
      running = false;
    });
    while (running) {
      await settled();
      const index = this.#chance.whole(Math.max(1, this.#waiting.length));
      for (const go of this.#waiting.splice(index, 1)) go();
    }
    await ended;
  }
}

/** When nothing is left to do but what waits for a step. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A clock that sometimes stands and sometimes goes back, and UUIDs by chance. */
export class SimulatedRuntime implements Runtime {
  readonly #chance: Chance;
  #time = 1_700_000_000_000;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  now(): number {
    this.#time += this.#chance.whole(20) - 5;
    return this.#time;
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.#chance.whole(16).toString(16)).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
