/** Rows as an Arrow IPC file. */

import { RecordBatchFileWriter } from 'apache-arrow';
import { toRecordBatch } from 'delta-kernel-web';
import type { Rows } from './format.ts';

export async function* arrow({ rows, none }: Rows): AsyncGenerator<Uint8Array> {
  const writer = new RecordBatchFileWriter();
  const written = writer[Symbol.asyncIterator]();
  let next = written.next();
  /** What the writer has made so far; it says nothing while it waits for more. */
  const drain = async function* () {
    for (;;) {
      const chunk = await Promise.race([next, idle()]);
      if (chunk === undefined || chunk.done) return;
      yield chunk.value;
      next = written.next();
    }
  };
  let isEmpty = true;
  for await (const batch of rows) {
    isEmpty = false;
    writer.write(toRecordBatch(batch));
    yield* drain();
  }
  if (isEmpty) writer.write(toRecordBatch(none()));
  writer.finish();
  for (let chunk = await next; !chunk.done; chunk = await written.next()) yield chunk.value;
}

function idle(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, 0, undefined));
}
