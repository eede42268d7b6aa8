/** What a person can do about a failure, by its code. */
import { type DeltaError, isDeltaError } from 'delta-kernel-web';
import type { Failure } from './protocol.ts';

const FOLDER = 'or open the folder of the table here: that needs no host';

const ADVICE: Record<string, string> = {
  TableNotFound: 'Paste the folder that holds _delta_log, not a file in it and not its parent.',
  FileNotFound:
    'A file that the log names is gone: it may have been vacuumed. Try a newer version of the table.',
  Unauthorized: `The host wants credentials. Use a signed link, ${FOLDER}.`,
  PermissionDenied: `The host refuses access. Use a signed link, make the path public, ${FOLDER}.`,
  IOError: `The host did not answer as it should. Try again, ${FOLDER}.`,
  MaxCatalogVersion: 'A catalog manages this table, and it can only be opened through that catalog.',
  InvalidLog: 'The log is incomplete: its first commits may have been cleaned up without a checkpoint.',
  MissingVersion: 'That version is not in the log. Go to the latest one, and choose another in the history.',
  InvalidUrl: 'Paste a link that starts with https://, such as https://host/path/to/table.',
  InvalidExpression: "Examples: id > 100 · city = 'NYC' AND tip IS NOT NULL · date = '2021-09-01'",
};

/** The storage's errors end in the rule that the host lacks, where a rule may be the reason. */
const CORS = /^(.*): its CORS rule must be (\{.*\})$/s;

/** Any thrown value as a failure to show. */
export function toFailure(error: unknown): Failure {
  if (!isDeltaError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'Internal', message, advice: undefined, snippet: undefined };
  }
  const { code, message } = error;
  const [, symptom, rule] = CORS.exec(message) ?? [];
  if (symptom === undefined || rule === undefined) {
    return { code, message, advice: adviceFor(error), snippet: undefined };
  }
  return {
    code,
    message: `${symptom}.`,
    advice: `Browsers read only from hosts that allow the page. Add this CORS rule to the bucket or server, ${FOLDER}.`,
    snippet: rulesText(JSON.parse(rule)),
  };
}

/** As S3's CORS configuration is written, a line per setting. */
function rulesText(rule: Record<string, unknown>): string {
  const lines = Object.entries(rule).map(
    ([key, value]) => `    "${key}": ${JSON.stringify(value).replaceAll('","', '", "')}`,
  );
  return `[\n  {\n${lines.join(',\n')}\n  }\n]`;
}

function adviceFor({ code, feature }: DeltaError): string | undefined {
  if (code === 'Unsupported' && feature === 'catalogManaged') return ADVICE.MaxCatalogVersion;
  if (code === 'Unsupported' && feature !== undefined) {
    return `The table uses the feature ${feature}, which is not supported: reading on without it could show wrong rows.`;
  }
  return ADVICE[code];
}
