import { FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { REASON_FAULTS } from '#crds/job-failures.ts';

type JobFailureCode = FailureCode | keyof typeof REASON_FAULTS;

const RETRY = 'Send the request again.';
const REPORT = 'Report it to the operator of the service with the id of the job.';
const FILE = '`file_index` names the file.';

/** What a failure means for the caller, and what the caller can do. */
const SENTENCES = {
  InvalidTask: `The service cannot run the job, for example because the store does not support an option in \`jobDefaults.objectOptions\` of the project. The message says why. ${REPORT}`,
  FileListMismatch: `The stored list of files is damaged. Send the request again, and report it to the operator of the service.`,
  SourceUnreachable: `A source could not be reached: its name does not resolve, its address is not public, or it accepts no connection. ${FILE} Check its URL.`,
  SourceNotFound: `A source responded with a status such as 404 or 403 that a retry does not change. ${FILE} Correct its URL.`,
  SourceUnavailable: `A source responded with errors such as 500 or 502 until all retries were used, or its host throttled every request for ten minutes, for example with 429. ${FILE} ${RETRY}`,
  SourceTruncated: `A source ended before its declared length, also after retries. ${FILE} ${RETRY}`,
  SourceChanged: `A source changed while it was downloaded. ${FILE} ${RETRY}`,
  SourceExpired: `The signature in the URL of a source, or its temporary credentials, have expired. ${FILE} Send a new request with freshly signed URLs.`,
  SourceStalled: `A source sent no data for too long, or too slowly. ${FILE} ${RETRY}`,
  SourceTooLarge: `A source is larger than the maximum size of a file. ${FILE} Remove it from the request.`,
  SourceMismatch: `A file differs from the size, checksum or media type that its entry states. ${FILE} Correct its URL or the stated value.`,
  SourceInvalid: `A source responded with something other than a file, such as a malformed response, a sign-in page or too many redirects. ${FILE} Correct its URL.`,
  SourceProxyAuthenticationRequired: `The proxy of the service refused the connection to a source. ${REPORT}`,
  SourceProxyForbidden: `The proxy of the service forbids connections to the host of a source. ${FILE} Ask the operator to allow the host.`,
  SourceTlsError: `The TLS certificate of a source is not valid. ${FILE} Correct the certificate at the source.`,
  ArchiveTooLarge:
    'The archive would be larger than its maximum size. Split the files into several archives.',
  BucketNotFound:
    'The bucket does not exist at the storage provider, or was removed from the project. Create it, or correct its name in the project.',
  BucketAccessDenied:
    'The credentials of the bucket do not permit writing the archive. Grant the permission, then send the request again.',
  BucketCredentialsInvalid:
    'The storage provider refuses the credentials of the bucket. Update them in the project, then send the request again.',
  BucketMisconfigured:
    'The region, host or endpoint of the bucket is wrong, or its store does not support an option of the object. Correct it in the project, then send the request again.',
  StoreProxyAuthenticationRequired: `The proxy of the service refused the connection to the storage provider. ${REPORT}`,
  StoreProxyForbidden: `The proxy of the service forbids connections to the storage provider. ${REPORT}`,
  StoreUnavailable: `The storage provider stayed unavailable during all retries. ${RETRY}`,
  StoreCorrupted: `The storage provider stored other data than the service sent. Do not use an object at the key: it is wrong if the service could not delete it. ${RETRY}`,
  ObjectExists:
    'An object exists at the key, and the request, the project or the bucket does not permit replacing it. Send a new request with another key.',
  OutcomeUnknown:
    'The upload was interrupted at its end, and the service could not check whether the archive exists. Check the bucket before you send the request again.',
  Superseded: `Another process of the service took over the job. ${RETRY}`,
  NotActive: `The job could not start in time. ${RETRY}`,
  ApiServerUnavailable: `The cluster of the service was not available. ${RETRY}`,
  Terminated: `The service was asked to stop while the job was running. ${RETRY}`,
  Internal: `The service failed with an unexpected error. ${REPORT}`,
  BucketTerminating: 'The bucket is being removed from the project. Send a new request with another bucket.',
  BucketDeleted:
    'The bucket was removed from the project before the job finished. Send a new request with another bucket.',
  ProjectNotFound: 'The project no longer exists.',
  InvalidFileList: 'The list of files does not belong to the job, which was created without the API.',
  InvalidMetadata: 'The metadata is not a JSON object. The job was created without the API.',
  NameConflict: `Another object in the cluster has the name of the job. ${RETRY}`,
  JobDeleted: `A user or program deleted the running job in the cluster. ${RETRY}`,
  StartDeadlineExceeded: `The job could not start in time, because the service is busy or has too few resources. ${RETRY}`,
  DeadlineExceeded:
    'The job did not finish within its time limit. Split the files into several archives, or send the request again if the sources were slow.',
  BackoffLimitExceeded: `All attempts of the job failed. ${RETRY}`,
  OutOfMemory: `The service ran out of memory twice. ${REPORT}`,
  TooManyDisruptions: `The cluster interrupted the job too often. ${RETRY}`,
  ResultMissing: `The job ended without a result, and the bucket does not contain its archive. ${RETRY}`,
  ResultInvalid: `The result of the job does not match the request. ${REPORT}`,
  Cancelled: 'A user cancelled the job.',
  Deleted: 'A user deleted the job, its project or its namespace.',
  Restored:
    'The job was restored from a backup and does not run again. Check the bucket before you send the request again.',
} as const satisfies Readonly<Record<JobFailureCode, string>>;

export interface JobFailure {
  readonly code: string;
  readonly text: string;
}

const CODES = [...Object.keys(FAILURE_CODES), ...Object.keys(REASON_FAULTS)] as readonly JobFailureCode[];

/** Every `error.code` of a failed job with its description. */
export const JOB_FAILURES: readonly JobFailure[] = CODES.map((code) => ({ code, text: SENTENCES[code] }));

export const FAILURE_CODE_SCHEMA = {
  type: 'string',
  enum: CODES,
  'x-enum-descriptions': JOB_FAILURES.map(({ text }) => text),
  description: 'Why a job failed. Later releases may add codes.',
} as const;
