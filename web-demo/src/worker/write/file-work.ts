/** Work on files that makes no commit: checkpoints and vacuum. */
import { createEngine, type DeltaTable } from 'delta-kernel-web';
import type { Work } from '../context.ts';
import type { FilesPlan, Outcome } from '../protocol-write.ts';
import { HeldStorage } from './held-storage.ts';

const MAX_SHOWN = 200;

export class FileWork {
  /** The checkpoint that was planned. */
  #planned: { table: DeltaTable; storage: HeldStorage } | undefined;

  /** Makes the checkpoint in memory. No files: the version has one. */
  async planCheckpoint(table: DeltaTable, { signal }: Pick<Work, 'signal'>): Promise<FilesPlan> {
    const storage = new HeldStorage(table.engine.storageHandler);
    await table.withEngine(createEngine({ storage })).checkpoint({ signal });
    this.#planned = { table, storage };
    const root = table.url.pathname;
    return planOf(
      storage.files.map(({ location, bytes }) => ({
        path: decodeURIComponent(location.pathname.slice(root.length)),
        size: bytes.byteLength,
      })),
    );
  }

  /** Writes it; its hint comes last, as it was made. */
  async writeCheckpoint({ signal }: Work, replace: (table: DeltaTable) => void): Promise<Outcome> {
    if (this.#planned === undefined) throw new Error('no checkpoint is planned: prepare it again');
    const { table, storage } = this.#planned;
    await storage.flush({ signal });
    this.#planned = undefined;
    replace(await table.refresh({ signal }));
    return {
      what: 'Wrote the checkpoint',
      version: table.version,
      rebasedFrom: undefined,
      warnings: [],
      made: undefined,
    };
  }

  async vacuum(table: DeltaTable, { signal }: Pick<Work, 'signal'>, dryRun: boolean): Promise<FilesPlan> {
    const { files, sizeInBytes } = await table.vacuum({ dryRun, signal });
    return {
      files: files.slice(0, MAX_SHOWN).map((path) => ({ path, size: 0 })),
      numFiles: files.length,
      bytes: sizeInBytes,
    };
  }

  forget(): void {
    this.#planned = undefined;
  }
}

function planOf(files: FilesPlan['files']): FilesPlan {
  return { files, numFiles: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}
