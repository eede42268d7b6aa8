/** Findings about the log. */
import type { Finding } from '../protocol-health.ts';
import type { HealthFacts } from './facts.ts';
import { bytes, count } from './words.ts';

/** A commit of a catalog's table should be published soon after. */
const MANY_UNPUBLISHED = 20;
/** Bytes of JSON that every reader parses again. */
const LONG_TAIL = 16 * 2 ** 20;
/** Hours. */
const SHORT_RETENTION = 24;

export function checkpointFinding({ log }: HealthFacts): Finding {
  const { checkpointVersion, commitsAfter, checkpointInterval, version } = log;
  const severity =
    commitsAfter > 10 * checkpointInterval
      ? 'problem'
      : commitsAfter > 2 * checkpointInterval
        ? 'warning'
        : 'fine';
  const title =
    severity === 'fine'
      ? 'Checkpoint'
      : checkpointVersion === undefined
        ? 'No checkpoint'
        : 'The checkpoint is old';
  return {
    id: 'checkpoint',
    severity,
    title,
    text:
      checkpointVersion === undefined
        ? `None at version ${version}: ${count(commitsAfter, 'commit')} must be read to open the table.`
        : `At version ${checkpointVersion}, ${count(commitsAfter, 'commit')} before this one. One is due every ${count(checkpointInterval)}.`,
    advice:
      severity === 'fine'
        ? ''
        : 'Write a checkpoint: opening the table then reads it and the commits after it alone.',
    evidence:
      severity === 'fine'
        ? { tab: 'history', label: 'Commits' }
        : { tab: 'write', label: 'Write a checkpoint' },
  };
}

export function logFinding({ log }: HealthFacts): Finding {
  const isLong = log.bytesAfter > LONG_TAIL;
  const checksum = log.hasChecksum ? 'has a checksum' : 'has no checksum';
  return {
    id: 'log-tail',
    severity: isLong ? 'warning' : 'fine',
    title: isLong ? 'The end of the log is long' : 'End of the log',
    text: `${bytes(log.bytesAfter)} of commits after the checkpoint; this version ${checksum}.`,
    advice: isLong ? 'Write a checkpoint, or lower delta.checkpointInterval.' : '',
    evidence: { tab: 'history', label: 'Commits' },
  };
}

export function tombstonesFinding({ tombstones, files, fileRetention }: HealthFacts): Finding {
  const { count: removed, expired, sizeInBytes } = tombstones;
  const isShort = fileRetention < SHORT_RETENTION;
  const severity = isShort ? 'warning' : removed > Math.max(files, 100) ? 'note' : 'fine';
  const size = sizeInBytes === 0 ? '' : `, ${bytes(sizeInBytes)} that only older versions need`;
  return {
    id: 'tombstones',
    severity,
    title: isShort
      ? 'Removed files are kept for a short time'
      : removed > 0
        ? 'Removed files'
        : 'No removed files',
    text:
      `The log remembers ${count(removed, 'removed file')}${size}; ${count(expired)} are past their retention ` +
      `of ${count(fileRetention, 'hour')}.`,
    advice: isShort
      ? 'Readers of older versions and slow writers may lose files: raise delta.deletedFileRetentionDuration.'
      : severity === 'note'
        ? 'Vacuum the table to give their space back.'
        : '',
    evidence: { tab: 'history', label: 'Commits' },
  };
}

export function unpublishedFinding({ log }: HealthFacts): Finding {
  const { unpublished } = log;
  const severity = unpublished > MANY_UNPUBLISHED ? 'warning' : unpublished > 0 ? 'note' : 'fine';
  return {
    id: 'unpublished',
    severity,
    title: unpublished > 0 ? 'Commits are not published' : 'All commits are published',
    text:
      unpublished > 0
        ? `${count(unpublished, 'commit')} of the catalog are not in the log yet: readers without the catalog do not see them.`
        : 'Every commit is in the log.',
    advice:
      unpublished > 0
        ? 'Publish them: catalogs bound their number, and checkpoints need published versions.'
        : '',
    evidence: unpublished > 0 ? { tab: 'write', label: 'Publish' } : undefined,
  };
}
