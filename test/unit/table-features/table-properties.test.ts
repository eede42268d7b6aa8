import { describe, expect, it } from 'vitest';
import type { Metadata, Protocol } from '../../../src/kernel/actions/types.ts';
import { types } from '../../../src/kernel/schema/types.ts';
import {
  parseInterval,
  type TableProperties,
  tableProperties,
} from '../../../src/kernel/table-properties.ts';

const MAPPING: Protocol = { minReaderVersion: 2, minWriterVersion: 5 };
const DAY = 86_400_000;

function properties(configuration: Record<string, string>, protocol = MAPPING): TableProperties {
  const metadata: Metadata = {
    id: 'm',
    format: { provider: 'parquet', options: {} },
    schemaString: '',
    schema: types.struct([]),
    partitionColumns: [],
    configuration,
  };
  return tableProperties(protocol, metadata);
}

describe('table properties', () => {
  it('have defaults', () => {
    expect(properties({})).toMatchObject({
      columnMappingMode: 'none',
      appendOnly: false,
      checkpointInterval: 10,
      checkpointPolicy: 'classic',
      checkpointWriteStatsAsJson: true,
      checkpointWriteStatsAsStruct: false,
      dataSkippingNumIndexedCols: 32,
      deletedFileRetentionDuration: 7 * DAY,
      logRetentionDuration: 30 * DAY,
      setTransactionRetentionDuration: undefined,
      enableExpiredLogCleanup: true,
      isolationLevel: 'Serializable',
    });
  });

  it('are typed', () => {
    const table = properties({
      'delta.columnMapping.mode': 'name',
      'delta.appendOnly': 'True',
      'delta.dataSkippingNumIndexedCols': '-1',
      'delta.deletedFileRetentionDuration': 'interval 2 weeks',
      'delta.inCommitTimestampEnablementTimestamp': '1700000000000',
      unknown: 'kept',
    });
    expect(table).toMatchObject({
      columnMappingMode: 'name',
      appendOnly: true,
      dataSkippingNumIndexedCols: -1,
      deletedFileRetentionDuration: 14 * DAY,
      inCommitTimestampEnablementTimestamp: 1_700_000_000_000,
    });
    expect(table.raw.unknown).toBe('kept');
  });

  it('turn column mapping on only where the protocol has it', () => {
    const mode = { 'delta.columnMapping.mode': 'id' };
    expect(properties(mode, { minReaderVersion: 1, minWriterVersion: 2 }).columnMappingMode).toBe('none');
    expect(properties(mode).columnMappingMode).toBe('id');
  });

  it.each<[string, string, keyof TableProperties]>([
    ['delta.columnMapping.mode', 'other', 'columnMappingMode'],
    ['delta.appendOnly', 'yes', 'appendOnly'],
    ['delta.checkpointInterval', '0', 'checkpointInterval'],
    ['delta.checkpointInterval', '1.5', 'checkpointInterval'],
    ['delta.dataSkippingNumIndexedCols', '-2', 'dataSkippingNumIndexedCols'],
    ['delta.logRetentionDuration', 'interval 1 month', 'logRetentionDuration'],
    [
      'delta.inCommitTimestampEnablementVersion',
      '99999999999999999999',
      'inCommitTimestampEnablementVersion',
    ],
  ])('%s = %s is an error of whoever needs it', (key, value, name) => {
    const table = properties({ [key]: value });
    expect(() => table[name]).toThrow(
      expect.objectContaining({ code: 'ParseError', message: expect.stringContaining(key) }),
    );
  });

  it.each([
    ['interval 7 days', 7 * DAY],
    ['INTERVAL 1 Week', 7 * DAY],
    ['interval 1 week 12 hours', 7.5 * DAY],
    ['2 minutes', 120_000],
    ['interval 1500 milliseconds', 1500],
    ['interval 2500 microseconds', 2],
    ['interval 0 days', 0],
    ['', undefined],
    ['interval', undefined],
    ['interval days', undefined],
    ['interval -1 days', undefined],
    ['interval 1.5 days', undefined],
    ['interval 1 year', undefined],
    ['interval 7', undefined],
    ['interval 1 constructor', undefined],
  ])('interval %s', (text, expected) => {
    expect(parseInterval(text)).toBe(expected);
  });
});
