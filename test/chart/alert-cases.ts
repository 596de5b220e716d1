/** For each alert, series of this release with which it fires and with which it is silent. Values are one minute apart. */
import type { Reason } from '#crds/conditions.ts';
import type { FailureCode } from '#crds/exit-codes.ts';
import type { Fault } from '#crds/job-failures.ts';

export interface Series {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** In promtool's notation: `0+1x60` counts up, `stale` ends the series. */
  readonly values: string;
}

export interface Situation {
  readonly says: string;
  /** The rendered annotations that depend on the value or on labels. */
  readonly description?: string;
  readonly impact?: string;
  readonly series: readonly Series[];
  /** Minute at which the alerts are compared; that of the case if missing. */
  readonly at?: number;
}

export interface AlertCase {
  readonly alert: string;
  readonly at: number;
  /** Labels of the alert besides its severity; `PROJECT` for those of a project. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The first is also used as that of a foreign operator while ours is quiet, and the other way round. */
  readonly fires: readonly Situation[];
  readonly silent: readonly Situation[];
}

const PROJECT = 'acme';

function finished(
  [result, reason, fault]: readonly [result: string, reason: Reason | FailureCode, fault: Fault],
  values: string,
): Series {
  return { name: 'zip_jobs_finished_total', labels: { project: PROJECT, result, reason, fault }, values };
}

const SUCCEEDED = ['succeeded', 'Uploaded', 'none'] as const;
const FAILED = ['failed', 'OutOfMemory', 'operator'] as const;
const NOT_FOUND = ['failed', 'SourceNotFound', 'caller'] as const;
const DENIED = ['failed', 'BucketAccessDenied', 'caller'] as const;

function paused(values: string): Series {
  return { name: 'zip_paused', values };
}

function stuck(reason: Reason): Series {
  return { name: 'zip_jobs_stuck', labels: { project: PROJECT, reason }, values: '1x60' };
}

function leader(values: string, name = 'zipjobs-controller'): Series {
  return {
    name: 'leader_election_master_status',
    labels: { name },
    values,
  };
}

function requests(process: 'api' | 'dashboard', status: string, values: string): Series {
  return {
    name: `zip_${process}_request_duration_seconds_count`,
    labels: { route: '/a', method: 'GET', status },
    values,
  };
}

function watchEnds(reason: string, values: string): Series {
  return {
    name: 'zip_reflector_watch_ends_total',
    labels: { kind: 'ZipJob', reason },
    values,
  };
}

function full(limit: string, values: string): Series {
  return {
    name: 'zip_api_project_limit_ratio',
    labels: { project: PROJECT, limit },
    values,
  };
}

interface Simple {
  readonly fires: string;
  readonly silent: string;
  readonly labels?: Series['labels'];
  readonly description: string;
}

function checkpoints(result: string, values: string): Series {
  return { name: 'zip_checkpoint_writes_total', labels: { result }, values };
}

/** A case of one series. */
function simple(
  given: Pick<AlertCase, 'alert' | 'at' | 'labels'>,
  name: string,
  { fires, silent, labels = {}, description }: Simple,
): AlertCase {
  return {
    ...given,
    fires: [{ says: `at ${fires}`, description, series: [{ name, labels, values: fires }] }],
    silent: [{ says: `at ${silent}`, series: [{ name, labels, values: silent }] }],
  };
}

const QUEUED: Series = {
  name: 'zip_jobs_oldest_queued_seconds',
  labels: { project: PROJECT },
  values: '0+60x90',
};

const QUEUE_CASES: readonly AlertCase[] = [
  {
    alert: 'ZipjobsFailureRatio',
    at: 45,
    labels: { project: PROJECT },
    fires: [
      {
        says: 'jobs fail',
        description:
          'Project acme: 50% of the jobs that finished in the last 30 minutes failed, not counting failures that callers caused.',
        series: [finished(FAILED, '0+1x60'), finished(SUCCEEDED, '0+1x60')],
      },
      {
        says: 'the first jobs fail',
        description:
          'Project acme: 100% of the jobs that finished in the last 30 minutes failed, not counting failures that callers caused.',
        series: [finished(FAILED, '0x20 30x40'), finished(SUCCEEDED, '0x60')],
      },
    ],
    silent: [
      {
        says: 'only callers make mistakes',
        series: [
          finished(NOT_FOUND, '0+5x60'),
          finished(DENIED, '0+5x60'),
          finished(FAILED, '0x60'),
          finished(SUCCEEDED, '0+1x60'),
        ],
      },
      { says: 'few jobs fail', series: [finished(FAILED, '0x20 5x40'), finished(SUCCEEDED, '0x60')] },
    ],
  },
  {
    alert: 'ZipjobsQueueWaits',
    at: 45,
    labels: { project: PROJECT },
    fires: [
      {
        says: 'a job waits',
        description: 'Project acme: the oldest queued job has waited for 45m 0s.',
        series: [QUEUED, paused('0x90')],
      },
      {
        says: 'a job still waits long after a pause',
        description: 'Project acme: the oldest queued job has waited for 1h 20m 0s.',
        series: [QUEUED, paused('1x40 0x50')],
        at: 80,
      },
    ],
    silent: [
      {
        says: 'jobs are paused',
        series: [QUEUED, paused('1x90')],
      },
      {
        says: 'a pause ended just now',
        series: [QUEUED, paused('1x40 0x50')],
        at: 60,
      },
    ],
  },
  {
    alert: 'ZipjobsStuck',
    at: 30,
    labels: { project: PROJECT, reason: 'ImagePull' },
    fires: [
      {
        says: 'an image is missing',
        description: 'Project acme: jobs stuck because of ImagePull: 1.',
        series: [stuck('ImagePull'), stuck('AwaitingQueue'), paused('0x60')],
      },
    ],
    silent: [
      { says: 'a queue holds a job', series: [stuck('AwaitingQueue'), paused('0x60')] },
      { says: 'jobs are paused', series: [stuck('ImagePull'), paused('1x60')] },
    ],
  },
  simple({ alert: 'ZipjobsOverdue', at: 10, labels: { project: PROJECT } }, 'zip_jobs_overdue', {
    fires: '1x30',
    silent: '0x30',
    labels: { project: PROJECT },
    description: 'Project acme: overdue jobs: 1.',
  }),
  {
    alert: 'ZipjobsPaused',
    at: 250,
    fires: [
      { says: 'the pause is old', series: [paused('1x300')] },
      { says: 'the controller restarted during the pause', series: [paused('1x100 0x2 1x200')] },
    ],
    silent: [
      { says: 'the pause ended', series: [paused('1x225 0x75')] },
      { says: 'the pause is new', series: [paused('0x20 1x300')] },
    ],
  },
];

const PROCESS_CASES: readonly AlertCase[] = [
  {
    alert: 'ZipjobsNoLeader',
    at: 15,
    fires: [
      { says: 'no controller leads', series: [leader('0x30')] },
      { says: 'no controller exports anything', series: [] },
      { says: 'the controller disappeared', series: [leader('1x5 stale')] },
      { says: 'only another Lease has a leader', series: [leader('1x30', 'other'), leader('0x30')] },
    ],
    silent: [{ says: 'a controller leads', series: [leader('1x30')] }],
  },
  {
    alert: 'ZipjobsApiDown',
    at: 15,
    labels: { job: 'zipjobs-system/zipjobs' },
    fires: [
      { says: 'no API exports anything', series: [] },
      {
        says: 'the API disappeared',
        series: [{ name: 'zip_api_requests_in_flight', values: '3x5 stale' }],
      },
    ],
    silent: [{ says: 'the API is idle', series: [{ name: 'zip_api_requests_in_flight', values: '0x30' }] }],
  },
  simple(
    { alert: 'ZipjobsWatchSilent', at: 10, labels: { pod: 'ours', kind: 'ZipJob' } },
    'zip_reflector_last_event_age_seconds',
    {
      fires: '0+60x30',
      silent: '5x30',
      labels: { kind: 'ZipJob' },
      description: 'ours has received nothing about ZipJob objects for 10m 0s.',
    },
  ),
  {
    alert: 'ZipjobsWatchesCutShort',
    at: 15,
    labels: { pod: 'ours', kind: 'ZipJob' },
    fires: [
      {
        says: 'the server cuts the watch',
        description: 'The API server ends 0.63 watches of ZipJob objects per second in ours.',
        series: [watchEnds('cut short', '0+38x30')],
      },
    ],
    silent: [
      {
        says: 'watches end after their time',
        series: [watchEnds('ended', '0+38x30'), watchEnds('cut short', '0x30')],
      },
      { says: 'API servers restart', series: [watchEnds('cut short', '0x10 5x20')] },
      {
        says: 'a burst of new jobs ended',
        series: [watchEnds('cut short', '0x7 0+38x1 76x21')],
        at: 12,
      },
      { says: 'a proxy closes connections early', series: [watchEnds('cut short', '0+3x30')] },
    ],
  },
  simple(
    { alert: 'ZipjobsReconcilesFail', at: 40, labels: { controller: 'zipjob' } },
    'controller_runtime_reconcile_errors_total',
    {
      fires: '0+60x60',
      silent: '0+1x60',
      labels: { controller: 'zipjob' },
      description: 'The controller zipjob has 1 failed reconciles per second.',
    },
  ),
  ...(['api', 'dashboard'] as const).map(
    (process): AlertCase => ({
      alert: process === 'api' ? 'ZipjobsApiFails' : 'ZipjobsDashboardFails',
      at: 30,
      fires: [
        {
          says: 'requests fail',
          description: `10% of the ${process === 'api' ? 'API' : 'dashboard'} requests of the last 10 minutes returned a 5xx status.`,
          series: [requests(process, '5xx', '0+10x60'), requests(process, '2xx', '0+90x60')],
        },
      ],
      silent: [
        {
          says: 'callers make mistakes',
          series: [requests(process, '4xx', '0+90x60'), requests(process, '5xx', '0+1x60')],
        },
      ],
    }),
  ),
];

const LIMIT_CASES: readonly AlertCase[] = [
  simple(
    { alert: 'ZipjobsWebhooksLate', at: 15, labels: { project: PROJECT } },
    'zip_webhook_oldest_pending_seconds',
    {
      fires: '21700x30',
      silent: '100x30',
      labels: { project: PROJECT },
      description: 'Project acme: the oldest pending webhook has waited for 6h 1m 40s.',
    },
  ),
  simple(
    { alert: 'ZipjobsWebhooksLost', at: 10, labels: { project: PROJECT } },
    'zip_webhooks_exhausted_total',
    {
      fires: '0x5 1x30',
      silent: '3x30',
      labels: { project: PROJECT },
      description: 'Project acme: webhook events that an endpoint did not get in the last hour: 1.',
    },
  ),
  simple(
    { alert: 'ZipjobsUploadsRemain', at: 10, labels: { project: PROJECT } },
    'zip_upload_abort_failures_total',
    {
      fires: '0x5 2x30',
      silent: '3x30',
      labels: { project: PROJECT },
      description: 'Project acme: uploads that could not be aborted in the last hour: 2.',
    },
  ),
  {
    alert: 'ZipjobsRateLimitsSkipped',
    at: 15,
    fires: [
      {
        says: 'of the API',
        description: '0.017 requests per second are accepted without being counted.',
        series: [{ name: 'zip_api_rate_limits_skipped_total', values: '0+1x30' }],
      },
      {
        says: 'of the dashboard',
        description: '0.017 requests per second are accepted without being counted.',
        series: [
          { name: 'zip_api_rate_limits_skipped_total', values: '0x30' },
          { name: 'zip_dashboard_rate_limits_skipped_total', values: '0+1x30' },
        ],
      },
    ],
    silent: [
      { says: 'Redis is back', series: [{ name: 'zip_api_rate_limits_skipped_total', values: '7x30' }] },
    ],
  },
  ...['fileListBytes', 'storedJobs', 'storedBytes'].map(
    (limit): AlertCase => ({
      alert: 'ZipjobsProjectFull',
      at: 20,
      labels: { project: PROJECT, limit },
      fires: [
        {
          says: `${limit} is used up`,
          description: `Project acme uses 96% of its ${limit}.`,
          series: [full(limit, '0.96x30')],
        },
      ],
      silent: [{ says: `${limit} has room`, series: [full(limit, '0.9x30')] }],
    }),
  ),
];

/** Alerts on what is not jobs, the API or the history. */
const STATE_CASES: readonly AlertCase[] = [
  simple({ alert: 'ZipjobsApiOverloaded', at: 30, labels: { limit: 'bodies' } }, 'zip_api_overloads_total', {
    fires: '0+60x60',
    silent: '0+1x60',
    labels: { limit: 'bodies' },
    description: 'The API rejects 1 requests per second because of its limit on bodies.',
  }),
  simple(
    { alert: 'ZipjobsObjectsLeftOut', at: 30, labels: { kind: 'ZipToken' } },
    'zip_reflector_left_out_objects',
    {
      fires: '12x60',
      silent: '0x60',
      labels: { kind: 'ZipToken' },
      description: 'zipjobs ignores 12 ZipToken objects, because their namespace has too many.',
    },
  ),
  simple({ alert: 'ZipjobsClocksDiffer', at: 40 }, 'rest_client_clock_contradictions_total', {
    fires: '0+2x60',
    silent: '7x60',
    description:
      '30 responses of the last 15 minutes had a time that differs from that of other API servers.',
  }),
  simple(
    { alert: 'ZipjobsCertificateExpires', at: 30, labels: { component: 'api' } },
    'zip_tls_certificate_expiry_timestamp_seconds',
    {
      fires: '174600x60',
      silent: '2592000x60',
      description: 'The certificate of the api expires in 2d 0h 0m 0s.',
    },
  ),
  simple({ alert: 'ZipjobsBucketsHeld', at: 45 }, 'zip_buckets_held', {
    fires: '2x60',
    silent: '0x60',
    description: 'The stores of 2 buckets do not respond, so each of these buckets runs one job at a time.',
  }),
  {
    alert: 'ZipjobsCheckpointsFail',
    at: 65,
    fires: [
      {
        says: 'most writes fail',
        description: '75% of the writes of ZipCheckpoints failed in the last 30 minutes.',
        series: [checkpoints('failed', '0+3x90'), checkpoints('ok', '0+1x90')],
      },
    ],
    silent: [
      { says: 'some fail', series: [checkpoints('failed', '0+1x90'), checkpoints('ok', '0+3x90')] },
      { says: 'there are none', series: [checkpoints('failed', '0x90'), checkpoints('ok', '0x90')] },
    ],
  },
];

export const ALERT_CASES: readonly AlertCase[] = [
  ...QUEUE_CASES,
  ...PROCESS_CASES,
  ...LIMIT_CASES,
  ...STATE_CASES,
];
