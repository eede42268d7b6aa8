import { describe, expect, it } from 'vitest';
import { history } from '../../../src/kernel/history/history.ts';
import { Snapshot } from '../../../src/kernel/snapshot/snapshot.ts';
import {
  add,
  commits,
  countingStorage,
  features,
  lines,
  logStorage,
  metadataOf,
  PROTOCOL,
  rowEngine,
  TABLE_ROOT,
  v,
} from '../../helpers/row-engine.ts';

const checkpoint = (version: number) => ({
  [`${v(version)}.checkpoint.parquet`]: lines(PROTOCOL, metadataOf()),
});

async function open(files: Record<string, string>, times: Record<string, number> = {}, canList = true) {
  const engine = rowEngine(countingStorage(logStorage(files, times), { canList }));
  const snapshot = await Snapshot.load(engine, TABLE_ROOT);
  engine.reads.length = 0;
  return { engine, snapshot, of: (limit?: number) => history(engine, snapshot, { limit }) };
}

describe('history', () => {
  it('says what writers said, newest first', async () => {
    const info = {
      timestamp: 1,
      operation: 'WRITE',
      operationParameters: { mode: 'Append', description: null, n: 5 },
      operationMetrics: { numFiles: '2' },
      userId: 'u1',
      userName: 'Ada',
      isolationLevel: 'Serializable',
      isBlindAppend: true,
      engineInfo: 'e/1',
      txnId: 't',
      readVersion: 0,
      tags: { big: 1 },
    };
    const text = `{"commitInfo":${JSON.stringify(info).replace('"big":1', '"big":9007199254740993')}}\n`;
    const files = { ...commits(1), [`${v(1)}.json`]: text };
    const { of } = await open(files, { [`${v(0)}.json`]: 10, [`${v(1)}.json`]: 20 });
    expect(await of()).toEqual([
      {
        ...info,
        tags: undefined,
        version: 1,
        timestamp: 20,
        commitSizeInBytes: text.length,
        isStaged: false,
        commitInfo: { ...info, tags: { big: 9007199254740993n } },
      },
      {
        version: 0,
        timestamp: 10,
        commitSizeInBytes: expect.any(Number),
        isStaged: false,
        commitInfo: undefined,
      },
    ]);
  });

  // LR-12
  it('takes commitInfo as free form', async () => {
    const files = {
      ...commits(1),
      [`${v(1)}.json`]: lines({
        commitInfo: { operation: 5, operationParameters: ['a'], userName: null, isBlindAppend: 'no' },
      }),
    };
    const [entry] = await (await open(files)).of(1);
    expect(entry?.commitInfo).toEqual({
      operation: 5,
      operationParameters: ['a'],
      userName: null,
      isBlindAppend: 'no',
    });
    expect(entry).not.toHaveProperty('operation');
    expect(entry).not.toHaveProperty('operationParameters');
  });

  it('covers commits before the checkpoint, down to the first that is missing', async () => {
    const { [`${v(1)}.json`]: _, ...files } = commits(5);
    const { of } = await open({ ...files, ...checkpoint(4) });
    expect((await of()).map(({ version }) => version)).toEqual([5, 4, 3, 2]);
  });

  it('goes on below a version, page by page', async () => {
    const { [`${v(1)}.json`]: _, ...files } = commits(7);
    const { engine, snapshot } = await open({ ...files, ...checkpoint(4) });
    const page = async (end: number) =>
      (await history(engine, snapshot, { end, limit: 2 })).map(({ version }) => version);
    expect(await page(7)).toEqual([7, 6]);
    expect(await page(5)).toEqual([5, 4]);
    expect(await page(2)).toEqual([2]);
    expect(await page(1)).toEqual([]);
    await expect(page(8)).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('reads no more than it returns, and of that the commitInfo', async () => {
    const { of, engine } = await open(commits(9));
    expect((await of(2)).map(({ version }) => version)).toEqual([9, 8]);
    expect(engine.reads.map(({ file, columns }) => [file, columns])).toEqual([
      [`${v(9)}.json`, ['commitInfo']],
      [`${v(8)}.json`, ['commitInfo']],
    ]);
  });

  it('has ascending times whatever the files say, limit or not', async () => {
    const times = Object.fromEntries(
      [500, 300, 300, 900].map((time, version) => [`${v(version)}.json`, time]),
    );
    const { of } = await open(commits(3), times);
    expect((await of()).map(({ timestamp }) => timestamp)).toEqual([900, 502, 501, 500]);
    expect((await of(2)).map(({ timestamp }) => timestamp)).toEqual([900, 502]);
  });

  it('has in-commit timestamps from their enablement on', async () => {
    const enabled = metadataOf({
      'delta.enableInCommitTimestamps': 'true',
      'delta.inCommitTimestampEnablementVersion': '1',
      'delta.inCommitTimestampEnablementTimestamp': '50',
    });
    const info = (inCommitTimestamp: number) => ({ commitInfo: { inCommitTimestamp, timestamp: 1 } });
    const files = {
      ...commits(0),
      [`${v(1)}.json`]: lines(info(50), features([], ['inCommitTimestamp']), enabled),
      [`${v(2)}.json`]: lines(info(60)),
    };
    const { of } = await open(files, { [`${v(0)}.json`]: 40, [`${v(1)}.json`]: 999 });
    expect((await of()).map(({ timestamp }) => timestamp)).toEqual([60, 50, 40]);
  });

  it('works where the storage cannot list', async () => {
    const files = { ...commits(12), ...checkpoint(10), _last_checkpoint: '{"version":10,"size":1}' };
    const { of } = await open(files, {}, false);
    expect((await of()).map(({ version }) => version)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('takes an empty commit as one without commitInfo', async () => {
    const { of } = await open({ ...commits(1), [`${v(1)}.json`]: '' });
    expect((await of())[0]).toMatchObject({ version: 1, commitInfo: undefined, commitSizeInBytes: 0 });
  });

  it('names the commit that is malformed', async () => {
    const { engine, snapshot } = await open(commits(2));
    const broken = rowEngine(logStorage({ ...commits(2), [`${v(1)}.json`]: `${lines(add('a'))}not json` }));
    await expect(history(broken, snapshot)).rejects.toMatchObject({
      code: 'MalformedJson',
      version: 1,
      line: 2,
    });
    await expect(history(engine, snapshot, { limit: 0 })).rejects.toMatchObject({ code: 'InvalidOption' });
  });
});
