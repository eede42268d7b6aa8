/** A writer in a page. */
import { runWriter } from './writer.ts';

declare global {
  var raceWriter: typeof runWriter;
}

globalThis.raceWriter = runWriter;
