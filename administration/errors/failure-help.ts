import type { FailureCode } from '#crds/exit-codes.ts';
import type { REASON_FAULTS } from '#crds/job-failures.ts';

/** Every reason with which a job ends without an archive. */
type FailureReason = FailureCode | keyof typeof REASON_FAULTS;

/**
 * Whether a rerun, which sends the same request again, can succeed. `now`: as it is. `after-remedy`: once the cause is fixed.
 * `never`: the request itself is the cause.
 */
export type Retry = 'now' | 'after-remedy' | 'never';

export interface FailureHelp {
  /** What happened, in plain words. Never reveals why an address was refused. */
  readonly words: string;
  /** The next step. */
  readonly remedy: string;
  readonly retry: Retry;
}

function now(words: string, remedy: string): FailureHelp {
  return { words, remedy, retry: 'now' };
}

function afterRemedy(words: string, remedy: string): FailureHelp {
  return {
    words,
    remedy,
    retry: 'after-remedy',
  };
}

function never(words: string, remedy: string): FailureHelp {
  return { words, remedy, retry: 'never' };
}

const OTHER_BUCKET =
  'Send the request with another bucket. Or add the bucket to the project again, then run the job again.';
const CHECK_BUCKET = 'Check the bucket for the archive. If it is missing, run the job again.';

const SOURCES = {
  SourceUnreachable: now(
    'zipjobs could not connect to a source.',
    'Check that the URL is reachable from the public internet. For a source at a private address, ask your administrator to set egress.allowCidrs.',
  ),
  SourceNotFound: afterRemedy(
    'A source does not have the file, or refused to send it.',
    'Open the URL to see what it returns, or check that the bucket has an object with this key. Correct the URL, and send the request again.',
  ),
  SourceUnavailable: now(
    'A source kept responding with errors, such as 503 or 429.',
    'Wait until the source has recovered, then run the job again.',
  ),
  SourceTruncated: now(
    'A source closed the connection before it had sent the whole file.',
    'Run the job again. If it fails again, check the time limits of the source.',
  ),
  SourceChanged: now(
    'A file changed at its source while it was downloaded.',
    'Run the job again when the file no longer changes.',
  ),
  SourceAccessDenied: afterRemedy(
    'The credentials of a source bucket do not permit reading a file.',
    'Allow s3:GetObject on the object for the credentials of the bucket that the message names, then run the job again. If the object does not exist, correct its key: without s3:ListBucket, a store refuses both in the same way.',
  ),
  SourceBucketNotFound: afterRemedy(
    'A source bucket does not exist, in the project or at its provider.',
    'Add the bucket that the message names, or correct the URL of the file and send the request again.',
  ),
  SourceCredentialsInvalid: afterRemedy(
    'The provider does not accept the credentials of a source bucket.',
    'Replace the credentials of the bucket that the message names, then run the job again.',
  ),
  SourceBucketMisconfigured: afterRemedy(
    'The settings of a source bucket do not match the bucket.',
    'Correct the region, host or endpoint of the bucket that the message names, then run the job again. If it names spec.sourceBuckets, create a new job that lists the bucket.',
  ),
  SourceExpired: never(
    'The signed URL of a file has expired, or the credentials that signed it.',
    'Sign the URLs again, with an expiry and credentials that cover the time in the queue, and send the request again.',
  ),
  SourceStalled: now(
    'A source sent no data, or sent it too slowly.',
    'Check the speed of the source, then run the job again.',
  ),
  SourceTooLarge: afterRemedy(
    'A file is larger than the maximum file size.',
    'Remove the file from the request, or ask your administrator to raise the limit.',
  ),
  SourceMismatch: afterRemedy(
    'A file differs from the size, checksum or media type that the request states for it.',
    'The message says what differs. Correct the URL or the stated value, then send the request again.',
  ),
  SourceInvalid: afterRemedy(
    'A source responded with something other than a file.',
    'The message says what is wrong with the response. Correct the URL or the source, then send the request again.',
  ),
  SourceProxyAuthenticationRequired: afterRemedy(
    'The proxy for sources rejects the credentials of zipjobs.',
    'Ask your administrator to correct proxy.sources.credentialSecretRef. Then run the job again.',
  ),
  SourceProxyForbidden: afterRemedy(
    'The proxy for sources does not allow connections to a source.',
    'Ask your administrator to allow the host of the URL in the proxy for sources. Then run the job again.',
  ),
  SourceTlsError: afterRemedy(
    'The TLS certificate of a source is not valid.',
    'Renew the certificate of the source, or use another URL.',
  ),
};

const STORES = {
  ArchiveTooLarge: afterRemedy(
    'The archive would be larger than its maximum size.',
    'Split the request into several archives, or ask your administrator to raise the limit.',
  ),
  BucketNotFound: afterRemedy(
    'The bucket does not exist at the provider, or is not in the project.',
    'Create the bucket at the provider, or add the bucket again under its correct name.',
  ),
  BucketAccessDenied: afterRemedy(
    'The credentials of the bucket are not allowed to write to it.',
    'Grant the credentials write access to the bucket at the provider, or set other credentials. Then test the bucket.',
  ),
  BucketCredentialsInvalid: afterRemedy(
    'The storage provider rejects the credentials of the bucket.',
    'Set valid credentials for the bucket, or correct the trust policy of its role. Then test the bucket.',
  ),
  BucketMisconfigured: afterRemedy(
    'The settings of the bucket do not match the storage provider.',
    'Correct region, host and endpoint in the settings of the bucket, in the dashboard or in its ZipBucket. If the message names an option of objectOptions, change it in the bucket, in jobDefaults of the project or in the request. For your own S3-compatible store, ask your administrator to set store.allowedHosts, and if needed store.allowHttp (plain HTTP) or store.allowCidrs (private addresses). A store with the address of the API server needs its port in store.allowedHosts.',
  ),
  StoreProxyAuthenticationRequired: afterRemedy(
    'The proxy for stores rejects the credentials of zipjobs.',
    'Ask your administrator to correct proxy.stores.credentialSecretRef. Then run the job again.',
  ),
  StoreProxyForbidden: afterRemedy(
    'The proxy for stores does not allow connections to the storage provider.',
    'Ask your administrator to allow the host of the store in the proxy for stores. Then run the job again.',
  ),
  StoreUnavailable: now(
    'The storage provider did not respond, or kept responding with errors.',
    'Check that the store is running and reachable. Then run the job again.',
  ),
  StoreCorrupted: now(
    'The storage provider stored different data than zipjobs sent.',
    'Do not use the object at the key: delete it if it exists. Then run the job again.',
  ),
  ObjectExists: afterRemedy(
    'The bucket already has an object with this key, and the job must not replace it.',
    'Send the request with another key. Or delete the existing object, then run the job again.',
  ),
  OutcomeUnknown: now(
    'The upload was interrupted at its end, and zipjobs could not check whether the archive exists. The message says why.',
    CHECK_BUCKET,
  ),
  BucketTerminating: afterRemedy('The bucket is being removed from the project.', OTHER_BUCKET),
  BucketDeleted: afterRemedy(
    'The bucket was removed from the project before the job finished.',
    OTHER_BUCKET,
  ),
  SourceBucketNotReadable: afterRemedy(
    'Jobs may not read files from a source bucket.',
    'Ask an admin of the project to make the bucket that the message names readable, then run the job again.',
  ),
  SourceBucketDeleted: afterRemedy(
    'A source bucket was removed from the project before the job finished.',
    'Add the bucket again and make it readable, then run the job again. Or send the request again with other URLs.',
  ),
};

const REQUESTS = {
  InvalidTask: afterRemedy(
    'zipjobs cannot run the job. The message says why.',
    'If the message names an option, change it in the project or in the request. Otherwise ask your administrator to compare the versions of controller and zipper.',
  ),
  FileListMismatch: never(
    'The stored file list of the job is damaged.',
    'Send the request again, and report the damaged list to your administrator.',
  ),
  InvalidFileList: never('The job has no valid file list.', 'Send the request again.'),
  InvalidMetadata: never(
    'The metadata of the job is not a JSON object.',
    'Send the request again with a JSON object as metadata.',
  ),
  ProjectNotFound: afterRemedy(
    'The namespace has no project.',
    'Create the project, then run the job again.',
  ),
  NameConflict: now(
    'Another Kubernetes Job already has the name of this job.',
    'Run the job again: the new job gets another name.',
  ),
};

const PODS = {
  Superseded: now('Another pod replaced the pod of this job.', 'Run the job again.'),
  NotActive: now(
    'The controller did not activate the pod of the job in time.',
    'Run the job again. If it fails again, ask your administrator to check the controller.',
  ),
  ApiServerUnavailable: now(
    'The zipper could not reach the Kubernetes API server.',
    'Run the job again. If it fails again, ask your administrator to check the network policies of the namespace.',
  ),
  Terminated: now('The zipper was stopped while the job was running.', 'Run the job again.'),
  Internal: now(
    'The zipper failed with an unexpected error.',
    'Read the logs, then run the job again. If it fails again, report it to your administrator.',
  ),
  JobDeleted: now('The Kubernetes Job of this job was deleted while it was running.', 'Run the job again.'),
  StartDeadlineExceeded: now(
    'No zipper could start before the deadline.',
    'The message says what the job waited for, such as a free node or a quota. Resolve that, then run the job again.',
  ),
  DeadlineExceeded: now(
    'The job did not finish within its time limit.',
    'Run the job again if a source or the store was slow. Otherwise split the request into several archives.',
  ),
  BackoffLimitExceeded: now(
    'All attempts of the job failed.',
    'Check why the attempts failed, then run the job again.',
  ),
  OutOfMemory: afterRemedy(
    'The zipper ran out of memory twice.',
    'Ask your administrator to raise the memory limit of zippers. Then run the job again.',
  ),
  TooManyDisruptions: now(
    'The cluster interrupted the job too often, for example by draining its nodes.',
    'Run the job again when the nodes are stable.',
  ),
  ResultMissing: now(
    'The zipper ended without a result, and the bucket does not contain the archive.',
    'Run the job again. If it fails again, report it to your administrator.',
  ),
  ResultInvalid: afterRemedy(
    'The result of the zipper does not match the request.',
    'Do not use the archive. Report it to your administrator.',
  ),
};

const ENDS = {
  Cancelled: now('The job was cancelled.', 'Run the job again if you still need the archive.'),
  Deleted: never(
    'The job, its project or its namespace was deleted before the job finished.',
    'Send the request again if you still need the archive.',
  ),
  Restored: now(
    'The job was restored from a backup, so it did not run again and its archive may exist.',
    CHECK_BUCKET,
  ),
};

const HELP: Readonly<Record<FailureReason, FailureHelp>> = {
  ...SOURCES,
  ...STORES,
  ...REQUESTS,
  ...PODS,
  ...ENDS,
};
const HELP_BY_REASON: ReadonlyMap<string, FailureHelp> = new Map(Object.entries(HELP));

/** Undefined for anything but the reason of a failure. */
export function failureHelp(reason: string): FailureHelp | undefined {
  return HELP_BY_REASON.get(reason);
}

/** The next step; null for anything but the reason of a failure. */
export function remedyFor(reason: string): string | null {
  return failureHelp(reason)?.remedy ?? null;
}
