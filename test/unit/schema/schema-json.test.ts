import { describe, expect, it } from 'vitest';
import { isDeltaError } from '../../../src/errors.ts';
import { parseSchema, schemaToJson } from '../../../src/kernel/schema/schema-json.ts';
import { types } from '../../../src/kernel/schema/types.ts';

const table = (...fields: string[]) => `{"type":"struct","fields":[${fields.join(',')}]}`;
const column = (name: string, type: string, metadata = '{}') =>
  `{"name":${JSON.stringify(name)},"type":${type},"nullable":true,"metadata":${metadata}}`;

function failure(text: string): { code: string; message: string; column?: string } {
  try {
    parseSchema(text);
  } catch (error) {
    if (isDeltaError(error)) return error as never;
    throw error;
  }
  throw new Error('no failure');
}

describe('schema JSON', () => {
  it('reads every type', () => {
    const names =
      'string long integer short byte float double boolean binary date timestamp timestamp_ntz void'.split(
        ' ',
      );
    const schema = parseSchema(table(...names.map((name) => column(`c_${name}`, `"${name}"`))));
    expect(schema.fields.map((f) => f.type)).toEqual(names.map((name) => ({ kind: 'primitive', name })));
    const nested = parseSchema(
      table(
        column('d', '"decimal(38,18)"'),
        column('a', '{"type":"array","elementType":"decimal( 10 , 2 )","containsNull":false}'),
        column(
          'm',
          `{"type":"map","keyType":"string","valueType":${table(column('x', '"long"'))},"valueContainsNull":true}`,
        ),
        column('v', '"variant"'),
        column('w', '{"type":"variant"}'),
        column('n', '"decimal"'),
      ),
    );
    expect(nested.fields.map((f) => f.type)).toEqual([
      types.decimal(38, 18),
      types.array(types.decimal(10, 2), false),
      types.map(
        types.string,
        types.struct([{ name: 'x', type: types.long, nullable: true, metadata: {} }]),
        true,
      ),
      types.variant,
      types.variant,
      types.decimal(10, 0),
    ]);
  });

  it('SC-01: keeps metadata byte for byte', () => {
    const metadata =
      '{"comment":"x","n":1,"b":true,"delta.columnMapping.nested.ids":{},"a":[1,{"k":null}],"big":9007199254740993,"f":1.0,"e":1E+2,"__proto__":{"q":"\\""}}';
    const text = table(column('id', '"long"', metadata));
    expect(schemaToJson(parseSchema(text))).toBe(text);
  });

  it('SC-04: opens tables with types that it does not know', () => {
    const names = ['geometry(4326)', 'interval day to second', 'char(5)', 'foo'];
    const text = table(
      ...names.map((name, i) => column(`c${i}`, `"${name}"`)),
      column('u', '{"type":"udt","class":"org.Point","sqlType":"string"}'),
    );
    const schema = parseSchema(text);
    expect(schema.fields.slice(0, 4).map((f) => f.type)).toEqual(
      names.map((name) => ({ kind: 'opaque', name })),
    );
    expect(schemaToJson(schema)).toBe(text);
  });

  it('reads a field without metadata and any stored name', () => {
    const schema = parseSchema(
      '{"type":"struct","fields":[{"name":"a b.c","type":"long","nullable":false}]}',
    );
    expect(schema.fields[0]).toEqual({ name: 'a b.c', type: types.long, nullable: false, metadata: {} });
  });

  it.each([
    ['', undefined],
    ['not json', undefined],
    ['"long"', undefined],
    ['[]', undefined],
    ['1', undefined],
    ['{"type":"struct"}', undefined],
    [table('1'), undefined],
    [table('{"type":"long","nullable":true}'), undefined],
    [table('{"name":"x","type":"long"}'), 'x'],
    [table('{"name":"x","nullable":true,"metadata":{}}'), 'x'],
    [table(column('x', '"long"', '[]')), 'x'],
    [table(column('x', '"decimal(39,2)"')), 'x'],
    [table(column('x', '"decimal(5,6)"')), 'x'],
    [table(column('x', '"decimal(5,-1)"')), 'x'],
    [table(column('x', '""')), 'x'],
    [
      table(column('s', table(column('y', '{"type":"array","elementType":7,"containsNull":true}')))),
      's.y.element',
    ],
    [table(column('id', '"long"'), column('ID', '"long"')), 'ID'],
    [table(column('s', table(column('id', '"long"'), column('Id', '"long"')))), 's.Id'],
  ])('refuses %s', (text, path) => {
    const error = failure(text);
    expect(error.code).toBe('Schema');
    expect(error.column).toBe(path);
  });

  it('refuses a schema of endless depth without overflowing', () => {
    for (const levels of [150, 100_000]) {
      const open = '{"type":"array","containsNull":true,"elementType":'.repeat(levels);
      expect(failure(table(column('x', `${open}"long"${'}'.repeat(levels)}`))).code).toBe('Schema');
    }
  });
});
