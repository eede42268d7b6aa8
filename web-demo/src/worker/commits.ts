/** How a table got where it is: commits, what they did to its files, and their actions as they are written. */
import * as Comlink from 'comlink';
import { ChangeLog } from './commits/change-log.ts';
import { fileOfCommit, readCommitFile } from './commits/commit-file.ts';
import { CommitText } from './commits/commit-text.ts';
import { readPage } from './commits/page.ts';
import { attempt, type Work, type WorkerContext } from './context.ts';
import type { HistoryCalls } from './protocol-history.ts';

/** Bytes of a commit that are shown, and that are handed out as a file. */
const MAX_SHOWN = 32 * 2 ** 20;
const MAX_FILE = 512 * 2 ** 20;

export function historyCalls(context: WorkerContext): HistoryCalls {
  let log: ChangeLog | undefined;
  let text: CommitText | undefined;
  context.onClose(() => {
    log = undefined;
    text = undefined;
  });
  /** The table may be open at an old version: later commits belong to its history too. */
  const newest = async ({ table, signal }: Work) => log?.table ?? (await table.refresh({ signal }));
  return {
    history: (task, end) =>
      context.run(task, async (work) => {
        if (end === undefined) log = new ChangeLog(await work.table.refresh({ signal: work.signal }));
        const page = await readPage(await newest(work), { end, signal: work.signal });
        log?.append(page.commits);
        return page;
      }),
    commitChanges: (task) =>
      context.run(task, async (work) => {
        if (log === undefined) throw new Error('no commits are loaded');
        return log.read(work);
      }),
    openCommit: (task, version) =>
      context.run(task, async (work) => {
        const file = await fileOfCommit(await newest(work), version, work.signal);
        const bytes = await readCommitFile(work.table.engine, file, MAX_SHOWN, work.signal);
        text = new CommitText(bytes, bytes.length < file.size);
        return { version, bytes: file.size, ...text.summary() };
      }),
    commitLines: (query) =>
      attempt(async () => {
        if (text === undefined) throw new Error('no commit is opened');
        return text.lines(query);
      }),
    commitFile: (task, version) =>
      context.run(task, async (work) => {
        const file = await fileOfCommit(await newest(work), version, work.signal);
        if (file.size > MAX_FILE) throw new Error('the file is too large to be kept by a page');
        const bytes = await readCommitFile(work.table.engine, file, MAX_FILE, work.signal);
        const name = file.location.pathname.split('/').at(-1) ?? 'commit.json';
        return Comlink.transfer({ name, bytes }, [bytes.buffer]);
      }),
  };
}
