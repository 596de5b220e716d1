import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Reason } from '#crds/conditions.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import { REFUSAL_REASONS } from '#runtime/egress/refusal-reason.ts';
import { OTHER_PROJECTS, type ProjectLabels, withoutProjects } from '#runtime/metrics/project-labels.ts';
import { exportLabelledProjects, projectCounter, projectHistogram } from '#runtime/metrics/project-series.ts';
import { createTracingMetrics } from '#runtime/tracing/metrics.ts';

const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200];
const BYTES = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11];
const FILES = [1, 2, 5, 10, 50, 100, 500, 1000, 5000, 10_000];

interface End {
  readonly result: string;
  readonly reason: string;
  readonly fault: string;
}

/**
 * The ends that start at zero: `rate` ignores the first value of a series, so a series that starts with a burst of failures
 * would raise no alert. Those of callers raise none, and would be half of the series of a project.
 */
function endsAtZero(project: string): readonly End[] {
  const isShared = project === '' || project === OTHER_PROJECTS;
  const failures = [...FAILURE_FAULTS]
    .filter(([, fault]) => fault === 'operator' || (isShared && fault === 'caller'))
    .map(([reason, fault]) => ({ result: 'failed', reason, fault }));
  const successes = ['Uploaded', 'VerifiedInStore'] as const satisfies readonly Reason[];
  return [...failures, ...successes.map((reason) => ({ result: 'succeeded', reason, fault: 'none' }))];
}

/** Metrics of the jobs of each project. */
function projectMetrics(registry: Registry, projects: ProjectLabels) {
  const registers = [registry];
  return {
    finished: projectCounter(
      projects,
      {
        name: 'zip_jobs_finished_total',
        help: 'Finished ZipJobs, by project, result, reason, and fault: who can correct the cause of a failure (caller, operator or none)',
        labelNames: ['project', 'result', 'reason', 'fault'],
        registers,
      },
      endsAtZero,
    ),
    archiveBytes: projectHistogram(projects, {
      name: 'zip_job_archive_bytes',
      help: 'Size of the archives, by project',
      buckets: BYTES,
      registers,
    }),
    abortFailures: projectCounter(
      projects,
      {
        name: 'zip_upload_abort_failures_total',
        help: "Uploads that could not be aborted or found, by project; the bucket's lifecycle rule must remove them",
        labelNames: ['project'],
        registers,
      },
      () => [{}],
    ),
  };
}

function ownMetrics(registry: Registry) {
  const registers = [registry];
  return {
    queueSeconds: new Histogram({
      name: 'zip_job_queue_seconds',
      help: 'Time from acceptance to the creation of the Kubernetes Job',
      buckets: SECONDS,
      registers,
    }),
    startSeconds: new Histogram({
      name: 'zip_job_start_latency_seconds',
      help: 'Time from acceptance to the first progress of the zipper',
      buckets: SECONDS,
      registers,
    }),
    durationSeconds: new Histogram({
      name: 'zip_job_duration_seconds',
      help: 'Time from the first progress to the end of the job',
      labelNames: ['result'],
      buckets: SECONDS,
      registers,
    }),
    files: new Histogram({
      name: 'zip_job_files',
      help: 'Files per succeeded job',
      buckets: FILES,
      registers,
    }),
    attempts: new Counter({
      name: 'zip_job_attempts_total',
      help: 'Attempts (runs of zipper pods), by outcome',
      labelNames: ['class'],
      registers,
    }),
  };
}

function sourceMetrics(registry: Registry) {
  return {
    sourceRefusals: new Counter({
      name: 'zip_source_refusals_total',
      help: 'Zipper pods that could not reach a source because its address or name is refused, by reason, such as private, name or api-server; the log of the controller names the jobs',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}

/** What jobs save because another pod continues their upload, and what that costs. */
function resumeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    resumes: new Counter({
      name: 'zip_resumes_total',
      help: 'Zipper pods that were to continue the upload of an earlier one, by outcome: resumed, or refused (it started a new upload)',
      labelNames: ['outcome'],
      registers,
    }),
    resumedBytes: new Counter({
      name: 'zip_resumed_bytes_total',
      help: 'Bytes of archives that zipper pods did not upload again because they continued an upload',
      registers,
    }),
    checkpointWrites: new Counter({
      name: 'zip_checkpoint_writes_total',
      help: 'Writes of ZipCheckpoints by zipper pods, by result: ok or failed; counted when the attempt ends',
      labelNames: ['result'],
      registers,
    }),
  };
}

/** Metrics of pauses and deletions. */
function interventionMetrics(registry: Registry) {
  const registers = [registry];
  return {
    finalizersReleased: new Counter({
      name: 'zip_finalizers_released_total',
      help: 'Forced finalizer removals, by kind and reason: NamespaceTerminating, Overdue or Forced',
      labelNames: ['kind', 'reason'],
      registers,
    }),
    surplusJobs: new Counter({
      name: 'zip_jobs_surplus_total',
      help: 'Finished ZipJobs that were chosen for deletion before their time because their project was nearly full',
      registers,
    }),
    surplusPods: new Counter({
      name: 'zip_jobs_surplus_pods_total',
      help: 'Finished ZipJobs whose Kubernetes Jobs and pods were deleted before their time because there were more than MAX_FINISHED_PODS, or a ResourceQuota had no room',
      registers,
    }),
    paused: new Gauge({
      name: 'zip_paused',
      help: '1 while all jobs are paused by an annotation on the Lease of the controller',
      registers,
    }),
  };
}

function webhookMetrics(registry: Registry, projects: ProjectLabels) {
  const registers = [registry];
  return {
    deliveries: projectCounter(
      projects,
      {
        name: 'zip_webhook_deliveries_total',
        help: 'Delivery attempts of webhooks, by project and outcome: 2xx, 3xx, 4xx, 5xx or error',
        labelNames: ['project', 'outcome'],
        registers,
      },
      () => [{ outcome: '2xx' }],
    ),
    exhausted: projectCounter(
      projects,
      {
        name: 'zip_webhooks_exhausted_total',
        help: 'Webhook events that an endpoint will not get, because all attempts failed or it is disabled or was removed, by project',
        labelNames: ['project'],
        registers,
      },
      () => [{}],
    ),
    firstAttemptSeconds: new Histogram({
      name: 'zip_webhook_first_attempt_seconds',
      help: 'Time from the end of a job to the end of the first delivery attempt of its webhook, whatever the receiver responded',
      buckets: SECONDS,
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'zip_webhook_latency_seconds',
      help: 'Duration of a delivery attempt of a webhook',
      buckets: SECONDS,
      registers,
    }),
  };
}

const WRITE_FAILURES = [
  'HistoryUnavailable',
  'HistoryPartitionMissing',
  'HistoryClockDiffers',
  'HistoryRefused',
  'ConditionFailed',
  'Internal',
] as const;
const UNSTORED = ['deleted', 'full', 'no_project', 'refused'] as const;

function historyMetrics(registry: Registry) {
  const registers = [registry];
  function counter(name: string, help: string) {
    return new Counter({ name, help, labelNames: ['reason'], registers });
  }
  return {
    written: new Counter({
      name: 'zip_history_written_total',
      help: 'ZipJobs that were written to the history database, including those that were written a second time with the end of their webhook',
      registers,
    }),
    partitionDaysAhead: new Gauge({
      name: 'zip_history_partition_days_ahead',
      help: 'Days from tomorrow for which the history database has partitions; -1 if this process has not read it, as in standby replicas and without a history',
      registers,
    }),
    retentionFailures: new Counter({
      name: 'zip_history_retention_failures_total',
      help: 'Failed rounds of making partitions, and of deleting what is older than its retention',
      registers,
    }),
    purgedRows: new Counter({
      name: 'zip_history_purged_rows_total',
      help: 'Rows that were deleted because of their retention, or because their project was deleted; not those of dropped partitions',
      registers,
    }),
    writeFailures: counter(
      'zip_history_write_failures_total',
      'Failed attempts to archive finished ZipJobs, by reason: HistoryUnavailable, HistoryPartitionMissing, HistoryClockDiffers or HistoryRefused (by the database), ConditionFailed (the condition Archived could not be written to the ZipJob) or Internal (such as a ZipJob that could not be read)',
    ),
    unstored: counter(
      'zip_history_unstored_total',
      'Finished ZipJobs that the history will never have, by reason: deleted (before they were stored), full (HISTORY_WHEN_FULL=drop), no_project (their namespace has no ZipProject, or has one that was created after theirs was deleted) or refused (by the database)',
    ),
  };
}

function genericMetrics(registry: Registry) {
  const registers = [registry];
  const labelNames = ['controller'];
  return {
    reconciles: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by result: success, error, requeue, requeue_after',
      labelNames: ['controller', 'result'],
      registers,
    }),
    errors: new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciles that failed',
      labelNames,
      registers,
    }),
    seconds: new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Duration of a reconcile',
      labelNames,
      buckets: SECONDS,
      registers,
    }),
    activeWorkers: new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'Workers that are reconciling',
      labelNames,
      registers,
    }),
    maxWorkers: new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Number of workers',
      labelNames,
      registers,
    }),
    leader: new Gauge({
      name: 'leader_election_master_status',
      help: '1 while this process leads',
      labelNames: ['name'],
      registers,
    }),
  };
}

function queueMetrics(registry: Registry) {
  const registers = [registry];
  const labelNames = ['name'];
  function counter(name: string, help: string) {
    return new Counter({ name, help, labelNames, registers });
  }
  function gauge(name: string, help: string) {
    return new Gauge({ name, help, labelNames, registers });
  }
  function histogram(name: string, help: string) {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers });
  }
  return {
    depth: gauge('workqueue_depth', 'Keys waiting for a worker'),
    adds: counter('workqueue_adds_total', 'Keys added to the queue'),
    retries: counter('workqueue_retries_total', 'Keys requeued with backoff'),
    queued: histogram('workqueue_queue_duration_seconds', 'Time a key waited for a worker'),
    worked: histogram('workqueue_work_duration_seconds', 'Time a worker spent on a key'),
  };
}

/**
 * Registers the counters of the controller. Label values come from closed sets, and from the namespaces of at most 100 projects:
 * never a name, key or URL.
 */
export function createControllerMetrics(registry: Registry, projects: ProjectLabels = withoutProjects()) {
  exportLabelledProjects(registry, projects);
  const own = { ...projectMetrics(registry, projects), ...ownMetrics(registry) };
  const history = historyMetrics(registry);
  history.partitionDaysAhead.set(-1);
  for (const reason of UNSTORED) history.unstored.inc({ reason }, 0);
  for (const reason of WRITE_FAILURES) history.writeFailures.inc({ reason }, 0);
  const sources = sourceMetrics(registry);
  for (const reason of REFUSAL_REASONS) sources.sourceRefusals.inc({ reason }, 0);
  const resuming = resumeMetrics(registry);
  for (const outcome of ['resumed', 'refused']) resuming.resumes.inc({ outcome }, 0);
  for (const result of ['ok', 'failed']) resuming.checkpointWrites.inc({ result }, 0);
  return {
    ...own,
    ...resuming,
    ...sources,
    ...interventionMetrics(registry),
    ...webhookMetrics(registry, projects),
    ...genericMetrics(registry),
    history,
    queue: queueMetrics(registry),
    tracing: createTracingMetrics(registry),
  };
}

export type ControllerMetrics = ReturnType<typeof createControllerMetrics>;
