/** What the facts mean: pure rules, each with its numbers and what to do. */
import type { Finding, Severity } from '../protocol-health.ts';
import { COMPACTED_FILE, type HealthFacts, SMALL_FILE } from './facts.ts';
import { checkpointFinding, logFinding, tombstonesFinding, unpublishedFinding } from './log-findings.ts';
import { bytes, count, percent } from './words.ts';

const ORDER: Readonly<Record<Severity, number>> = { problem: 0, warning: 1, note: 2, fine: 3 };
/** A partition that is so many times the middle one is skewed. */
const SKEW = 10;
/** Partitions smaller than this on average are too fine. */
const FINE_PARTITION = 16 * 2 ** 20;
const MANY_PARTITIONS = 100;

type Rule = (facts: HealthFacts) => Finding;

const RULES: readonly Rule[] = [
  smallFiles,
  skew,
  checkpointFinding,
  logFinding,
  deletionVectors,
  statistics,
  tombstonesFinding,
  unpublishedFinding,
  readers,
];

/** All of them, worst first. */
export function findingsOf(facts: HealthFacts): Finding[] {
  return RULES.map((rule) => rule(facts)).sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

function smallFiles({ files, smallFiles: small, smallBytes, partitions, bytes: all }: HealthFacts): Finding {
  const groups = partitions.length === 0 ? [{ bytes: all }] : partitions;
  const compacted = groups.reduce((sum, group) => sum + Math.ceil(group.bytes / COMPACTED_FILE), 0);
  const ratio = files / Math.max(compacted, 1);
  const severity = small < 10 || ratio < 2 ? 'fine' : ratio >= 10 && small >= 100 ? 'warning' : 'note';
  return {
    id: 'small-files',
    severity,
    title: severity === 'fine' ? 'File sizes' : 'Many small files',
    text:
      small === 0
        ? `${count(files, 'file')}, none under ${bytes(SMALL_FILE)}.`
        : `${count(small)} of ${count(files, 'file')} are under ${bytes(SMALL_FILE)}, ${bytes(smallBytes)} together. ` +
          `Files of ${bytes(COMPACTED_FILE)} would be ${count(compacted)}.`,
    advice:
      severity === 'fine'
        ? ''
        : 'Compact them (OPTIMIZE in Spark or delta-rs): every file is a request for a reader.',
    evidence: { tab: 'files', label: 'Files by size', detail: 'sizes' },
  };
}

function skew({ partitions }: HealthFacts): Finding {
  const base = {
    id: 'partitions',
    evidence: { tab: 'files', label: 'Files by partition', detail: 'partitions' },
  } as const;
  if (partitions.length < 2) {
    const text = partitions.length === 0 ? 'The table is not partitioned.' : 'The table has one partition.';
    return { ...base, severity: 'fine', title: 'Partitions', text, advice: '' };
  }
  const largest = partitions[0]!;
  const median = partitions[Math.floor(partitions.length / 2)]!.bytes;
  const average = partitions.reduce((sum, each) => sum + each.bytes, 0) / partitions.length;
  const sizes = `${count(partitions.length)} partitions of ${bytes(average)} on average`;
  if (partitions.length > MANY_PARTITIONS && average < FINE_PARTITION) {
    return {
      ...base,
      severity: 'warning',
      title: 'Partitions are too fine',
      text: `${sizes}.`,
      advice:
        'Partition by fewer or coarser values, or cluster by the column: each partition has files of its own.',
    };
  }
  const isSkewed = largest.bytes >= SKEW * Math.max(median, 1) && largest.bytes >= SMALL_FILE;
  return {
    ...base,
    severity: isSkewed ? 'note' : 'fine',
    title: isSkewed ? 'Partitions are skewed' : 'Partitions',
    text: `${sizes}; the largest, ${largest.name}, has ${bytes(largest.bytes)}, the middle one ${bytes(median)}.`,
    advice: isSkewed
      ? 'Work on the largest takes as long as all the rest: split it by a further column.'
      : '',
  };
}

function deletionVectors({ filesWithVectors, deletedRows, rows, files }: HealthFacts): Finding {
  const share = rows === null || rows === 0 ? 0 : deletedRows / rows;
  const severity = share >= 0.3 ? 'warning' : share >= 0.05 ? 'note' : 'fine';
  const of = rows === null ? '' : ` (${percent(share)} of those in the files)`;
  return {
    id: 'deletion-vectors',
    severity,
    title: severity === 'fine' ? 'Deletion vectors' : 'Many deleted rows are still in the files',
    text:
      filesWithVectors === 0
        ? 'No file has one.'
        : `${count(filesWithVectors)} of ${count(files, 'file')} have one: ${count(deletedRows)} rows${of} are read and dropped.`,
    advice: severity === 'fine' ? '' : 'Rewrite these files (REORG TABLE … APPLY (PURGE), or OPTIMIZE).',
    evidence: filesWithVectors === 0 ? undefined : { tab: 'files', label: 'Files with deletion vectors' },
  };
}

function statistics(facts: HealthFacts): Finding {
  const { unknownColumns, files, filesWithoutCounts, statsInCheckpoint } = facts;
  const filtered = unknownColumns.filter(({ isFiltered }) => isFiltered);
  const severity =
    filtered.length > 0 || !statsInCheckpoint ? 'warning' : filesWithoutCounts > 0 ? 'note' : 'fine';
  const shown = filtered.length > 0 ? filtered : unknownColumns;
  const list = shown
    .slice(0, 8)
    .map(({ name, files: missing }) => `${name} (${count(missing, 'file')})`)
    .join(', ');
  const more = shown.length > 8 ? ` and ${count(shown.length - 8)} more` : '';
  const parts = [
    filesWithoutCounts === 0
      ? ''
      : `${count(filesWithoutCounts)} of ${count(files, 'file')} do not say how many rows they have.`,
    list === ''
      ? ''
      : `${filtered.length > 0 ? 'Columns of the filter without statistics' : 'Columns without statistics'}: ${list}${more}.`,
    statsInCheckpoint ? '' : 'Checkpoints are written without statistics.',
  ].filter((part) => part !== '');
  return {
    id: 'statistics',
    severity,
    title: severity === 'fine' ? 'Statistics' : 'Statistics are missing',
    text: parts.length === 0 ? 'Every file has them for every column that can have them.' : parts.join(' '),
    advice:
      severity === 'fine'
        ? ''
        : 'Without them no file can be skipped. Recompute them, or name the columns in delta.dataSkippingStatsColumns.',
    evidence: { tab: 'files', label: 'What a filter reads' },
  };
}

function readers({ readerFeatures, minReaderVersion }: HealthFacts): Finding {
  const names = readerFeatures.join(', ');
  return {
    id: 'readers',
    severity: readerFeatures.length > 0 ? 'note' : 'fine',
    title: readerFeatures.length > 0 ? 'Readers must know these features' : 'Open to all readers',
    text:
      readerFeatures.length > 0
        ? `${names}. A reader that lacks one of them cannot open the table.`
        : `Reader version ${minReaderVersion}, no features that a reader must know.`,
    advice: readerFeatures.length > 0 ? 'Check the engines that you use before you add a feature.' : '',
    evidence: { tab: 'overview', label: 'Protocol' },
  };
}
