/** What a person can do about a failure: by its code, and by where the table is. */
import { type DeltaError, isDeltaError } from 'delta-kernel-web';
import { catalogAdvice, isOfCatalog } from './advice-catalog.ts';
import { type Advice, plain, rulesText } from './advice-parts.ts';
import { s3Advice } from './advice-s3.ts';
import type { Failure, Source } from './protocol.ts';

const FOLDER = 'or open the folder of the table here: that needs no host';

const ADVICE: Record<string, string> = {
  TableNotFound: 'Paste the folder that holds _delta_log, not a file in it and not its parent.',
  FileNotFound:
    'A file that the log names is gone: it may have been vacuumed. Try a newer version of the table.',
  Unauthorized: `The host wants credentials. Use a signed link, ${FOLDER}.`,
  PermissionDenied: `The host refuses access. Use a signed link, make the path public, ${FOLDER}.`,
  IOError: `The host did not answer as it should. Try again, ${FOLDER}.`,
  MaxCatalogVersion:
    'A catalog manages this table: it can only be opened through that catalog, at the start of this page.',
  InvalidLog: 'The log is incomplete: its first commits may have been cleaned up without a checkpoint.',
  MissingVersion: 'That version is not in the log. Go to the latest one, and choose another in the history.',
  TimestampOutOfRange: 'The table is younger than that, or its log no longer reaches back so far.',
  InvalidUrl: 'Paste a link that starts with https:// or s3://, such as https://host/path/to/table.',
  InvalidExpression: "Examples: id > 100 · city = 'NYC' AND tip IS NOT NULL · date = '2021-09-01'",
};

/** The storage's errors end in the rule that the host lacks, where a rule may be the reason. */
const CORS = /^(.*): its CORS rule must be (\{.*\})$/s;

/** A failure that is already in its final words. */
export class ExplainedError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Any thrown value as a failure to show. `source` is where the table is, as far as that is known. */
export function toFailure(error: unknown, source?: Source): Failure {
  if (error instanceof ExplainedError) return error.failure;
  if (!isDeltaError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'Internal', message, ...plain(undefined) };
  }
  const { code, message } = error;
  const [, symptom, rule] = CORS.exec(message) ?? [];
  if (symptom !== undefined && rule !== undefined) {
    return {
      code,
      message: `${symptom}.`,
      advice: `Browsers read only from hosts that allow the page. Add this CORS rule to the bucket or server, ${FOLDER}.`,
      snippet: rulesText(JSON.parse(rule)),
    };
  }
  return { code, message, ...adviceFor(error, source) };
}

function adviceFor(error: DeltaError, source: Source | undefined): Advice {
  const { code, feature } = error;
  const own = isOfCatalog(error) ? catalogAdvice(error) : s3Advice(error, source);
  if (own !== undefined) return own;
  if (source?.kind === 'unity' && code === 'InvalidUrl') {
    return plain(
      /no storage is known/.test(error.message)
        ? 'The catalog says that the table lies where no page can read it.'
        : 'A server is written https://host.',
    );
  }
  if (code === 'Unsupported' && feature === 'catalogManaged') return plain(ADVICE.MaxCatalogVersion);
  if (code === 'Unsupported' && feature !== undefined) {
    return plain(
      `The table uses the feature ${feature}, which is not supported: reading on without it could show wrong rows.`,
    );
  }
  return plain(ADVICE[code]);
}
