/**
 * Decoding Parquet: ours, parquet-wasm and hyparquet on the same files, in one process, as ratios.
 *
 *   node bench/decode.mjs [rows]        after `npm run build`
 *
 * The file has twelve columns of every common kind, seeded, written once with Snappy and once with Zstandard. Each
 * reader ends with columns that a program can use: ours and parquet-wasm as apache-arrow tables, hyparquet as arrays.
 * Times are CPU time of this process, the median of the rounds; readers take turns, so that a slow machine is slow
 * for all of them.
 */
import { readFileSync } from 'node:fs';
import { Table, tableFromIPC, tableToIPC } from 'apache-arrow';
import { createEngine, init, MemoryStorageHandler } from 'delta-kernel-web';
import { parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import * as parquetWasm from 'parquet-wasm/esm';
import { sampleTable } from './sample-data.mjs';

const ROUNDS = 5;
const rows = Number(process.argv[2] ?? 1_000_000);

await init();
parquetWasm.initSync({
  module: readFileSync(new URL(import.meta.resolve('parquet-wasm/esm/parquet_wasm_bg.wasm'))),
});

const ipc = tableToIPC(sampleTable(rows), 'stream');
const COMPRESSION = { snappy: parquetWasm.Compression.SNAPPY, zstd: parquetWasm.Compression.ZSTD };

/** The sample file, written by a third party. */
async function writeSample(compression) {
  const properties = new parquetWasm.WriterPropertiesBuilder()
    .setCompression(COMPRESSION[compression])
    .build();
  const bytes = parquetWasm.writeParquet(parquetWasm.Table.fromIPCStream(ipc), properties);
  const location = new URL('memory:///bench/sample.parquet');
  const storage = new MemoryStorageHandler();
  await storage.put(location, bytes, { overwrite: true });
  const engine = createEngine({ storage });
  const file = await storage.head(location);
  const { schema } = await engine.parquetHandler.readParquetFooter(file);
  return { engine, bytes, file, schema };
}

const readers = {
  async ours({ engine, file, schema }) {
    const batches = [];
    for await (const batch of engine.parquetHandler.readParquetFiles([file], schema)) {
      batches.push(batch.recordBatch);
    }
    return new Table(batches).numRows;
  },
  'parquet-wasm': async ({ bytes }) => tableFromIPC(parquetWasm.readParquet(bytes).intoIPCStream()).numRows,
  async hyparquet({ bytes }) {
    let count = 0;
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const onChunk = ({ columnName, rowStart, rowEnd }) => {
      if (columnName === 'id') count += rowEnd - rowStart;
    };
    await parquetRead({ file, compressors, onChunk });
    return count;
  },
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

for (const compression of ['snappy', 'zstd']) {
  const sample = await writeSample(compression);
  const times = Object.fromEntries(Object.keys(readers).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, read] of Object.entries(readers)) {
      const start = process.cpuUsage();
      const count = await read(sample);
      const { user, system } = process.cpuUsage(start);
      if (count !== rows) throw new Error(`${name} read ${count} of ${rows} rows`);
      // The first round warms up.
      if (round > 0) times[name].push((user + system) / 1000);
    }
  }
  const ours = median(times.ours);
  console.log(`${compression}: ${rows} rows, ${(sample.bytes.length / 1e6).toFixed(1)} MB`);
  for (const [name, values] of Object.entries(times)) {
    const ms = median(values);
    console.log(
      `  ${name.padEnd(14)} ${ms.toFixed(0).padStart(7)} ms CPU   ${(ms / ours).toFixed(2)} × ours`,
    );
  }
}
