import { Counter, Histogram, type Registry } from 'prom-client';
import { createRequestMetrics, type RequestMetrics } from '#runtime/http/request-metrics.ts';
import { type ProjectLabels, withoutProjects } from '#runtime/metrics/project-labels.ts';
import {
  exportLabelledProjects,
  type ProjectCounter,
  projectCounter,
} from '#runtime/metrics/project-series.ts';
import { createTracingMetrics, type TracingMetrics } from '#runtime/tracing/metrics.ts';

export interface ApiMetrics extends RequestMetrics, TracingMetrics {
  /** Of the label `project`; note each request there too. */
  readonly projects: ProjectLabels;
  readonly requests: ProjectCounter<'status'>;
  readonly authentications: Counter<'outcome'>;
  readonly jobsCreated: Counter;
  readonly filesAccepted: Counter;
  readonly fileListBytes: Histogram;
  readonly incompleteJobs: Counter;
  readonly idempotentReplays: Counter;
  readonly rateLimited: Counter<'limit'>;
  readonly delayed: Counter<'limit'>;
  readonly bodyDelays: Counter;
  readonly uncounted: Counter;
  readonly overloads: Counter<'limit'>;
  readonly historyReads: Counter<'outcome'>;
  readonly historyReadSeconds: Histogram;
}

function authenticationMetrics(registers: Registry[]) {
  return {
    authentications: new Counter({
      name: 'zip_api_authentications_total',
      help: 'Authentications by outcome: accepted, forbidden (missing permission), refused, unknown (no response from the API server).',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function jobMetrics(registers: Registry[]) {
  return {
    jobsCreated: new Counter({
      name: 'zip_api_jobs_created_total',
      help: 'ZipJobs created with their complete file list.',
      registers,
    }),
    filesAccepted: new Counter({
      name: 'zip_api_files_accepted_total',
      help: 'Files in the lists of created ZipJobs.',
      registers,
    }),
    fileListBytes: new Histogram({
      name: 'zip_file_list_bytes',
      help: 'Compressed bytes of the file list of a ZipJob.',
      buckets: [1e3, 1e4, 1e5, 5e5, 1e6, 2e6, 5e6, 1e7],
      registers,
    }),
    incompleteJobs: new Counter({
      name: 'zip_api_incomplete_jobs_total',
      help: 'ZipJobs whose file list could not be stored completely. The caller received 503. The job is deleted, is completed by a retry with its Idempotency-Key, or fails at its start deadline.',
      registers,
    }),
    idempotentReplays: new Counter({
      name: 'zip_api_idempotent_replays_total',
      help: 'Creates that returned the job of an earlier request with the same Idempotency-Key.',
      registers,
    }),
  };
}

function limitMetrics(registers: Registry[]) {
  return {
    rateLimited: new Counter({
      name: 'zip_api_rate_limited_total',
      help: 'Requests that returned 429, by exceeded limit: token, project, failures (of authentication, by client address), or more than may wait: second (requests), creates or files.',
      labelNames: ['limit'],
      registers,
    }),
    delayed: new Counter({
      name: 'zip_api_delayed_requests_total',
      help: 'Requests that waited up to two seconds because of what their token or project sends per second, by limit: second (requests), creates or files.',
      labelNames: ['limit'],
      registers,
    }),
    bodyDelays: new Counter({
      name: 'zip_api_body_delay_seconds_total',
      help: 'Seconds for which the API paused the reading of request bodies because their project sent too many bytes per second.',
      registers,
    }),
    uncounted: new Counter({
      name: 'zip_api_rate_limits_skipped_total',
      help: 'Requests that were accepted without being counted because Redis did not respond or refused.',
      registers,
    }),
    overloads: new Counter({
      name: 'zip_api_overloads_total',
      help: 'Requests that returned 503 because the service was busy, or 429 because their project used its part of what it handles at once, by limit: requests, bodies (bytes in memory), creates (calls to the API server) or history (reads of the history).',
      labelNames: ['limit'],
      registers,
    }),
  };
}

function historyMetrics(registers: Registry[]) {
  return {
    historyReads: new Counter({
      name: 'zip_api_history_reads_total',
      help: 'Requests that needed the history, because the API server does not have their job, by outcome: found, missing, failed (503), paused (503 without a read, because the last reads failed).',
      labelNames: ['outcome'],
      registers,
    }),
    historyReadSeconds: new Histogram({
      name: 'zip_api_history_read_seconds',
      help: 'Seconds of one read of the history, also of those that failed.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
  };
}

function requestMetrics(registers: Registry[], projects: ProjectLabels) {
  return {
    requests: projectCounter(
      projects,
      {
        name: 'zip_api_requests_total',
        help: 'Requests by project and status class; without a project if their token is missing or invalid.',
        labelNames: ['project', 'status'],
        registers,
      },
      () => ['2xx', '4xx', '5xx'].map((status) => ({ status })),
    ),
  };
}

type LabelledCounters = Pick<
  ApiMetrics,
  'authentications' | 'rateLimited' | 'delayed' | 'overloads' | 'historyReads'
>;

/** `rate` ignores the first value of a series, so the first refusals of a process would not be seen. */
function startAtZero(counters: LabelledCounters): void {
  for (const outcome of ['accepted', 'forbidden', 'refused', 'unknown'])
    counters.authentications.inc({ outcome }, 0);
  for (const limit of ['second', 'creates', 'files']) {
    counters.delayed.inc({ limit }, 0);
    counters.rateLimited.inc({ limit }, 0);
  }
  for (const limit of ['token', 'project', 'failures']) counters.rateLimited.inc({ limit }, 0);
  for (const limit of ['requests', 'bodies', 'creates', 'history']) counters.overloads.inc({ limit }, 0);
  for (const outcome of ['found', 'missing', 'failed', 'paused']) counters.historyReads.inc({ outcome }, 0);
}

/** Every metric of the API. */
export function createApiMetrics(
  registry: Registry,
  projects: ProjectLabels = withoutProjects(),
): ApiMetrics {
  const registers = [registry];
  exportLabelledProjects(registry, projects);
  const metrics = {
    projects,
    ...requestMetrics(registers, projects),
    ...createRequestMetrics(registry, 'zip_api'),
    ...authenticationMetrics(registers),
    ...jobMetrics(registers),
    ...limitMetrics(registers),
    ...historyMetrics(registers),
    ...createTracingMetrics(registry),
  };
  startAtZero(metrics);
  return metrics;
}
