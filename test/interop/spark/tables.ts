/** Tables in a scratch folder, as we and Spark see them. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { padVersion } from '../../../src/kernel/log/log-path.ts';
import type { StructType } from '../../../src/kernel/schema/types.ts';
import { DeltaTable } from '../../../src/table/delta-table.ts';
import type { CreateOptions } from '../../../src/table/write/create.ts';
import { localEngine } from '../../helpers/test-engine.ts';
import type { SparkInstallation } from './install.ts';
import { type SparkResult, SparkSession } from './session.ts';

export class SparkTables {
  readonly #dir = join(tmpdir(), `delta-spark-${randomUUID()}`);
  readonly #engine = localEngine();
  #session: SparkSession | undefined;
  #next = 0;

  async start(spark: SparkInstallation): Promise<void> {
    mkdirSync(this.#dir);
    this.#session = await SparkSession.start(spark, this.#dir);
  }

  async stop(): Promise<void> {
    await this.#session?.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** A path where there is no table yet. */
  newPath(): string {
    this.#next += 1;
    return join(this.#dir, `t${this.#next}`);
  }

  create(path: string, schema: StructType, options: CreateOptions = {}): Promise<DeltaTable> {
    return DeltaTable.create(pathToFileURL(`${path}/`), schema, { engine: this.#engine, ...options });
  }

  open(path: string): Promise<DeltaTable> {
    return DeltaTable.open(pathToFileURL(`${path}/`), { engine: this.#engine });
  }

  /** Runs statements in which `T` is the table. */
  sql(path: string, ...statements: readonly string[]): Promise<SparkResult> {
    const texts = statements.map((text) => text.replace(/\bT\b/g, `delta.\`${path}\``));
    if (this.#session === undefined) throw new Error('Spark has not started');
    return this.#session.sql(...texts);
  }

  /**
   * A copy of a table whose log begins at the checkpoint of `version`: who reads it must read that.
   * Statistics and row counts of a checksum would be another source: it goes too.
   */
  onlyCheckpoint(path: string, version: number): string {
    const copy = this.newPath();
    cpSync(path, copy, { recursive: true });
    const log = join(copy, '_delta_log');
    const named = padVersion(version);
    for (const name of readdirSync(log)) {
      if (!/^\d{20}\./.test(name)) continue;
      const isOlder = name.slice(0, 20) < named;
      if (isOlder || name === `${named}.crc`) rmSync(join(log, name));
    }
    return copy;
  }
}
