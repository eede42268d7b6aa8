import { describe, expect, it } from 'vitest';
import { parseCommitInfo } from '../../../src/kernel/actions/commit-info.ts';
import { actionField, actionsSchema } from '../../../src/kernel/actions/schemas.ts';
import { parseChecksum } from '../../../src/kernel/log/checksum.ts';
import { asSafeInteger, parseJsonObject, plainJson } from '../../../src/kernel/log/json.ts';
import { metadataOf, PROTOCOL } from '../../helpers/row-engine.ts';

describe('schemas of actions', () => {
  it('can be whole or in part', () => {
    expect(actionsSchema('add', 'commitInfo').fields.map(({ name, type }) => [name, type.kind])).toEqual([
      ['add', 'struct'],
      ['commitInfo', 'primitive'],
    ]);
    expect(actionField('remove', 'path', 'deletionVector')).toMatchObject({
      name: 'remove',
      type: { fields: [{ name: 'path' }, { name: 'deletionVector' }] },
    });
    expect(() => actionField('add', 'nothing')).toThrow(expect.objectContaining({ code: 'Internal' }));
  });
});

describe('JSON values of the log', () => {
  it('never round', () => {
    const json = parseJsonObject(
      '{"a":9007199254740993,"b":1.5,"c":[12],"d":9007199254740991,"e":{"f":null}}',
    )!;
    expect(plainJson(json)).toEqual({
      a: 9007199254740993n,
      b: 1.5,
      c: [12],
      d: 9007199254740991,
      e: { f: null },
    });
    expect(asSafeInteger(json.a)).toBeUndefined();
    expect(asSafeInteger(json.b)).toBeUndefined();
    expect(asSafeInteger(json.d)).toBe(9007199254740991);
  });

  it.each(['', '{', '1', '[1]', 'null', '"x"', '{"a":1,"a":2}'])('%s is no object', (text) => {
    expect(parseJsonObject(text)).toBeUndefined();
  });
});

describe('commitInfo', () => {
  it('keeps what has the type that is expected, and all of it in raw', () => {
    const info = parseCommitInfo(
      '{"timestamp":"soon","operation":"X","inCommitTimestamp":5,"isBlindAppend":1}',
    );
    expect(info).toEqual({
      operation: 'X',
      inCommitTimestamp: 5,
      raw: { timestamp: 'soon', operation: 'X', inCommitTimestamp: 5, isBlindAppend: 1 },
    });
    expect(() => parseCommitInfo('[]')).toThrow(expect.objectContaining({ code: 'MalformedJson' }));
  });
});

describe('checksums', () => {
  const text = (rest = {}) =>
    JSON.stringify({
      numMetadata: 1,
      numProtocol: 1,
      protocol: PROTOCOL.protocol,
      metadata: metadataOf({ a: 'b' }).metaData,
      ...rest,
    });

  it('hold protocol and metadata', () => {
    expect(parseChecksum(text({ numFiles: 3, tableSizeBytes: 7, inCommitTimestampOpt: 9 }), 4)).toMatchObject(
      {
        version: 4,
        protocol: PROTOCOL.protocol,
        metadata: { id: 'm', configuration: { a: 'b' } },
        numFiles: 3,
        tableSizeBytes: 7,
        inCommitTimestamp: 9,
      },
    );
  });

  it('tell none from unknown', () => {
    expect(parseChecksum(text({ setTransactions: [], domainMetadata: [] }), 4)).toMatchObject({
      setTransactions: [],
      domainMetadata: [],
    });
    expect(parseChecksum(text(), 4)).not.toHaveProperty('setTransactions');
    // One entry that is not understood makes the list useless.
    expect(parseChecksum(text({ setTransactions: [{ appId: 'a' }] }), 4)).not.toHaveProperty(
      'setTransactions',
    );
    expect(parseChecksum(text({ domainMetadata: [1] }), 4)).not.toHaveProperty('domainMetadata');
  });

  it('must say that there is one protocol and one metadata', () => {
    expect(parseChecksum(text({ numProtocol: undefined }), 4)).toBeUndefined();
    expect(parseChecksum(text({ protocol: { minReaderVersion: 1 } }), 4)).toBeUndefined();
    expect(
      parseChecksum(text({ protocol: { ...PROTOCOL.protocol, readerFeatures: 'x' } }), 4),
    ).toBeUndefined();
  });
});
