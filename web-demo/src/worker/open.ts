/** Opening a table, whatever it lies in. */
import type { StorageHandler } from 'delta-kernel-web';
import type { Work, WorkerContext } from './context.ts';
import { readOverview } from './overview.ts';
import type { CoreCalls } from './protocol.ts';
import { isWritable, openSource } from './sources.ts';

export function openCalls(context: WorkerContext): CoreCalls {
  return {
    open: (task, source, version) => {
      const life = context.begin();
      return context.runAlone(task, async (signal, report) => {
        const table = await openSource(source, { version, signal }, countingReads(report));
        const overview = await readOverview(table, signal);
        // A later call has taken over where it has aborted this one.
        life.throwIfAborted();
        context.set({ table, source, version });
        return { ...overview, writable: isWritable(source) };
      });
    },
    cancel: async (taskId) => context.cancel(taskId),
    listen: async (listener) => context.listen(listener),
  };
}

/** Tells how many bytes have come: how many there will be, nobody knows. */
function countingReads(report: Work['report']): (storage: StorageHandler) => StorageHandler {
  let done = 0;
  return (inner) => {
    const readFiles: StorageHandler['readFiles'] = async function* (files, options) {
      for await (const bytes of inner.readFiles(files, options)) {
        done += bytes.byteLength;
        report({ done, unit: 'bytes' });
        yield bytes;
      }
    };
    return new Proxy(inner, {
      get(target, name) {
        if (name === 'readFiles') return readFiles;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}
