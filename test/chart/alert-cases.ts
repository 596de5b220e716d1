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
  readonly series: readonly Series[];
  /** Minute at which the alerts are compared; that of the case if missing. */
  readonly at?: number;
}

export interface AlertCase {
  readonly alert: string;
  readonly at: number;
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The first is also used as that of a foreign operator while ours is quiet, and the other way round. */
  readonly fires: readonly Situation[];
  readonly silent: readonly Situation[];
}

function finished(
  [result, reason, fault]: readonly [result: string, reason: Reason | FailureCode, fault: Fault],
  values: string,
): Series {
  return { name: 'zip_jobs_finished_total', labels: { result, reason, fault }, values };
}

const SUCCEEDED = ['succeeded', 'Uploaded', 'none'] as const;
const FAILED = ['failed', 'OutOfMemory', 'operator'] as const;
const NOT_FOUND = ['failed', 'SourceNotFound', 'caller'] as const;
const DENIED = ['failed', 'BucketAccessDenied', 'caller'] as const;

function paused(values: string): Series {
  return { name: 'zip_paused', values };
}

function stuck(reason: Reason): Series {
  return { name: 'zip_jobs_stuck', labels: { reason }, values: '1x60' };
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
    labels: { limit },
    values,
  };
}

/** A case of one series. */
function simple(
  given: Pick<AlertCase, 'alert' | 'at' | 'labels'>,
  name: string,
  { fires, silent, labels = {} }: { fires: string; silent: string; labels?: Series['labels'] },
): AlertCase {
  return {
    ...given,
    fires: [{ says: `at ${fires}`, series: [{ name, labels, values: fires }] }],
    silent: [{ says: `at ${silent}`, series: [{ name, labels, values: silent }] }],
  };
}

const QUEUE_CASES: readonly AlertCase[] = [
  {
    alert: 'ZipjobsFailureRatio',
    at: 45,
    fires: [
      { says: 'jobs fail', series: [finished(FAILED, '0+1x60'), finished(SUCCEEDED, '0+1x60')] },
      { says: 'the first jobs fail', series: [finished(FAILED, '0x20 30x40'), finished(SUCCEEDED, '0x60')] },
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
    fires: [
      {
        says: 'a job waits',
        series: [{ name: 'zip_jobs_oldest_queued_seconds', values: '0+60x90' }, paused('0x90')],
      },
      {
        says: 'a job still waits long after a pause',
        series: [{ name: 'zip_jobs_oldest_queued_seconds', values: '0+60x90' }, paused('1x40 0x50')],
        at: 80,
      },
    ],
    silent: [
      {
        says: 'jobs are paused',
        series: [{ name: 'zip_jobs_oldest_queued_seconds', values: '0+60x90' }, paused('1x90')],
      },
      {
        says: 'a pause ended just now',
        series: [{ name: 'zip_jobs_oldest_queued_seconds', values: '0+60x90' }, paused('1x40 0x50')],
        at: 60,
      },
    ],
  },
  {
    alert: 'ZipjobsStuck',
    at: 30,
    labels: { reason: 'ImagePull' },
    fires: [
      { says: 'an image is missing', series: [stuck('ImagePull'), stuck('AwaitingQueue'), paused('0x60')] },
    ],
    silent: [
      { says: 'a queue holds a job', series: [stuck('AwaitingQueue'), paused('0x60')] },
      { says: 'jobs are paused', series: [stuck('ImagePull'), paused('1x60')] },
    ],
  },
  simple({ alert: 'ZipjobsOverdue', at: 10 }, 'zip_jobs_overdue', { fires: '1x30', silent: '0x30' }),
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
    { fires: '0+60x30', silent: '5x30', labels: { kind: 'ZipJob' } },
  ),
  {
    alert: 'ZipjobsWatchesCutShort',
    at: 15,
    labels: { pod: 'ours', kind: 'ZipJob' },
    fires: [{ says: 'the server cuts the watch', series: [watchEnds('cut short', '0+38x30')] }],
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
    { fires: '0+60x60', silent: '0+1x60', labels: { controller: 'zipjob' } },
  ),
  ...(['api', 'dashboard'] as const).map(
    (process): AlertCase => ({
      alert: process === 'api' ? 'ZipjobsApiFails' : 'ZipjobsDashboardFails',
      at: 30,
      fires: [
        {
          says: 'requests fail',
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
  simple({ alert: 'ZipjobsWebhooksLate', at: 15 }, 'zip_webhook_oldest_pending_seconds', {
    fires: '21700x30',
    silent: '100x30',
  }),
  simple({ alert: 'ZipjobsWebhooksLost', at: 10 }, 'zip_webhooks_exhausted_total', {
    fires: '0x5 1x30',
    silent: '3x30',
  }),
  simple({ alert: 'ZipjobsUploadsRemain', at: 10 }, 'zip_upload_abort_failures_total', {
    fires: '0x5 2x30',
    silent: '3x30',
  }),
  {
    alert: 'ZipjobsRateLimitsSkipped',
    at: 15,
    fires: [
      { says: 'of the API', series: [{ name: 'zip_api_rate_limits_skipped_total', values: '0+1x30' }] },
      {
        says: 'of the dashboard',
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
      labels: { limit },
      fires: [{ says: `${limit} is used up`, series: [full(limit, '0.96x30')] }],
      silent: [{ says: `${limit} has room`, series: [full(limit, '0.9x30')] }],
    }),
  ),
];

export const ALERT_CASES: readonly AlertCase[] = [...QUEUE_CASES, ...PROCESS_CASES, ...LIMIT_CASES];
