import type { Reason } from '#crds/conditions.ts';
import type { Failure, SourceCheck, ZipJobStatus } from '#crds/zip-job.ts';
import type { SourceFailure } from '#crds/zip-outcome.ts';
import { defined } from '../collections/optional.ts';
import { redactText } from '../log/redact.ts';

/** A file that is known to fail. */
interface FailedFile {
  readonly file_index: number;
  readonly code: string;
  readonly http_status: number | null;
}

/** Why a job failed, as the API and the webhook report it. */
interface JobError {
  readonly code: string;
  readonly message: string;
  readonly file_index: number | null;
  readonly http_status: number | null;
  readonly retriable: boolean;
  readonly help: string;
  readonly files: readonly FailedFile[];
  readonly files_total: number;
  readonly files_checked: number | null;
  readonly predicted_size: number | null;
  readonly predicted_files: number;
}

/** Failures that the request did not cause, so that a retry may succeed. */
const RETRIABLE_REASONS: readonly Reason[] = [
  'StartDeadlineExceeded',
  'DeadlineExceeded',
  'BackoffLimitExceeded',
  'TooManyDisruptions',
  'JobDeleted',
  'ResultMissing',
  'OutcomeUnknown',
  'Restored',
];

const NO_REASON = 'Internal';

function failedFile({ fileIndex, code, httpStatus }: SourceFailure): FailedFile {
  return { file_index: fileIndex, code, http_status: httpStatus ?? null };
}

/** The files that are known to fail. If the others were not checked, this is at most the one that ended the job. */
function failedFiles({ fileIndex, code, httpStatus }: Failure, check: SourceCheck | undefined) {
  const only = fileIndex === undefined ? [] : [{ fileIndex, code, ...defined({ httpStatus }) }];
  const {
    failures,
    failed,
    checked,
    bytes,
    lengths = 0,
  } = {
    failures: only,
    failed: only.length,
    ...check,
  };
  return {
    files: failures.map(failedFile),
    files_total: failed,
    files_checked: checked ?? null,
    predicted_size: lengths > 0 ? (bytes ?? null) : null,
    predicted_files: lengths,
  };
}

/**
 * The error of a failed job.
 * @param helpUrl of the page that explains failure codes; the code is appended as the fragment
 */
export function jobErrorOf(status: ZipJobStatus, helpUrl: string): JobError {
  const code = status.reason ?? NO_REASON;
  const retriable = RETRIABLE_REASONS.some((reason) => reason === code);
  const failure: Failure = status.failure?.code === code ? status.failure : { code, retriable };
  return {
    code,
    message: redactText(status.message ?? ''),
    file_index: failure.fileIndex ?? null,
    http_status: failure.httpStatus ?? null,
    retriable: failure.retriable,
    help: `${helpUrl}#${encodeURIComponent(code)}`,
    ...failedFiles(failure, status.sourceCheck),
  };
}
