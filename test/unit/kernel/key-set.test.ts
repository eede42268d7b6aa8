import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeySet } from '../../../src/kernel/key-set.ts';

it('holds what a Set holds, in its order', () => {
  const key = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('', '\0', '\ufeff', 'é', '😀'),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 400 }), fc.array(key), (added, asked) => {
      const [set, model] = [new KeySet(), new Set<string>()];
      for (const each of added) {
        expect(set.add(each)).toBe(!model.has(each));
        model.add(each);
      }
      expect(set.size).toBe(model.size);
      expect([...set]).toEqual([...model]);
      for (const each of [...added, ...asked]) expect(set.has(each)).toBe(model.has(each));
    }),
  );
});

it('grows to many keys', () => {
  const keys = Array.from({ length: 100_000 }, (_, i) => `part_${i % 100}/file_${i}.parquet`);
  const set = new KeySet(keys);
  expect(set.size).toBe(keys.length);
  expect(keys.filter((key) => !set.has(key))).toEqual([]);
  expect(keys.filter((key) => set.has(`${key}x`) || set.has(key.slice(1)))).toEqual([]);
});
