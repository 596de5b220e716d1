/** Every reason why a job ends without an archive. */
import type { Reason } from './conditions.ts';
import type { FailureCode } from './exit-codes.ts';

/**
 * Who can correct the cause of a failure. `caller`: the request, its sources, the bucket or its credentials. `operator`: zipjobs,
 * its cluster or the store. `none`: the end was requested, or follows from a restored backup.
 */
export type Fault = 'caller' | 'operator' | 'none';

const CODE_FAULTS = {
  InvalidTask: 'operator',
  FileListMismatch: 'operator',
  SourceUnreachable: 'caller',
  SourceNotFound: 'caller',
  SourceUnavailable: 'caller',
  SourceTruncated: 'caller',
  SourceChanged: 'caller',
  SourceAccessDenied: 'caller',
  SourceBucketNotFound: 'caller',
  SourceCredentialsInvalid: 'caller',
  SourceBucketMisconfigured: 'caller',
  SourceExpired: 'caller',
  SourceStalled: 'caller',
  SourceTooLarge: 'caller',
  SourceMismatch: 'caller',
  SourceInvalid: 'caller',
  SourceProxyAuthenticationRequired: 'operator',
  SourceProxyForbidden: 'caller',
  SourceTlsError: 'caller',
  ArchiveTooLarge: 'caller',
  BucketNotFound: 'caller',
  BucketAccessDenied: 'caller',
  BucketCredentialsInvalid: 'caller',
  BucketMisconfigured: 'caller',
  StoreProxyAuthenticationRequired: 'operator',
  StoreProxyForbidden: 'operator',
  StoreUnavailable: 'operator',
  StoreCorrupted: 'operator',
  ObjectExists: 'caller',
  OutcomeUnknown: 'operator',
  Superseded: 'operator',
  NotActive: 'operator',
  ApiServerUnavailable: 'operator',
  Terminated: 'operator',
  Internal: 'operator',
} as const satisfies Readonly<Record<FailureCode, Fault>>;

/** Reasons that the controller reports, not the zipper. */
export const REASON_FAULTS = {
  BucketTerminating: 'caller',
  BucketDeleted: 'caller',
  SourceBucketNotReadable: 'caller',
  SourceBucketDeleted: 'caller',
  ProjectNotFound: 'caller',
  InvalidFileList: 'caller',
  InvalidMetadata: 'caller',
  NameConflict: 'caller',
  JobDeleted: 'operator',
  StartDeadlineExceeded: 'operator',
  DeadlineExceeded: 'operator',
  BackoffLimitExceeded: 'operator',
  OutOfMemory: 'operator',
  TooManyDisruptions: 'operator',
  ResultMissing: 'operator',
  ResultInvalid: 'operator',
  Cancelled: 'none',
  Deleted: 'none',
  Restored: 'none',
} as const satisfies Readonly<Partial<Record<Reason, Fault>>>;

/** By the reason in the status of a failed job. */
export const FAILURE_FAULTS: ReadonlyMap<string, Fault> = new Map<string, Fault>(
  Object.entries({ ...CODE_FAULTS, ...REASON_FAULTS }),
);

/** A reason that is not in the table counts as the operator's, so that it is noticed. */
export function faultOf(reason: string): Fault {
  return FAILURE_FAULTS.get(reason) ?? 'operator';
}

interface Ended {
  readonly phase?: string | null;
  readonly reason?: string | null;
  readonly failure?: { readonly code: string } | null;
}

/**
 * The reason why a job ended without an archive; null for any other job. The controller's verdict counts before the failure
 * that a zipper reported last, because it also knows of deadlines and lost pods.
 */
export function failureReasonOf({ phase, reason = null, failure }: Ended): string | null {
  if (phase !== 'Failed' && phase !== 'Cancelled') return null;
  if (reason !== null && FAILURE_FAULTS.has(reason)) return reason;
  return failure?.code ?? reason;
}
