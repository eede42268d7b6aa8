/** One Spark session for all tests of a file: a process that answers one request at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SparkInstallation } from './install.ts';
import { exactJson } from './rows.ts';

const script = fileURLToPath(new URL('spark.py', import.meta.url));

export type SparkRow = Readonly<Record<string, unknown>>;

export interface SparkResult {
  /** A Spark schema: of the form of a Delta schema. */
  readonly schema: { readonly fields: readonly SparkField[] };
  /** Values as `delta-web read` prints them; whole numbers past 2^53 as text. */
  readonly rows: readonly SparkRow[];
}

export interface SparkField {
  readonly name: string;
  readonly type: unknown;
  readonly nullable: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An error of Spark by the name of its condition, such as `DELTA_UNSUPPORTED_FEATURES_FOR_READ`. */
export class SparkError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export class SparkSession {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();
  #log = '';

  private constructor(child: ChildProcess) {
    this.#process = child;
    this.#answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    child.stderr!.on('data', (chunk) => {
      this.#log = (this.#log + chunk).slice(-2000);
    });
  }

  /** @param scratch a folder for Spark's own files. */
  static async start({ python, jars }: SparkInstallation, scratch: string): Promise<SparkSession> {
    const child = spawn(python, [script, scratch, ...jars], { cwd: scratch, stdio: 'pipe' });
    const session = new SparkSession(child);
    await session.#answer();
    return session;
  }

  /** Runs statements in order; what the last one gives. Throws {@link SparkError}. */
  sql(...statements: readonly string[]): Promise<SparkResult> {
    const result = this.#last.then(async () => {
      this.#process.stdin!.write(`${JSON.stringify({ sql: statements })}\n`);
      return this.#answer();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin!.end();
    if (this.#process.exitCode === null) await exited;
  }

  async #answer(): Promise<SparkResult> {
    const { done, value } = await this.#answers.next();
    if (done) throw new Error(`Spark ended: ${this.#log}`);
    const answer = exactJson(value) as SparkResult & { error?: { name: string; message: string } };
    if (answer.error) throw new SparkError(answer.error.name, answer.error.message);
    return answer;
  }
}
