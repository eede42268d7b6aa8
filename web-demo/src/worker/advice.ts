/** What a person can do about a failure, by its code. */
import { isDeltaError } from 'delta-kernel-web';
import type { Failure } from './protocol.ts';

const CORS = `Browsers may only read from hosts that allow this page. Add a CORS rule for this origin to the bucket or server:
AllowedOrigins: ["${globalThis.location?.origin ?? '*'}"], AllowedMethods: ["GET", "HEAD"], AllowedHeaders: ["range"], ExposeHeaders: ["Content-Range", "Content-Length", "ETag"].`;

const ADVICE: Record<string, string> = {
  TableNotFound: 'Paste the folder that holds _delta_log, not a file in it and not its parent.',
  FileNotFound: 'A file that the log names is gone: it may have been vacuumed. Try a newer version of the table.',
  Unauthorized: 'The host wants credentials. Use a signed URL, or drop the folder of the table here.',
  PermissionDenied: 'The host refuses access. Use a signed URL, make the path public, or drop the folder here.',
  IOError: CORS,
  MaxCatalogVersion: 'This table is managed by a catalog and can only be opened through it.',
  InvalidLog: 'The log is incomplete. Its first commits may have been cleaned up without a checkpoint.',
  MissingVersion: 'That version is not in the log any more. Choose another one.',
  InvalidUrl: 'Paste an http(s) URL, for example https://host/path/table.',
};

/** Any thrown value as a failure to show. */
export function toFailure(error: unknown): Failure {
  if (!isDeltaError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'Internal', message, advice: undefined };
  }
  const advice =
    error.code === 'Unsupported' && error.feature !== undefined
      ? `The table feature ${error.feature} is not supported; opening the table without it could show wrong rows.`
      : ADVICE[error.code];
  return { code: error.code, message: error.message, advice };
}
