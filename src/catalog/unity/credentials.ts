/** Vended credentials: which one is for a table, and renewing it before it expires. */
import { DeltaError, shownUrl } from '../../errors.ts';
import type { StorageCredential } from './client.ts';

export interface VendedCredentialsOptions {
  /** Milliseconds since the Unix epoch; the machine's by default. */
  readonly now?: (() => number) | undefined;
}

/** Renewed this long before it expires, or, where it is given for less, after four fifths of its time. */
const MARGIN_MS = 5 * 60_000;
/** The server is not asked more often than this, however soon its credentials expire. */
const MIN_INTERVAL_MS = 1000;

interface Held {
  readonly credential: StorageCredential;
  readonly asked: number;
  readonly renewAt: number;
}

export class VendedCredentials {
  readonly #vend: () => Promise<readonly StorageCredential[]>;
  readonly #location: URL;
  readonly #now: () => number;
  #held: Held | undefined;
  #asking: Promise<Held> | undefined;

  /** @param vend asks the server; called by one reader at a time. */
  constructor(
    vend: () => Promise<readonly StorageCredential[]>,
    location: URL,
    { now = Date.now }: VendedCredentialsOptions = {},
  ) {
    this.#vend = vend;
    this.#location = location;
    this.#now = now;
  }

  /** The credential for the table's location, asked for again when its time is nearly over. */
  async current(): Promise<StorageCredential> {
    const held = this.#held;
    const now = this.#now();
    if (held === undefined) return (await this.#ask()).credential;
    if (now < held.renewAt) return held.credential;
    try {
      return (await this.#ask()).credential;
    } catch (error) {
      // What is held is good for a while yet; the next request asks again.
      if (now < (held.credential.expirationTime ?? 0)) return held.credential;
      throw error;
    }
  }

  /** A new one, since the storage refused the one in use; the same where it was asked for only just now. */
  async renewed(): Promise<StorageCredential> {
    const held = this.#held;
    if (held !== undefined && this.#now() < held.asked + MIN_INTERVAL_MS) return held.credential;
    return (await this.#ask()).credential;
  }

  #ask(): Promise<Held> {
    this.#asking ??= this.#request().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #request(): Promise<Held> {
    const asked = this.#now();
    const credential = longestMatch(await this.#vend(), this.#location);
    const { expirationTime } = credential;
    const lifetime = (expirationTime ?? Number.POSITIVE_INFINITY) - asked;
    const margin = Math.min(MARGIN_MS, Math.max(lifetime, 0) / 5);
    const renewAt = Math.max(asked + lifetime - margin, asked + MIN_INTERVAL_MS);
    this.#held = { credential, asked, renewAt };
    return this.#held;
  }
}

/** The credential with the longest prefix that the location lies under. Throws `CatalogError` where there is none. */
export function longestMatch(credentials: readonly StorageCredential[], location: URL): StorageCredential {
  const matching = credentials
    .filter(({ prefix }) => location.href.startsWith(directoryUrl(prefix)))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  if (matching[0] !== undefined) return matching[0];
  throw new DeltaError('CatalogError', `the catalog gave no credential for ${shownUrl(location)}`);
}

function directoryUrl(prefix: string): string {
  const directory = prefix.endsWith('/') ? prefix : `${prefix}/`;
  return URL.canParse(directory) ? new URL(directory).href : directory;
}

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Throws `CatalogError` where the keys are missing. */
export function s3KeysOf({ config, prefix }: StorageCredential): S3Keys {
  const accessKeyId = config['s3.access-key-id'];
  const secretAccessKey = config['s3.secret-access-key'];
  const sessionToken = config['s3.session-token'];
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  }
  throw new DeltaError('CatalogError', `the catalog's credential for ${prefix} has no keys of S3`);
}

const CLOUDS: Readonly<Record<string, string>> = {
  'abfs:': 'Azure storage',
  'abfss:': 'Azure storage',
  'wasb:': 'Azure storage',
  'wasbs:': 'Azure storage',
  'gs:': 'Google Cloud Storage',
};

/** Throws `Unsupported` for tables in clouds whose storage this package does not have. */
export function checkCloud(location: URL): void {
  const cloud = CLOUDS[location.protocol];
  if (cloud === undefined) return;
  throw new DeltaError(
    'Unsupported',
    `${shownUrl(location)} lies in ${cloud}, which is not supported: pass a storage of your own for it`,
    { table: shownUrl(location) },
  );
}
