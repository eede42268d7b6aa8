/** Row index sets in the core's memory. */
import type { RowIndexSet, RowIndexSets } from '../../kernel/engine.ts';
import type { CoreMemory } from './memory.ts';

export function rowIndexSets(core: () => CoreMemory): RowIndexSets {
  const combine = (name: string, a: RowIndexSet, b: RowIndexSet) => {
    const [left, right] = [own(core(), a), own(core(), b)];
    try {
      return new CoreRowIndexSet(core(), core().check(name, left.handle, right.handle));
    } finally {
      if (left !== a) left.free();
      if (right !== b) right.free();
    }
  };
  return {
    deserialize: (bytes) => new CoreRowIndexSet(core(), core().check('set_read', ...core().write(bytes))),
    fromRowIndexes: (rows) =>
      new CoreRowIndexSet(core(), core().check('set_of', ...core().writeNumbers([...rows]))),
    union: (a, b) => combine('set_union', a, b),
    difference: (a, b) => combine('set_difference', a, b),
  };
}

/** The set itself where it lives in this instance, else a copy of it. */
function own(core: CoreMemory, set: RowIndexSet): CoreRowIndexSet {
  if (set instanceof CoreRowIndexSet && set.core === core) return set;
  return new CoreRowIndexSet(core, core.check('set_read', ...core.write(set.serialize())));
}

class CoreRowIndexSet implements RowIndexSet {
  readonly core: CoreMemory;
  readonly handle: number;
  readonly cardinality: number;
  #freed = false;

  constructor(core: CoreMemory, handle: number) {
    this.core = core;
    this.handle = handle;
    this.cardinality = core.call('set_cardinality', handle);
  }

  selection(start: number, length: number): Uint8Array {
    this.core.check('set_selection', this.handle, start, length);
    return this.core.takeBytes();
  }

  serialize(): Uint8Array {
    this.core.check('set_write', this.handle);
    return this.core.takeBytes();
  }

  free(): void {
    if (!this.#freed && !this.core.broken) this.core.call('set_free', this.handle);
    this.#freed = true;
  }
}
