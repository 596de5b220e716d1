/** How a pod of a zipper ends: its exit codes, and the failure codes that say why. */

/** Exit codes: 0 success; 10 to 29 permanent (the Job fails immediately); 30 to 49 transient (another attempt may help). */
export const EXIT_CODES = {
  ok: 0,
  invalidTask: 10,
  sourceFailed: 12,
  bucketRefused: 13,
  archiveLimit: 14,
  conflict: 15,
  internal: 30,
  sourceUnavailable: 31,
  storeUnavailable: 32,
  apiServerUnavailable: 33,
  notActive: 34,
  terminated: 35,
  outcomeUnknown: 36,
  superseded: 37,
  /** The pod was asked to stop, and the next one continues its upload. */
  checkpointed: 38,
} as const;
export type ExitName = keyof typeof EXIT_CODES;

/** All permanent codes, also those that no zipper of this version uses. */
export const PERMANENT_EXIT_CODES: readonly number[] = Array.from({ length: 20 }, (_, index) => 10 + index);

export function isPermanentExit(code: number): boolean {
  return PERMANENT_EXIT_CODES.includes(code);
}

/** The pod was not active, or was stopped from outside: it does not count as a failed attempt. */
export const DISRUPTION_EXIT_CODES: readonly number[] = [
  EXIT_CODES.notActive,
  EXIT_CODES.terminated,
  EXIT_CODES.checkpointed,
];

/**
 * Values of status.failure.code, each with a message and an exit code. `retriableExit` is that of a failure after which another
 * attempt may help, if that differs.
 */
export const FAILURE_CODES = {
  InvalidTask: {
    exit: 'invalidTask',
    text: 'The task or the file list is invalid, or does not match the version of the zipper.',
  },
  FileListMismatch: {
    exit: 'invalidTask',
    text: 'The file list does not match the digest or count in the ZipJob.',
  },
  SourceUnreachable: { exit: 'sourceUnavailable', text: 'A source could not be reached.' },
  SourceNotFound: {
    exit: 'sourceFailed',
    text: 'A source responded with a status that a retry does not change.',
  },
  SourceUnavailable: {
    exit: 'sourceUnavailable',
    text: 'A source stayed unavailable after all retries, or its host throttled every request.',
  },
  SourceTruncated: { exit: 'sourceUnavailable', text: 'A source ended before its declared length.' },
  SourceChanged: {
    exit: 'sourceUnavailable',
    text: 'A source changed during the download.',
  },
  SourceAccessDenied: {
    exit: 'sourceFailed',
    text: 'The credentials of a source bucket do not permit reading an object.',
  },
  SourceBucketNotFound: { exit: 'sourceFailed', text: 'A source bucket does not exist at the provider.' },
  SourceCredentialsInvalid: {
    exit: 'sourceFailed',
    text: 'The provider does not recognize the credentials of a source bucket or rejects their signature.',
  },
  SourceBucketMisconfigured: {
    exit: 'sourceFailed',
    text: 'The region, host or endpoint does not match a source bucket, or spec.sourceBuckets lacks it.',
  },
  SourceExpired: {
    exit: 'sourceFailed',
    text: 'The signature in the URL of a source, or its credentials, have expired.',
  },
  SourceStalled: { exit: 'sourceUnavailable', text: 'A source sent no data, or sent it too slowly.' },
  SourceTooLarge: { exit: 'archiveLimit', text: 'A source exceeds the maximum file size.' },
  SourceMismatch: {
    exit: 'sourceFailed',
    retriableExit: 'sourceUnavailable',
    text: 'A file differs from the size, checksum or media type that is stated for it.',
  },
  SourceInvalid: { exit: 'sourceFailed', text: 'A source responded with something other than a file.' },
  SourceProxyAuthenticationRequired: {
    exit: 'sourceUnavailable',
    text: "The proxy for sources does not accept the operator's credentials.",
  },
  SourceProxyForbidden: {
    exit: 'sourceFailed',
    text: 'The proxy for sources refused to connect to a source.',
  },
  SourceTlsError: { exit: 'sourceFailed', text: 'The certificate of a source is not valid.' },
  ArchiveTooLarge: { exit: 'archiveLimit', text: 'The archive would exceed its maximum size.' },
  BucketNotFound: { exit: 'bucketRefused', text: 'The bucket does not exist at the provider.' },
  BucketAccessDenied: { exit: 'bucketRefused', text: 'The credentials do not permit writing to the bucket.' },
  BucketCredentialsInvalid: {
    exit: 'bucketRefused',
    text: 'The provider does not recognize the credentials or rejects their signature.',
  },
  BucketMisconfigured: {
    exit: 'bucketRefused',
    text: 'The region, host, endpoint or object options do not match the bucket.',
  },
  StoreProxyAuthenticationRequired: {
    exit: 'storeUnavailable',
    text: "The proxy for stores does not accept the operator's credentials.",
  },
  StoreProxyForbidden: {
    exit: 'bucketRefused',
    text: 'The proxy for stores refused to connect to the store.',
  },
  StoreUnavailable: { exit: 'storeUnavailable', text: 'The store stayed unavailable after all retries.' },
  StoreCorrupted: { exit: 'storeUnavailable', text: 'The stored data differs from the data sent.' },
  ObjectExists: { exit: 'conflict', text: 'An object exists at the key and must not be replaced.' },
  OutcomeUnknown: {
    exit: 'outcomeUnknown',
    text: 'The store does not reveal whether the archive was published.',
  },
  Superseded: { exit: 'superseded', text: 'Another pod is the active pod of this job.' },
  NotActive: { exit: 'notActive', text: 'The pod was not activated in time.' },
  ApiServerUnavailable: {
    exit: 'apiServerUnavailable',
    text: 'The API server could not be reached in time.',
  },
  Terminated: { exit: 'terminated', text: 'The pod was asked to stop.' },
  Internal: { exit: 'internal', text: 'The zipper failed with an unexpected error. See its log.' },
} as const satisfies Record<string, { exit: ExitName; retriableExit?: ExitName; text: string }>;
export type FailureCode = keyof typeof FAILURE_CODES;
