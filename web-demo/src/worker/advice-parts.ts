/** What the pieces of advice share. */
import type { DeltaError } from 'delta-kernel-web';
import type { Failure } from './protocol.ts';

/** What can be said beside the message. */
export type Advice = Pick<Failure, 'advice' | 'snippet'>;

export function plain(advice: string | undefined): Advice {
  return { advice, snippet: undefined };
}

/** No answer came, and scripts cannot see why. */
export function isSilent(error: DeltaError): boolean {
  return error.code === 'IOError' && error.status === undefined;
}

/** As S3's CORS configuration is written, a line per setting. */
export function rulesText(rule: Record<string, unknown>): string {
  const lines = Object.entries(rule).map(
    ([key, value]) => `    "${key}": ${JSON.stringify(value).replaceAll('","', '", "')}`,
  );
  return `[\n  {\n${lines.join(',\n')}\n  }\n]`;
}
