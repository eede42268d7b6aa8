/** Planning a log of 300,000 files: little memory, and in pieces with the same outcome. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePredicate } from '../../src/kernel/expressions/parser.ts';
import type { Scan } from '../../src/kernel/scan/scan.ts';
import type { ScanFile } from '../../src/kernel/scan/scan-files.ts';
import { Snapshot } from '../../src/kernel/snapshot/snapshot.ts';
import { perfLog } from '../helpers/perf-log.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { localEngine } from '../helpers/test-engine.ts';

const MEGABYTE = 1 << 20;
const WHERE = "partition_col = 'part_1'";
/** Counted over the lines of the commits, which hold no remove. */
const WANTED = { files: 3002, bytes: 3_144_694_784 };
const engine = localEngine();
const table = perfLog();
const scratch = mkdtempSync(join(tmpdir(), 'delta-planning-'));

afterAll(() => rmSync(scratch, { recursive: true }));

interface Measured {
  readonly version: number;
  readonly files: number;
  readonly bytes: number;
  readonly growth: number;
}

describe.skipIf(table === undefined)(
  `a log of 300,000 files${table === undefined ? `: ${sharedMissing}` : ''}`,
  () => {
    it('is planned with a selective predicate in less than 128 MB more than before', async () => {
      const { growth, ...planned } = await measure(WHERE);
      expect(planned).toEqual({ version: 4, ...WANTED });
      expect(growth).toBeLessThan(128 * MEGABYTE);
    });

    it.each([{ requests: 1 }, { requests: 2 }, { bytes: 1 }])(
      'is planned in pages of %j, each from its token alone',
      async (budget) => {
        const whole: ScanFile[] = [];
        for await (const file of (await openScan()).files(engine)) whole.push(file);
        expect({ files: whole.length, bytes: bytesOf(whole) }).toEqual(WANTED);
        let page = await (await openScan()).plan(engine, { budget });
        const files = [...page.files];
        let pages = 1;
        for (; page.token !== undefined; pages += 1) {
          page = await (await openScan()).plan(engine, { budget, token: page.token });
          files.push(...page.files);
        }
        expect(pages).toBeGreaterThan(2);
        expect(files).toEqual(whole);
      },
    );
  },
);

async function openScan(): Promise<Scan> {
  const snapshot = await Snapshot.load(engine, table!);
  return snapshot.scan({ predicate: parsePredicate(WHERE) });
}

function bytesOf(files: readonly ScanFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Runs `planning/measure.ts` in a process of its own. */
async function measure(where: string): Promise<Measured> {
  const script = join(scratch, 'measure.mjs');
  const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  await build({
    entryPoints: [source('planning/measure.ts')],
    bundle: true,
    outfile: script,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
  });
  const module = 'delta_kernel_web.wasm';
  copyFileSync(source(`../../src/engine/wasm/${module}`), join(scratch, module));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, table!.href, where]);
  return JSON.parse(stdout) as Measured;
}
