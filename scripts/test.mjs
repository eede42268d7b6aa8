/**
 * `npm test`: sets up what is missing, then lint, types, the core's own tests and all others.
 *
 *   npm test                      everything; the last line is `N passed, N failed`
 *   npm test -- test/unit/log     only these tests (arguments go to vitest), without lint and types
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from './build.mjs';
import { testWasm } from './build-wasm.mjs';
import { main, root, say, tryRun } from './lib/shell.mjs';
import { setup } from './setup.mjs';

const report = join(root, 'test-results/vitest.json');

/** Each counts as one test. */
const CHECKS = [
  ['biome', 'check', '--error-on-warnings'],
  ['tsc', '-p', '.'],
  ['tsc', '-p', 'web-demo'],
];

async function test(filters) {
  setup('npm', 'wasm', 'chromium', 's3');
  await buildPackage();
  const checks = filters.length > 0 ? [] : [...CHECKS.map((command) => check(...command)), checkCore()];
  const counts = vitest(filters);
  const failed = counts.failed + checks.filter((ok) => !ok).length;
  const passed = counts.passed + checks.filter((ok) => ok).length;
  if (counts.skipped > 0)
    process.stdout.write(`${counts.skipped} skipped or expected to fail (listed above)\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function check(tool, ...args) {
  say([tool, ...args].join(' '));
  const ok = tryRun('npx', ['--no-install', tool, ...args]) === 0;
  if (!ok) say(`${tool} failed`);
  return ok;
}

function checkCore() {
  say('cargo test');
  const ok = testWasm();
  if (!ok) say('cargo test failed');
  return ok;
}

/** Counts of single tests; a run that ends without a report, or with an error outside a test, is one more failure. */
function vitest(filters) {
  say('vitest');
  rmSync(report, { force: true });
  mkdirSync(join(report, '..'), { recursive: true });
  const args = [
    '--no-install',
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const status = tryRun('npx', [...args, ...filters], { env: { AWS_EC2_METADATA_DISABLED: 'true' } });
  const result = readReport();
  const failed = result.numFailedTests + filesWithoutFailedTests(result);
  return {
    passed: result.numPassedTests,
    failed: status !== 0 && failed === 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

/** Files that failed outside a test: while loading, or in a hook. */
function filesWithoutFailedTests({ testResults }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  return failed.filter((file) => !file.assertionResults.some(({ status }) => status === 'failed')).length;
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
}

await main(import.meta.url, test);
