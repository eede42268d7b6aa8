/** Runs in the page: cases by name, for `chromium.test.ts`. */
import * as delta from 'delta-kernel-web';
import { OpfsStorageHandler } from 'delta-kernel-web/opfs';
import { type RuntimeContext, suite } from './suite.ts';

// The built package's types are a second copy of the sources' types.
const asSource = delta as unknown as RuntimeContext['delta'];

declare global {
  var runCase: (name: string, fixtures: string) => Promise<void>;
}

globalThis.runCase = async (name, fixtures) => {
  const found = suite.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no such case: ${name}`);
  const newPlace: RuntimeContext['newPlace'] = async (table) => {
    return { storage: new OpfsStorageHandler(), url: `opfs:///${table}/` };
  };
  await found.run({ delta: asSource, fixtures, newPlace });
};
