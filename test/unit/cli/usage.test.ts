import { describe, expect, it } from 'vitest';
import { COMMANDS, columnList, parseCommandLine, UsageError, wholeNumber } from '../../../src/cli/usage.ts';

describe('the command line', () => {
  it('reads a command, its table and its options in any order', () => {
    expect(
      parseCommandLine(['read', '--limit', '3', 'dir/t', '--where', 'a > 1', '--columns=a,b']),
    ).toMatchObject({
      command: 'read',
      table: 'dir/t',
      options: { limit: '3', where: 'a > 1', columns: 'a,b' },
    });
  });

  it('takes a value that begins with a dash after an equals sign', () => {
    expect(parseCommandLine(['read', 't', '--where=-1 < a'])).toMatchObject({ options: { where: '-1 < a' } });
  });

  it.each([
    [[], /which command/],
    [['frobnicate', 't'], /frobnicate is not a command/],
    [['constructor', 't'], /constructor is not a command/],
    [['read'], /which table/],
    [['read', 'a', 'b'], /one table only, not also b/],
    [['read', 't', '--nope'], /--nope/],
    [['read', 't', '--limit'], /--limit/],
    [['history', 't', '--where', 'x'], /--where/],
    [['files', 't', '--explain=yes'], /--explain/],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrowError(message);
    expect(() => parseCommandLine(args)).toThrowError(UsageError);
  });

  it('has help for itself and for each command', () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { help } = parseCommandLine(args) as { help: string };
      for (const command of Object.keys(COMMANDS)) expect(help).toContain(`\n  ${command} `);
    }
    const { help } = parseCommandLine(['read', '--help']) as { help: string };
    expect(help).toContain('--where P');
    expect(parseCommandLine(['files', 't', '-h'])).toHaveProperty('help');
  });

  it('takes whole numbers only', () => {
    expect(wholeNumber('limit', undefined)).toBeUndefined();
    expect(wholeNumber('limit', '0')).toBe(0);
    expect(wholeNumber('version', '9007199254740991')).toBe(9007199254740991);
    for (const bad of ['-1', '1.5', '', 'x', '9007199254740993', '1e3', '0x10']) {
      expect(() => wholeNumber('version', bad)).toThrowError(UsageError);
    }
  });

  it('splits columns at commas outside of backticks', () => {
    expect(columnList('columns', 'a, b.c,`d,e`.f')).toEqual(['a', 'b.c', '`d,e`.f']);
    expect(columnList('columns', undefined)).toBeUndefined();
    expect(() => columnList('columns', '')).toThrowError(UsageError);
    expect(() => columnList('partition-by', 'a, ,b')).toThrowError(/^--partition-by takes names/);
  });
});
