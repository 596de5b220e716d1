import { findEndpoint } from '#crds/webhook-endpoints.ts';
import { apiStatusOf, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { acceptedAtOf, bucketOf } from '#crds/zip-job-facts.ts';
import { jobErrorOf } from '#runtime/webhook/job-error.ts';
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

/** The webhook has the same content, with fewer files. */
const error: Expand = ({ status = {} }, { helpUrl }) =>
  apiStatusOf(status.phase) === 'failed' ? { ...jobErrorOf(status, helpUrl) } : null;

const archive: Expand = ({ status = {} }) => {
  const { result } = status;
  if (result === undefined || apiStatusOf(status.phase) !== 'succeeded') return null;
  const { renamed = { total: 0, files: [] } } = result;
  return {
    ...rename(result, { size: 'bytes', files: 'entries', sha256: 'sha256', seconds: 'seconds' }),
    skipped: result.skipped ?? [],
    renamed: renamed.files.map((file) => rename(file, { file_index: 'fileIndex', name: 'name' })),
    renamed_total: renamed.total,
    ...rename(status, { accepted_at: 'acceptedAt', started_at: 'startedAt', finished_at: 'finishedAt' }),
  };
};

const bucket: Expand = (job) => ({ ...bucketOf(job), key: job.spec.key });

function deliveryOf(seen: WebhookState): Fields {
  return {
    state: seen.state.replace(/(?<=[a-z])(?=[A-Z])/, '_').toLowerCase(),
    attempts: seen.attempts ?? 0,
    ...rename(seen, {
      last_status: 'lastStatus',
      next_attempt_at: 'nextAttemptAt',
      delivered_at: 'deliveredAt',
    }),
  };
}

/** The delivery to the default endpoint, and to each of the others that the job has. */
const webhook: Expand = ({ spec, status = {} }) => {
  if (spec.webhook === undefined && status.webhook === undefined) return null;
  const { events, endpoints = [] } = spec.webhook ?? {};
  // A job finishes with the deliveries that it has: no other one starts later.
  const other: WebhookState = { state: status.webhook === undefined ? 'Pending' : 'NotConfigured' };
  return {
    // No events: the project had disabled the default endpoint.
    ...deliveryOf(status.webhook ?? (events?.length === 0 ? { state: 'NotConfigured' } : other)),
    endpoints: endpoints.map(({ name }) => ({
      name,
      ...deliveryOf(findEndpoint<WebhookState>(status.webhook, name) ?? other),
    })),
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
