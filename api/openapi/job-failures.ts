import { FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { REASON_FAULTS } from '#crds/job-failures.ts';

type JobFailureCode = FailureCode | keyof typeof REASON_FAULTS;

const REPORT = 'Report it to the operator of the service with the id of the job.';
const AGAIN = `If it happens again, report it to the operator of the service with the id of the job.`;

/** Whether it helps to send the same request again, at once or after somebody has corrected the cause. */
export type RetryHelps = 'yes' | 'after a fix' | 'no';

function failure(retryHelps: RetryHelps, text: string) {
  return { retryHelps, text };
}

/** What a failure means for the caller, and what the caller can do. `yes` is a failure with `error.retriable`. */
const FAILURES = {
  InvalidTask: failure(
    'after a fix',
    `The service cannot run the job, for example because the store does not support an object option of your project. The message says why. ${REPORT}`,
  ),
  FileListMismatch: failure(
    'after a fix',
    `The stored list of files is damaged. ${REPORT} Then send a new request.`,
  ),
  SourceUnreachable: failure(
    'yes',
    'A source could not be reached: its name does not resolve, its address is not public, or it accepts no connection. Check its URL.',
  ),
  SourceNotFound: failure(
    'after a fix',
    'A source responded with a status such as 404 or 403, which a retry does not change. Correct its URL.',
  ),
  SourceUnavailable: failure(
    'yes',
    'A source responded with errors such as 500 or 502 until all retries were used, or its host throttled every request for ten minutes, for example with 429.',
  ),
  SourceTruncated: failure('yes', 'The download of a file ended early, even after retries.'),
  SourceChanged: failure('yes', 'A source changed while it was downloaded.'),
  SourceAccessDenied: failure(
    'after a fix',
    'The credentials of a source bucket do not permit reading an object. Without permission to list the bucket, this is also the response for an object that does not exist. Correct the URL, or allow the credentials to read it.',
  ),
  SourceBucketNotFound: failure(
    'after a fix',
    'The bucket of a source does not exist, in the project or at its provider. Correct the URL, or add the bucket.',
  ),
  SourceCredentialsInvalid: failure(
    'after a fix',
    'The provider does not accept the credentials of a source bucket. Replace them.',
  ),
  SourceBucketMisconfigured: failure(
    'after a fix',
    'The region, host or endpoint of a source bucket is wrong. Correct the settings of the bucket.',
  ),
  SourceExpired: failure(
    'after a fix',
    'The signature in the URL of a source, or its temporary credentials, have expired. Send a new request with freshly signed URLs.',
  ),
  SourceStalled: failure('yes', 'A source sent no data for too long, or too slowly.'),
  SourceTooLarge: failure(
    'after a fix',
    'A file is larger than the maximum size of a file. Remove it from the request.',
  ),
  SourceMismatch: failure(
    'after a fix',
    `A file differs from the size, checksum or media type that its entry states. Correct its URL or the stated value. If \`error.retriable\` is true, another download may match.`,
  ),
  SourceInvalid: failure(
    'after a fix',
    'A source responded with something other than a file, such as a malformed response, a sign-in page or too many redirects. Correct its URL.',
  ),
  SourceProxyAuthenticationRequired: failure(
    'yes',
    `The proxy of the service refused the connection to a source. ${AGAIN}`,
  ),
  SourceProxyForbidden: failure(
    'after a fix',
    'The proxy of the service forbids connections to the host of a source. Ask the operator of the service to allow the host.',
  ),
  SourceTlsError: failure(
    'after a fix',
    'The TLS certificate of a source is not valid. Correct the certificate at the source.',
  ),
  ArchiveTooLarge: failure(
    'after a fix',
    'The archive would be larger than its maximum size. Split the files into several archives.',
  ),
  BucketNotFound: failure(
    'after a fix',
    'The bucket does not exist at the storage provider, or was removed from the project. Create it, or correct its name in the project.',
  ),
  BucketAccessDenied: failure(
    'after a fix',
    'The credentials of the bucket do not permit writing the archive. Grant the permission.',
  ),
  BucketCredentialsInvalid: failure(
    'after a fix',
    'The storage provider refuses the credentials of the bucket. Update them in the project.',
  ),
  BucketMisconfigured: failure(
    'after a fix',
    'The region, host or endpoint of the bucket is wrong, or its store does not support an option of the object. Correct it in the project.',
  ),
  StoreProxyAuthenticationRequired: failure(
    'yes',
    `The proxy of the service refused the connection to the storage provider. ${AGAIN}`,
  ),
  StoreProxyForbidden: failure(
    'after a fix',
    `The proxy of the service forbids connections to the storage provider. ${REPORT}`,
  ),
  StoreUnavailable: failure('yes', 'The storage provider stayed unavailable during all retries.'),
  StoreCorrupted: failure(
    'yes',
    'The stored object differs from what was sent. Do not use an object at the key: it is wrong if the service could not delete it.',
  ),
  ObjectExists: failure(
    'after a fix',
    'An object exists at the key, and the request, the project or the bucket does not permit replacing it. Send a new request with another key.',
  ),
  OutcomeUnknown: failure(
    'yes',
    'The upload was interrupted at its end, and the service could not check whether the archive exists. Check the bucket before you send the request again.',
  ),
  Superseded: failure('yes', 'Another process of the service took over the job.'),
  NotActive: failure('yes', 'The job could not start in time.'),
  ApiServerUnavailable: failure('yes', 'A part of the service was not available.'),
  Terminated: failure('yes', 'The service was asked to stop while the job was running.'),
  Internal: failure('yes', `The service failed with an unexpected error. ${AGAIN}`),
  BucketTerminating: failure(
    'after a fix',
    'The bucket is being removed from the project. Send a new request with another bucket.',
  ),
  BucketDeleted: failure(
    'after a fix',
    'The bucket was removed from the project before the job finished. Send a new request with another bucket.',
  ),
  SourceBucketNotReadable: failure(
    'after a fix',
    'Jobs may no longer read files from the bucket of a source. Ask an admin of the project to make it readable.',
  ),
  SourceBucketDeleted: failure(
    'after a fix',
    'The bucket of a source was removed from the project before the job finished. Send a new request with other URLs.',
  ),
  ProjectNotFound: failure('no', 'The project no longer exists.'),
  InvalidFileList: failure(
    'no',
    'The list of files does not belong to the job, which was created without the API.',
  ),
  InvalidMetadata: failure('no', 'The metadata is not a JSON object. The job was created without the API.'),
  NameConflict: failure(
    'after a fix',
    `The service already has an object with the name of the job. Send a new request, with another \`Idempotency-Key\` if you use one.`,
  ),
  JobDeleted: failure('yes', 'A user or program deleted a running part of the job.'),
  StartDeadlineExceeded: failure(
    'yes',
    'The job could not start in time, because the service is busy or has too few resources.',
  ),
  DeadlineExceeded: failure(
    'yes',
    'The job did not finish within its time limit. Split the files into several archives, or send the request again if the sources were slow.',
  ),
  BackoffLimitExceeded: failure('yes', 'All attempts of the job failed.'),
  OutOfMemory: failure('after a fix', `The service ran out of memory twice. ${REPORT}`),
  TooManyDisruptions: failure('yes', 'The job was interrupted too often.'),
  ResultMissing: failure(
    'yes',
    'The job ended without a result, and the bucket does not contain its archive.',
  ),
  ResultInvalid: failure('after a fix', `The result of the job does not match the request. ${REPORT}`),
  Cancelled: failure('no', 'A user cancelled the job.'),
  Deleted: failure('no', 'A user deleted the job or its project.'),
  Restored: failure(
    'yes',
    'The job was restored from a backup and does not run again. Check the bucket before you send the request again.',
  ),
} as const satisfies Readonly<Record<JobFailureCode, Omit<JobFailure, 'code'>>>;

export interface JobFailure {
  readonly code: string;
  readonly retryHelps: RetryHelps;
  readonly text: string;
}

const CODES = [...Object.keys(FAILURE_CODES), ...Object.keys(REASON_FAULTS)] as readonly JobFailureCode[];

/** Every `error.code` of a failed job with its description. */
export const JOB_FAILURES: readonly JobFailure[] = CODES.map((code) => ({ code, ...FAILURES[code] }));

export const FAILURE_CODE_SCHEMA = {
  type: 'string',
  enum: CODES,
  'x-enum-descriptions': JOB_FAILURES.map(({ text }) => text),
  description: 'Why a job failed. Later releases may add codes.',
} as const;
