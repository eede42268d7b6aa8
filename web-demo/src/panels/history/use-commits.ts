import { useEffect, useState } from 'preact/hooks';
import { type TaskState, useTask } from '../../components/use-task.ts';
import { session } from '../../session.ts';
import type { Commit, HistoryPage } from '../../worker/protocol-history.ts';

export interface Commits {
  /** The newest page. */
  first: TaskState<HistoryPage>;
  /** Newest first. */
  listed: Commit[];
  /** Where older ones begin; undefined where there are none. */
  next: number | undefined;
  /** An older page that is on its way, or did not come. */
  older: TaskState<HistoryPage> | undefined;
  more: () => void;
}

/** The commits of the table, page by page as a person asks for them. */
export function useCommits(): Commits {
  const first = useTask((task) => session.history(task), []);
  const [pages, setPages] = useState<HistoryPage[]>([]);
  const [asked, setAsked] = useState<number>();
  const older = useTask(
    async (task) => (asked === undefined ? { ok: true, value: NOTHING } : session.history(task, asked)),
    [asked],
  );
  useEffect(() => {
    if (asked === undefined || older.result.state !== 'done') return;
    const page = older.result.value;
    setPages((before) => [...before, page]);
    setAsked(undefined);
  }, [asked, older.result]);
  const all = first.result.state === 'done' ? [first.result.value, ...pages] : [];
  return {
    first,
    listed: all.flatMap(({ commits }) => commits),
    next: all.at(-1)?.next,
    older: asked === undefined ? undefined : older,
    more: () => setAsked(all.at(-1)?.next),
  };
}

const NOTHING: HistoryPage = { commits: [], next: undefined };
