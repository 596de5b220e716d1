import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface ApiMetrics {
  readonly requestDuration: Histogram<'route' | 'method' | 'status'>;
  readonly requestsInFlight: Gauge;
  readonly authentications: Counter<'outcome'>;
  readonly jobsCreated: Counter;
  readonly filesAccepted: Counter;
  readonly fileListBytes: Histogram;
  readonly incompleteJobs: Counter;
  readonly idempotentReplays: Counter;
  readonly rateLimited: Counter<'limit'>;
  readonly uncounted: Counter;
  readonly overloads: Counter<'limit'>;
}

const requestMetrics = (registers: Registry[]) => ({
  requestDuration: new Histogram({
    name: 'zip_api_request_duration_seconds',
    help: 'Time from the headers of a request to its answer, by route template, method and class of status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  }),
  requestsInFlight: new Gauge({
    name: 'zip_api_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
  }),
  authentications: new Counter({
    name: 'zip_api_authentications_total',
    help: 'Requests that came with or without a token, by outcome: accepted, forbidden (a permission lacks), refused, unknown (the API server did not tell).',
    labelNames: ['outcome'],
    registers,
  }),
});

const jobMetrics = (registers: Registry[]) => ({
  jobsCreated: new Counter({
    name: 'zip_api_jobs_created_total',
    help: 'ZipJobs that were created with their whole file list.',
    registers,
  }),
  filesAccepted: new Counter({
    name: 'zip_api_files_accepted_total',
    help: 'Entries of the file lists of created ZipJobs.',
    registers,
  }),
  fileListBytes: new Histogram({
    name: 'zip_file_list_bytes',
    help: 'Compressed bytes of the file list of a ZipJob, as written into Secrets.',
    buckets: [1e3, 1e4, 1e5, 5e5, 1e6, 2e6, 5e6, 1e7],
    registers,
  }),
  incompleteJobs: new Counter({
    name: 'zip_api_incomplete_jobs_total',
    help: 'ZipJobs whose file list could not be written whole; the caller was told to try again, the job is deleted, completed by the next try with its Idempotency-Key, or ends at its start deadline.',
    registers,
  }),
  idempotentReplays: new Counter({
    name: 'zip_api_idempotent_replays_total',
    help: 'Creates that were answered with the job of an earlier request with the same Idempotency-Key.',
    registers,
  }),
});

const limitMetrics = (registers: Registry[]) => ({
  rateLimited: new Counter({
    name: 'zip_api_rate_limited_total',
    help: 'Requests that were answered 429, by the limit that they exceeded: token, project, failures (of authentication, by address).',
    labelNames: ['limit'],
    registers,
  }),
  uncounted: new Counter({
    name: 'zip_api_rate_limits_skipped_total',
    help: 'Counts that were skipped because Redis did not answer; the requests passed.',
    registers,
  }),
  overloads: new Counter({
    name: 'zip_api_overloads_total',
    help: 'Creates that were answered 503 because too much was in hand: bodies (bytes in memory), creates (calls to the API server).',
    labelNames: ['limit'],
    registers,
  }),
});

/** Every metric of the API. */
export const createApiMetrics = (registry: Registry): ApiMetrics => {
  const registers = [registry];
  return { ...requestMetrics(registers), ...jobMetrics(registers), ...limitMetrics(registers) };
};
