import { formatBytes, formatCount } from '../../format.ts';
import type { FilesSummary } from '../../worker/protocol-files.ts';

/** Sums over the live files. */
export function Totals({ summary }: { summary: FilesSummary }) {
  const { files, bytes, rows, uncounted, deletedRows, filesWithVectors, partitions, smallest, largest } =
    summary;
  return (
    <section class="facts" aria-label="Totals">
      <Fact name="Files" value={formatCount(files)} />
      <Fact name="Size" value={formatBytes(bytes)} />
      <Fact
        name="Rows"
        value={rows === null ? `unknown in ${formatCount(uncounted)} files` : formatCount(rows)}
      />
      {filesWithVectors > 0 && (
        <Fact
          name="Deleted rows"
          value={`${formatCount(deletedRows)} in ${formatCount(filesWithVectors)} ${filesWithVectors === 1 ? 'file' : 'files'}`}
        />
      )}
      {partitions > 0 && <Fact name="Partitions" value={formatCount(partitions)} />}
      <Fact name="Average file" value={formatBytes(Math.round(bytes / files))} />
      <Fact name="Smallest to largest" value={`${formatBytes(smallest)} to ${formatBytes(largest)}`} />
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <dl class="fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </dl>
  );
}
