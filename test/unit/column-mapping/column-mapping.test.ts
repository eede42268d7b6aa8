import { describe, expect, it } from 'vitest';
import {
  physicalReadSchema,
  physicalWriteSchema,
} from '../../../src/kernel/column-mapping/physical-schema.ts';
import { logicalPath, partitionFields, physicalPath } from '../../../src/kernel/column-mapping/resolve.ts';
import { field, types } from '../../../src/kernel/schema/types.ts';

const mapped = (id: number, physicalName: string, more = {}) => ({
  'delta.columnMapping.id': id,
  'delta.columnMapping.physicalName': physicalName,
  ...more,
});

const schema = types.struct([
  field('Id', types.long, { nullable: false, metadata: mapped(1, 'col-1', { comment: 'x' }) }),
  field('s', types.array(types.struct([field('inner', types.string, { metadata: mapped(3, 'col-3') })])), {
    metadata: mapped(2, 'col-2', { 'delta.columnMapping.nested.ids': { 'col-2.element': 9 } }),
  }),
  // Mapping was enabled later: parent and child kept one name.
  field('address', types.struct([field('address', types.string, { metadata: mapped(5, 'address') })]), {
    metadata: mapped(4, 'address'),
  }),
]);

describe('physical schemas', () => {
  it('none: logical names, left-over annotations do not count', () => {
    const read = physicalReadSchema(schema, 'none');
    expect(read.fields.map(({ name, metadata }) => [name, metadata])).toEqual([
      ['Id', {}],
      ['s', {}],
      ['address', {}],
    ]);
  });

  it('name: physical names at every depth, no field ids, nothing NOT NULL', () => {
    expect(physicalReadSchema(schema, 'name')).toEqual(
      types.struct([
        field('col-1', types.long),
        field('col-2', types.array(types.struct([field('col-3', types.string)]))),
        field('address', types.struct([field('address', types.string)])),
      ]),
    );
  });

  it('id: field ids at every depth', () => {
    const id = (value: number) => ({ metadata: { 'parquet.field.id': value } });
    expect(physicalReadSchema(schema, 'id')).toEqual(
      types.struct([
        field('col-1', types.long, id(1)),
        field('col-2', types.array(types.struct([field('col-3', types.string, id(3))])), id(2)),
        field('address', types.struct([field('address', types.string, id(5))]), id(4)),
      ]),
    );
  });

  it('written files have ids in both modes, nested ones too, and NOT NULL', () => {
    for (const mode of ['name', 'id'] as const) {
      const [id, s] = physicalWriteSchema(schema, mode).fields;
      expect(id).toEqual({
        name: 'col-1',
        type: types.long,
        nullable: false,
        metadata: { 'parquet.field.id': 1 },
      });
      expect(s!.metadata).toEqual({
        'parquet.field.id': 2,
        'delta.columnMapping.nested.ids': { 'col-2.element': 9 },
      });
    }
  });

  it('a field without its annotation is refused by name', () => {
    const bare = types.struct([field('x', types.long)]);
    expect(() => physicalReadSchema(bare, 'name')).toThrow(
      expect.objectContaining({ code: 'Schema', column: 'x' }),
    );
    const noId = types.struct([
      field('x', types.long, { metadata: { 'delta.columnMapping.physicalName': 'y' } }),
    ]);
    expect(physicalReadSchema(noId, 'name').fields[0]!.name).toBe('y');
    expect(() => physicalReadSchema(noId, 'id')).toThrow(expect.objectContaining({ code: 'Schema' }));
  });
});

describe('paths', () => {
  it('physical of logical, whatever the case, and back', () => {
    expect(physicalPath(schema, ['ADDRESS', 'Address'], 'name')).toEqual(['address', 'address']);
    expect(physicalPath(schema, ['id'], 'name')).toEqual(['col-1']);
    expect(physicalPath(schema, ['id'], 'none')).toEqual(['Id']);
    expect(logicalPath(schema, ['col-1'], 'name')).toEqual(['Id']);
    expect(() => physicalPath(schema, ['nope'], 'name')).toThrow(/no column nope/);
  });

  it('partition columns are named logically and keyed physically', () => {
    const [partition] = partitionFields(schema, ['ID'], 'name');
    expect(partition).toMatchObject({ physicalName: 'col-1', field: { name: 'Id' } });
    expect(() => partitionFields(schema, ['nope'], 'name')).toThrow(
      expect.objectContaining({ code: 'Schema', column: 'nope' }),
    );
  });
});
