import { describe, expect, it } from 'vitest';
import { coreSource } from '../../../src/engine/core-source.ts';
import { DefaultEvaluationHandler } from '../../../src/engine/evaluation-handler.ts';
import { DeltaError } from '../../../src/errors.ts';
import type { Predicate } from '../../../src/kernel/expressions/types.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';
import { FakeCore } from './fake-parquet.ts';

const schema = types.struct([field('a', types.integer)]);
const isNull: Predicate = { kind: 'isNull', input: { kind: 'column', path: ['a'] } };

async function setUp({ loaded = true, maxCompiled = 2 } = {}) {
  const core = new FakeCore();
  const source = coreSource(async () => core.asCore());
  if (loaded) await source.load();
  const handler = new DefaultEvaluationHandler(source, { maxCompiled });
  const data = handler.createMany(schema, [
    [{ type: types.integer, value: null }],
    [{ type: types.integer, value: 1 }],
  ]);
  return { core, source, handler, data };
}

describe('evaluators', () => {
  it('work before the core is loaded, by promise, and after it at once', async () => {
    const { handler, data } = await setUp({ loaded: false });
    const evaluator = handler.newPredicateEvaluator(schema, isNull);
    const first = evaluator.evaluate(data);
    expect(first).toBeInstanceOf(Promise);
    expect((await first).column(['output'])!.getBoolean(0)).toBe(true);
    const second = await evaluator.evaluate(data);
    expect(second.column(['output'])!.getBoolean(1)).toBe(false);
    expect(evaluator.evaluate(data)).not.toBeInstanceOf(Promise);
  });

  it('compile once, keep few compiled, and compile again what was dropped', async () => {
    const { core, handler, data } = await setUp();
    const evaluators = [1, 2, 3, 4].map(() => handler.newPredicateEvaluator(schema, isNull));
    expect(core.openPredicates).toBe(2);
    for (const evaluator of [...evaluators, ...evaluators]) {
      expect((await evaluator.evaluate(data)).column(['output'])!.getBoolean(0)).toBe(true);
    }
    expect(core.openPredicates).toBe(2);
  });

  it('compile again after the core was replaced', async () => {
    const { core, source, handler, data } = await setUp();
    const inner = source.current!;
    let compiled = 0;
    let broken = true;
    Object.assign(inner, {
      compilePredicate: () => {
        compiled++;
        return {
          evaluate: (batch: unknown) => {
            if (broken) throw new DeltaError('Internal', 'trap');
            return batch;
          },
          free: () => {},
        };
      },
    });
    const evaluator = handler.newPredicateEvaluator(schema, isNull);
    expect(() => evaluator.evaluate(data)).toThrow('trap');
    broken = false;
    await evaluator.evaluate(data);
    expect([compiled, core.openPredicates]).toEqual([2, 0]);
  });

  it('say what to do where a set is needed before the core is there', async () => {
    const { handler } = await setUp({ loaded: false });
    expect(() => handler.rowIndexSets.fromRowIndexes([1])).toThrow(/ready\(\)/);
  });
});

describe('coreSource', () => {
  it('loads once, and again after a failure', async () => {
    let loads = 0;
    const source = coreSource(async () => {
      if (++loads === 1) throw new Error('offline');
      return new FakeCore().asCore();
    });
    await expect(source.load()).rejects.toThrow('offline');
    expect(source.current).toBeUndefined();
    const [a, b] = await Promise.all([source.load(), source.load()]);
    expect([a === b, source.current === a, loads]).toEqual([true, true, 2]);
  });
});
