/** Writing Parquet in the core's memory. */
import type { RecordBatch } from 'apache-arrow';
import type { StructType } from '../../kernel/schema/types.ts';
import type { ParquetWriteOptions, ParquetWriterCore } from './core.ts';
import { importBatch } from './exchange.ts';
import type { CoreMemory } from './memory.ts';
import { schemaToWire } from './wire.ts';

export function parquetWriter(
  core: CoreMemory,
  schema: StructType,
  { compression, maxRowGroupRows }: ParquetWriteOptions,
): ParquetWriterCore {
  const wire = schemaToWire(schema, 'written');
  const handle = core.check(
    'writer_new',
    ...core.writeText(wire),
    ...core.writeText(compression),
    maxRowGroupRows,
  );
  let freed = false;
  return {
    write(batch: RecordBatch) {
      core.check('writer_write', handle, importBatch(core, batch, wire));
      return core.takeBytes();
    },
    finish() {
      core.check('writer_finish', handle);
      return core.takeBytes();
    },
    free() {
      if (!freed && !core.broken) core.call('writer_free', handle);
      freed = true;
    },
  };
}
