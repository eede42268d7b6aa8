/** Changes of the open table, and new tables: what does them comes when it is first asked. */
import { attempt, type WorkerContext } from './context.ts';
import type { Result } from './protocol.ts';
import type { WriteCalls } from './protocol-write.ts';

type Called = Exclude<keyof WriteCalls, 'discardChange'>;

export function writeCalls(context: WorkerContext): WriteCalls {
  let loading: Promise<WriteCalls> | undefined;
  const load = () => {
    loading ??= import('./write/calls.ts').then(
      ({ loadedCalls }) => loadedCalls(context),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  const later = <K extends Called>(name: K): WriteCalls[K] => {
    const call = async (...args: Parameters<WriteCalls[K]>): Promise<Result<unknown>> => {
      const loaded = await attempt(load);
      if (!loaded.ok) return loaded;
      return (loaded.value[name] as (...args: Parameters<WriteCalls[K]>) => Promise<Result<unknown>>)(
        ...args,
      );
    };
    return call as unknown as WriteCalls[K];
  };
  return {
    writeState: later('writeState'),
    checkImport: later('checkImport'),
    inferColumns: later('inferColumns'),
    planAppend: later('planAppend'),
    planDelete: later('planDelete'),
    planCreate: later('planCreate'),
    goOn: later('goOn'),
    discardChange: async (change) => (await loading)?.discardChange(change),
    planCheckpoint: later('planCheckpoint'),
    writeCheckpoint: later('writeCheckpoint'),
    publish: later('publish'),
    planVacuum: later('planVacuum'),
    runVacuum: later('runVacuum'),
  };
}
