/** What a person can do about the refusals and failures of a Unity Catalog. */
import type { DeltaError } from 'delta-kernel-web';
import { type Advice, isSilent, plain } from './advice-parts.ts';

const ADVICE: Record<string, string> = {
  TableNotFound: 'Check the name, catalog.schema.table, or browse the catalog.',
  Unauthorized:
    'The catalog does not take the token: it may be wrong or have expired. Open the table with another one.',
  PermissionDenied:
    'The catalog refuses. Whoever the token belongs to needs USE CATALOG, USE SCHEMA and SELECT, and leave to read from outside (EXTERNAL USE SCHEMA).',
  IOError: 'The catalog did not answer as it should. Try again.',
};

/** Errors of the catalog carry its own name for them, even where it gave none. */
export function isOfCatalog(error: DeltaError): boolean {
  return 'type' in error;
}

export function catalogAdvice(error: DeltaError): Advice | undefined {
  if (!isSilent(error)) return error.code in ADVICE ? plain(ADVICE[error.code]) : undefined;
  return {
    advice:
      'No answer that a page may see: the address may be wrong, or the catalog does not allow this page. Its server, or a proxy before it, must answer with these headers.',
    snippet: [
      `Access-Control-Allow-Origin: ${globalThis.location.origin}`,
      'Access-Control-Allow-Methods: GET, HEAD, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers: authorization, content-type',
    ].join('\n'),
  };
}
