/**
 * `delta-kernel-web/testing`: contract suites for what others implement, as functions that need no test runner. They
 * need the WASM core: import `delta-kernel-web` as well.
 *
 * @example
 * for (const { name, isCatalog, run } of committerContract) {
 *   if (isCatalog !== false) test(name, async () => run(await harness()));
 * }
 */
export {
  type CommitterCase,
  type CommitterHarness,
  committerContract,
} from './testing/committer-contract.ts';
