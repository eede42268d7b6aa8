import { defineConfig } from 'vitest/config';

/** Projects by what a test needs: nothing (unit, contract), the corpus, the built package, a browser. */
export default defineConfig({
  test: {
    // Two writers of the same machine's CPU at most: browsers and servers run beside the tests.
    maxWorkers: 2,
    passWithNoTests: true,
    projects: [
      project('unit', ['test/unit/**/*.test.ts'], 20_000),
      project('contract', ['test/contract/**/*.test.ts', 'test/simulation/**/*.test.ts'], 60_000),
      project('acceptance', ['test/acceptance/**/*.test.ts'], 120_000),
      project('interop', ['test/interop/**/*.test.ts', 'test/race/**/*.test.ts'], 300_000),
      project('package', ['test/package/**/*.test.ts'], 120_000),
      // Pages share two cores with servers and other tests: one more try, of which the report tells.
      project('runtime', ['test/{runtime,browser,catalog,examples}/**/*.test.ts'], 120_000, 1),
    ],
  },
});

function project(name: string, include: string[], timeout: number, retry = 0) {
  return {
    test: { name, include, environment: 'node', testTimeout: timeout, hookTimeout: timeout, retry },
  };
}
