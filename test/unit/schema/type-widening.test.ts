import { describe, expect, it } from 'vitest';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';
import { checkTypeChanges, isWidening } from '../../../src/kernel/type-widening.ts';

describe('type changes', () => {
  it.each([
    ['byte', 'long'],
    ['integer', 'double'],
    ['float', 'double'],
    ['date', 'timestamp_ntz'],
    ['decimal(5,2)', 'decimal(7,4)'],
    ['decimal(5,2)', 'decimal(9,2)'],
    ['integer', 'decimal(10,0)'],
    ['short', 'decimal(12,2)'],
    ['long', 'decimal(20,0)'],
    ['string', 'string'],
  ])('%s to %s is known', (from, to) => {
    expect(isWidening(from, to)).toBe(true);
  });

  it.each([
    ['long', 'integer'],
    ['long', 'double'],
    ['date', 'timestamp'],
    ['decimal(5,2)', 'decimal(6,4)'],
    ['decimal(5,2)', 'decimal(5,1)'],
    ['integer', 'decimal(9,0)'],
    ['long', 'decimal(19,0)'],
    ['byte', 'decimal(4,1)'],
    ['integer', 'string'],
  ])('%s to %s is not', (from, to) => {
    expect(isWidening(from, to)).toBe(false);
  });

  const changed = (type: DataType, change: unknown) =>
    types.struct([
      field(
        'a',
        types.array(types.struct([field('b', type, { metadata: { 'delta.typeChanges': change } })])),
      ),
    ]);

  it('are checked at every depth', () => {
    const known = [{ fromType: 'byte', toType: 'integer' }];
    expect(() => checkTypeChanges(changed(types.integer, known))).not.toThrow();
    expect(() =>
      checkTypeChanges(changed(types.string, [{ fromType: 'integer', toType: 'string' }])),
    ).toThrow(
      expect.objectContaining({ code: 'Unsupported', column: 'a.element.b', feature: 'typeWidening' }),
    );
    expect(() => checkTypeChanges(changed(types.string, 'x'))).toThrow(
      expect.objectContaining({ code: 'Schema' }),
    );
  });
});
