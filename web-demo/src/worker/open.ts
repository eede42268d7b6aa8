/** Opening a table, whatever it lies in, and what there is to open. */
import type { StorageHandler } from 'delta-kernel-web';
import { ExplainedError, toFailure } from './advice.ts';
import { copySample, deleteBrowserTable, listBrowserTables } from './browser-tables.ts';
import { attempt, type Work, type WorkerContext } from './context.ts';
import { tablesNearby } from './nearby.ts';
import { readOverview } from './overview.ts';
import type { CoreCalls, Source } from './protocol.ts';
import type { CatalogEntry, OpenCalls, UnitySource } from './protocol-open.ts';
import { isWritable, openSource, unityOf } from './sources.ts';
import { versionAt, versionRange } from './versions.ts';

export function openCalls(context: WorkerContext): CoreCalls & OpenCalls {
  return {
    open: (task, source, version) => {
      const life = context.begin();
      return context.runAlone(task, async (signal, report) => {
        const table = await openSource(source, { version, signal }, countingReads(report)).catch(
          (error: unknown) => refuse(error, source, signal),
        );
        const overview = await readOverview(table, signal);
        // A later call has taken over where it has aborted this one.
        life.throwIfAborted();
        context.set({ table, source, version });
        return { ...overview, writable: isWritable(source) };
      });
    },
    cancel: async (taskId) => context.cancel(taskId),
    listen: async (listener) => context.listen(listener),
    browseUnity: (task, at, path) => context.runAlone(task, (signal) => browse(at, path, signal)),
    browserTables: (task) => context.runAlone(task, (signal) => listBrowserTables(signal)),
    copySample: (task, samples, name) =>
      context.runAlone(task, (signal, report) => copySample(samples, name, { signal, report })),
    deleteBrowserTable: (table) =>
      attempt(async () => {
        await deleteBrowserTable(table);
        return undefined;
      }),
    versions: (task) => context.run(task, ({ table, signal }) => versionRange(table, signal)),
    versionAt: (task, timestamp) => context.run(task, (open) => versionAt(open, timestamp, open.signal)),
  };
}

async function refuse(error: unknown, source: Source, signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  const failure = toFailure(error, source);
  if (failure.code !== 'TableNotFound') throw new ExplainedError(failure);
  throw new ExplainedError({ ...failure, nearby: await tablesNearby(source, signal) });
}

async function browse(
  at: Omit<UnitySource, 'kind' | 'table'>,
  [catalog, schema]: string[],
  signal: AbortSignal,
): Promise<CatalogEntry[]> {
  const { client } = await unityOf(at);
  const entries: CatalogEntry[] = [];
  if (catalog === undefined) {
    for await (const name of client.listCatalogs({ signal })) entries.push({ name });
  } else if (schema === undefined) {
    for await (const name of client.listSchemas(catalog, { signal })) entries.push({ name });
  } else {
    for await (const { table, format } of client.listTables({ catalog, schema }, { signal }))
      entries.push({ name: table, ...(format !== undefined && { format }) });
  }
  return entries;
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
