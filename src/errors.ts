/**
 * The one error type of this package.
 *
 * Every failure that input from outside can cause (a table, a URL, an option, a server's answer) is a
 * {@link DeltaError} with a string `code`. Only `IOError` may be retried as is. A `TypeError` means that the
 * caller broke the API's types; any other `Error` is a bug.
 */

/** The kinds of failure that callers can tell apart. */
export type DeltaErrorCode =
  | 'FileNotFound'
  | 'FileAlreadyExists'
  /** A transient storage or network failure: the only code that is retryable. */
  | 'IOError'
  | 'Unauthorized'
  | 'PermissionDenied'
  | 'TableNotFound'
  | 'MissingVersion'
  | 'MissingProtocol'
  | 'MissingMetadata'
  | 'MissingMetadataAndProtocol'
  | 'InvalidProtocol'
  | 'Unsupported'
  | 'InvalidCheckpoint'
  | 'InvalidLogPath'
  | 'InvalidPath'
  | 'InvalidUrl'
  /** The log is gapped, cut off, or holds a commit that the protocol forbids. */
  | 'InvalidLog'
  | 'MalformedJson'
  | 'Parquet'
  | 'Schema'
  | 'ParseError'
  | 'InvalidExpression'
  | 'InvalidPartitionValues'
  | 'InvalidSelectionVector'
  | 'InvalidOption'
  | 'DeletionVector'
  | 'StatsValidation'
  | 'MaxCatalogVersion'
  | 'LogTailVersionsNotContiguous'
  | 'InvalidTransactionState'
  | 'ChecksumWriteUnsupported'
  | 'CheckpointWrite'
  | 'ChangeDataFeedUnsupported'
  | 'ChangeDataFeedIncompatibleSchema'
  | 'TimestampOutOfRange'
  | 'InvalidTimestampRange'
  | 'EmptyTimestampRange'
  | 'NoRecreatableCommit'
  | 'MissingData'
  | 'Cancelled'
  | 'OutOfMemory'
  | 'ConcurrentAppend'
  | 'ConcurrentDeleteRead'
  | 'ConcurrentDeleteDelete'
  | 'MetadataChanged'
  | 'ProtocolChanged'
  | 'ConcurrentTransaction'
  | 'ConcurrentDomainMetadata'
  | 'ConstraintViolation'
  | 'CommitterMismatch'
  | 'TooManyUnpublishedCommits'
  | 'CatalogError'
  | 'Generic'
  | 'Internal';

/** Where an error happened. Values are shown to people: never put a secret (a query string, a key) in them. */
export interface DeltaErrorContext {
  /** Table root, without query and credentials. */
  table?: string;
  version?: number;
  /** File, relative to the table root where it lies under it. */
  path?: string;
  /** 1-based line of an NDJSON file. */
  line?: number;
  column?: string;
  /** Table feature, in the protocol's spelling. */
  feature?: string;
  /** HTTP status, where a server answered. */
  status?: number;
  cause?: unknown;
}

/** A failure with a stable `code` and the place where it happened. */
export class DeltaError extends Error {
  override readonly name = 'DeltaError';
  readonly code: DeltaErrorCode;
  readonly table?: string;
  readonly version?: number;
  readonly path?: string;
  readonly line?: number;
  readonly column?: string;
  readonly feature?: string;
  readonly status?: number;

  constructor(code: DeltaErrorCode, message: string, context: DeltaErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    const { cause: _cause, ...place } = context;
    Object.assign(this, place);
  }

  /** Whether the same operation may succeed when it is repeated unchanged. */
  get retryable(): boolean {
    return this.code === 'IOError';
  }
}

/**
 * Whether `error` is a {@link DeltaError}, with one of `codes` where any are given.
 * Recognises errors of another copy of this package (by name and code), so it is safe across bundles and realms.
 */
export function isDeltaError(error: unknown, ...codes: DeltaErrorCode[]): error is DeltaError {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name !== 'DeltaError' || typeof code !== 'string') return false;
  return codes.length === 0 || codes.includes(code as DeltaErrorCode);
}

/** The same error with more of its place filled in; fields that are already known stay. */
export function withContext(error: unknown, context: DeltaErrorContext): unknown {
  if (!isDeltaError(error)) return error;
  const { cause, ...place } = context;
  for (const [key, value] of Object.entries(place)) {
    const fields = error as unknown as Record<string, unknown>;
    if (fields[key] === undefined && value !== undefined) fields[key] = value;
  }
  if (error.cause === undefined && cause !== undefined) error.cause = cause;
  return error;
}

/** A URL as errors may show it: without query, fragment and credentials, any of which may be a secret. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
