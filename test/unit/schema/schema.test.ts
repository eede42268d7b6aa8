import { describe, expect, it } from 'vitest';
import { columnPathToString, parseColumnPath } from '../../../src/kernel/schema/column-path.ts';
import {
  allFields,
  dataTypesEqual,
  findField,
  leafFields,
  projectSchema,
  selectColumns,
  typeToString,
} from '../../../src/kernel/schema/schema.ts';
import { type DataType, field, types } from '../../../src/kernel/schema/types.ts';
import { checkSchemaForDataFiles, checkSchemaForWrite } from '../../../src/kernel/schema/write-rules.ts';

const { struct, array, map, long, string, integer, decimal } = types;
const schema = struct([
  field('Id', long, { nullable: false, metadata: { k: 1 } }),
  field('s', struct([field('A', integer), field('t', struct([field('x', string), field('y', string)]))])),
  field('tags', array(struct([field('p', long), field('q', long)]))),
  field('dotted.name', string),
]);
const code = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string; column: string };
  }
  throw new Error('no failure');
};

describe('types', () => {
  it('compares by content', () => {
    expect(dataTypesEqual(decimal(10, 2), decimal(10, 2))).toBe(true);
    const pairs: [DataType, DataType][] = [
      [decimal(10, 2), decimal(10, 3)],
      [long, integer],
      [array(long), array(long, false)],
      [map(string, long), map(string, integer)],
      [struct([field('a', long)]), struct([field('A', long)])],
      [struct([field('a', long)]), struct([field('a', long, { nullable: false })])],
      [struct([field('a', long)]), struct([])],
      [array(long), long],
    ];
    for (const [a, b] of pairs)
      expect(dataTypesEqual(a, b), `${typeToString(a)} ${typeToString(b)}`).toBe(false);
    expect(dataTypesEqual(array(long), array(long, false), { ignoreNullability: true })).toBe(true);
    expect(
      dataTypesEqual(struct([field('a', long, { metadata: { x: 1 } })]), struct([field('a', long)])),
    ).toBe(true);
  });

  it('prints', () => {
    expect(
      typeToString(struct([field('a', map(string, array(decimal(5, 1)))), field('b c', types.variant)])),
    ).toBe('struct<a:map<string,array<decimal(5,1)>>,`b c`:variant>');
  });
});

describe('column paths', () => {
  it('are text and back', () => {
    expect(parseColumnPath('a.b')).toEqual(['a', 'b']);
    expect(parseColumnPath('`a.b`.`c``d`.e f')).toEqual(['a.b', 'c`d', 'e f']);
    expect(columnPathToString(['a.b', 'c`d', 'é', '1x'])).toBe('`a.b`.`c``d`.é.`1x`');
    for (const bad of ['', '.', 'a.', '.a', '`a', '`a`b', 'a..b', '``']) {
      expect(code(() => parseColumnPath(bad)).code, bad).toBe('InvalidExpression');
    }
  });
});

describe('look-up', () => {
  it('SC-11: ignores case and keeps the casing of the schema', () => {
    expect(findField(schema, ['S', 'a'])).toEqual({ path: ['s', 'A'], field: field('A', integer) });
    expect(findField(schema, ['id'])?.field.name).toBe('Id');
    expect(findField(schema, ['Id', 'x'])).toBeUndefined();
    expect(findField(schema, ['tags', 'p'])).toBeUndefined();
    expect(findField(schema, [])).toBeUndefined();
    const twice = struct([field('a', long), field('A', long)]);
    expect(code(() => findField(twice, ['a'])).message).toContain('ambiguous');
  });

  it('walks leaves and all fields', () => {
    expect([...leafFields(schema)].map((f) => f.path.join('/'))).toEqual([
      'Id',
      's/A',
      's/t/x',
      's/t/y',
      'tags',
      'dotted.name',
    ]);
    expect([...allFields(schema)].map((f) => f.path.join('/'))).toEqual([
      'Id',
      's',
      's/A',
      's/t',
      's/t/x',
      's/t/y',
      'tags',
      'tags/element/p',
      'tags/element/q',
      'dotted.name',
    ]);
  });

  it('selects columns in the order asked for', () => {
    const picked = selectColumns(schema, ['s.t.Y', 'ID', ['s', 'a'], '`dotted.name`']);
    expect(typeToString(picked)).toBe(
      'struct<s:struct<t:struct<y:string>,A:integer>,Id:long,`dotted.name`:string>',
    );
    expect(picked.fields[1]).toBe(schema.fields[0]);
    expect(typeToString(selectColumns(schema, ['dotted.name']))).toBe('struct<`dotted.name`:string>');
    expect(selectColumns(schema, []).fields).toEqual([]);
  });

  it('refuses unknown and doubled columns', () => {
    expect(code(() => selectColumns(schema, ['tag'])).message).toContain('did you mean tags');
    expect(code(() => selectColumns(schema, ['zzzzzz'])).message).toContain('there are Id, s, tags');
    for (const columns of [
      ['id', 'ID'],
      ['s', 's.t'],
      ['s.t.x', 's'],
    ]) {
      expect(code(() => selectColumns(schema, columns)).message).toContain('twice');
    }
  });

  it('projects by a schema', () => {
    const requested = struct([
      field('tags', array(struct([field('Q', long)]))),
      field('id', long, { nullable: true }),
    ]);
    const projected = projectSchema(schema, requested);
    expect(typeToString(projected)).toBe('struct<tags:array<struct<q:long>>,Id:long>');
    expect(projected.fields[1]).toEqual(schema.fields[0]);
    expect(code(() => projectSchema(schema, struct([field('id', string)]))).message).toBe(
      'column Id has type long, not string',
    );
    expect(code(() => projectSchema(schema, struct([field('id', long), field('ID', long)]))).code).toBe(
      'Schema',
    );
    expect(code(() => projectSchema(schema, struct([field('nope', long)]))).code).toBe('Schema');
  });
});

describe('write rules', () => {
  const check = (type: DataType, name = 'c', columnMapping = false) =>
    checkSchemaForWrite(struct([field(name, type)]), { columnMapping });

  it('bans characters without column mapping, line feeds with it', () => {
    for (const char of ' ,;{}()\t\n=') {
      const error = code(() => check(long, `a${char}b`));
      expect(error.code).toBe('Schema');
      expect(code(() => check(array(struct([field(`x${char}`, long)])))).column).toContain('element');
      if (char === '\n') expect(code(() => check(long, `a${char}b`, true)).code).toBe('Schema');
      else check(long, `a${char}b`, true);
    }
    check(long, 'ü.ß-`"');
  });

  it('refuses duplicates, empty names and unknown types', () => {
    expect(code(() => check(struct([field('a', long), field('A', long)]))).column).toBe('c.A');
    expect(code(() => check(long, '')).code).toBe('Schema');
    expect(code(() => check(array({ kind: 'opaque', name: 'geometry' }))).message).toContain('geometry');
  });

  it('knows what void allows', () => {
    const files = (...columns: DataType[]) =>
      checkSchemaForDataFiles(struct(columns.map((type, i) => field(`c${i}`, type))));
    files(long, types.void, struct([field('x', types.void), field('y', long)]));
    for (const bad of [
      [],
      [types.void],
      [long, struct([field('x', types.void)])],
      [long, array(types.void)],
      [long, map(string, struct([field('a', long), field('x', types.void)]))],
    ]) {
      expect(code(() => files(...bad)).code).toBe('Schema');
    }
  });
});
