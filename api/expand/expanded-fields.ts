import type { Reason } from '#crds/conditions.ts';
import { apiStatusOf, type Failure, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { bucketOf } from '#crds/zip-job-facts.ts';
import { redactText } from '#runtime/redact.ts';
import type { Expansion } from './read-expand.ts';

type Fields = Readonly<Record<string, unknown>>;
type Expand = (job: ZipJob, options: ExpandOptions) => Fields | null;

export interface ExpandOptions {
  /** Where failure codes are explained; the code is added as the fragment. */
  readonly helpUrl: string;
}

/** The named fields under the names that callers know; null for what is not there. */
const tell = <T extends object>(from: T, names: Readonly<Record<string, keyof T>>): Fields =>
  Object.fromEntries(Object.entries(names).map(([shown, name]) => [shown, from[name] ?? null]));

const progress: Expand = ({ status }) =>
  status?.progress === undefined
    ? null
    : tell(status.progress, {
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

/** Ends that were nobody's fault: the same request may well succeed. */
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

/** As the webhook tells it: the reason of the job's end, and which file it was when the zipper named one. */
const error: Expand = ({ status = {} }, { helpUrl }) => {
  if (apiStatusOf(status.phase) !== 'failed') return null;
  const code = status.reason ?? NO_REASON;
  const retriable = RETRIABLE_REASONS.some((reason) => reason === code);
  const failure: Failure = status.failure?.code === code ? status.failure : { code, retriable };
  return {
    code,
    message: redactText(status.message ?? ''),
    ...tell(failure, { file_index: 'fileIndex', http_status: 'httpStatus', retriable: 'retriable' }),
    help: `${helpUrl}#${encodeURIComponent(code)}`,
  };
};

const archive: Expand = ({ status = {} }) => {
  const { result } = status;
  if (result === undefined || apiStatusOf(status.phase) !== 'succeeded') return null;
  return {
    ...tell(result, { size: 'bytes', files: 'entries', sha256: 'sha256', seconds: 'seconds' }),
    skipped: result.skipped ?? [],
    ...tell(status, { accepted_at: 'acceptedAt', started_at: 'startedAt', finished_at: 'finishedAt' }),
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
    ...tell(seen, {
      last_status: 'lastStatus',
      next_attempt_at: 'nextAttemptAt',
      delivered_at: 'deliveredAt',
    }),
  };
};

const FIELDS: Readonly<Record<Expansion, Expand>> = { progress, error, archive, bucket, webhook };

/** The fields that were asked for; one that does not apply (yet) is null. */
export const expandedFields = (
  job: ZipJob,
  expansions: readonly Expansion[],
  options: ExpandOptions,
): Fields => Object.fromEntries(expansions.map((name) => [name, FIELDS[name](job, options)]));
