/** What a person can do about failures of S3, and of what speaks like it. */
import type { DeltaError } from 'delta-kernel-web';
import { type Advice, isSilent, plain, rulesText } from './advice-parts.ts';
import type { Source } from './protocol.ts';

type S3Source = Extract<Source, { kind: 's3' }>;

/** Undefined where S3 has no part in it, or nothing of its own to say. */
export function s3Advice(error: DeltaError, source: Source | undefined): Advice | undefined {
  if (source?.kind === 'unity' && isSilent(error)) return silent(undefined);
  if (source?.kind !== 's3') return undefined;
  if (isSilent(error)) return silent(source);
  if (/no such bucket/.test(error.message)) {
    return plain(`There is no such bucket at ${shownEndpoint(source)}. Check its name, and the endpoint.`);
  }
  switch (error.code) {
    case 'InvalidOption':
      return plain('The bucket lies in another region: open it again with its region.');
    case 'Unauthorized':
      return plain(
        'The store does not take the keys. Check both, the session token (temporary keys need theirs, and expire) and the clock of this machine.',
      );
    case 'PermissionDenied':
      return plain(
        source.keys === undefined
          ? 'The bucket is not public, or does not let everybody list it. Open it with keys (“S3 with keys” at the start of this page), or where only its files are public by their https:// address.'
          : 'The keys may not read there: they need s3:ListBucket on the bucket and s3:GetObject below the table.',
      );
    default:
      return undefined;
  }
}

function silent(source: S3Source | undefined): Advice {
  const where = source === undefined ? 'its region and endpoint' : shownEndpoint(source);
  return {
    advice:
      `No answer that a page may see. Either the bucket lacks this CORS rule, or it is not at ${where}: ` +
      'check region and endpoint. Some stores also hide a refusal so: check the keys.',
    snippet: rulesText({
      AllowedOrigins: [globalThis.location.origin],
      AllowedMethods: ['GET', 'HEAD', ...(source?.keys === undefined ? [] : ['PUT', 'DELETE'])],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['Content-Range', 'Content-Length', 'ETag', 'Last-Modified'],
    }),
  };
}

function shownEndpoint({ endpoint, region }: S3Source): string {
  return endpoint ?? `AWS, region ${region ?? 'us-east-1'}`;
}
