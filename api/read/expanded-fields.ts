import type { Reason } from '#crds/conditions.ts';
import {
  apiStatusOf,
  type Failure,
  type SourceCheck,
  type WebhookState,
  type ZipJob,
} from '#crds/zip-job.ts';
import { acceptedAtOf, bucketOf } from '#crds/zip-job-facts.ts';
import type { SourceFailure } from '#crds/zip-outcome.ts';
import { defined } from '#runtime/collections/optional.ts';
import { redactText } from '#runtime/log/redact.ts';
import type { Expansion } from './read-expand.ts';

type Fields = Readonly<Record<string, unknown>>;
type Expand = (job: ZipJob, options: ExpandOptions) => Fields | null;

export interface ExpandOptions {
  /** URL of the failure code documentation; the code is appended as the fragment. */
  readonly helpUrl: string;
}

/** Copies fields under their API names; null for absent ones. */
function rename<T extends object>(from: T, names: Readonly<Record<string, keyof T>>): Fields {
  return Object.fromEntries(Object.entries(names).map(([shown, name]) => [shown, from[name] ?? null]));
}

const progress: Expand = ({ status }) =>
  status?.progress === undefined
    ? null
    : rename(status.progress, {
        files_total: 'filesTotal',
        files_done: 'filesDone',
        current_file: 'currentFile',
        bytes_read: 'bytesRead',
        bytes_uploaded: 'bytesUploaded',
        bytes_total: 'bytesTotal',
        bytes_per_second: 'bytesPerSecond',
        estimated_end_at: 'estimatedEndAt',
        updated_at: 'updatedAt',
      });

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

function failedFile(failure: SourceFailure): Fields {
  return rename(failure, { file_index: 'fileIndex', code: 'code', http_status: 'httpStatus' });
}

/** The files that are known to fail. If the others were not checked, this is at most the one that ended the job. */
function failedFiles({ fileIndex, code, httpStatus }: Failure, check: SourceCheck | undefined): Fields {
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
    predicted_size: lengths > 0 ? bytes : null,
    predicted_files: lengths,
  };
}

/** Same content as in the webhook, with more files: the reason of the failure, and the files that fail. */
const error: Expand = ({ status = {} }, { helpUrl }) => {
  if (apiStatusOf(status.phase) !== 'failed') return null;
  const code = status.reason ?? NO_REASON;
  const retriable = RETRIABLE_REASONS.some((reason) => reason === code);
  const failure: Failure = status.failure?.code === code ? status.failure : { code, retriable };
  return {
    code,
    message: redactText(status.message ?? ''),
    ...rename(failure, { file_index: 'fileIndex', http_status: 'httpStatus', retriable: 'retriable' }),
    help: `${helpUrl}#${encodeURIComponent(code)}`,
    ...failedFiles(failure, status.sourceCheck),
  };
};

const archive: Expand = ({ status = {} }) => {
  const { result } = status;
  if (result === undefined || apiStatusOf(status.phase) !== 'succeeded') return null;
  return {
    ...rename(result, { size: 'bytes', files: 'entries', sha256: 'sha256', seconds: 'seconds' }),
    skipped: result.skipped ?? [],
    ...rename(status, { accepted_at: 'acceptedAt', started_at: 'startedAt', finished_at: 'finishedAt' }),
  };
};

const bucket: Expand = (job) => ({ ...bucketOf(job), key: job.spec.key });

const NOTHING_SENT: WebhookState = { state: 'Pending' };

const webhook: Expand = ({ spec, status = {} }) => {
  if (spec.webhook === undefined && status.webhook === undefined) return null;
  const seen = status.webhook ?? NOTHING_SENT;
  return {
    state: seen.state.replace(/(?<=[a-z])(?=[A-Z])/, '_').toLowerCase(),
    attempts: seen.attempts ?? 0,
    ...rename(seen, {
      last_status: 'lastStatus',
      next_attempt_at: 'nextAttemptAt',
      delivered_at: 'deliveredAt',
    }),
  };
};

const job: Expand = (zipJob) => ({
  accepted_at: acceptedAtOf(zipJob) ?? null,
  ...rename(zipJob.status ?? {}, { started_at: 'startedAt', finished_at: 'finishedAt' }),
});

const FIELDS: Readonly<Record<Expansion, Expand>> = { progress, error, archive, bucket, webhook, job };

/** The requested fields; null for one that does not apply (yet). */
export function expandedFields(
  job: ZipJob,
  expansions: readonly Expansion[],
  options: ExpandOptions,
): Fields {
  return Object.fromEntries(expansions.map((name) => [name, FIELDS[name](job, options)]));
}
