/** Cases of the alerts on objectives, as in alert-cases.ts. They read the recording rules. */
import type { AlertCase, Series } from './alert-cases.ts';

function finished(labels: Readonly<Record<string, string>>, values: string): Series {
  return { name: 'zip_jobs_finished_total', labels: { project: 'acme', ...labels }, values };
}

function jobs(succeeded: string, failed: string): readonly Series[] {
  return [
    finished({ result: 'succeeded', reason: 'Uploaded', fault: 'none' }, succeeded),
    finished({ result: 'failed', reason: 'StoreUnavailable', fault: 'operator' }, failed),
    finished({ result: 'failed', reason: 'SourceNotFound', fault: 'caller' }, '0+50x120'),
  ];
}

/** A histogram that counts so many values per minute, and so many of them within 60 seconds. */
function histogram(name: string, all: string, inTime: string): readonly Series[] {
  return [
    { name: `${name}_count`, values: all },
    { name: `${name}_bucket`, labels: { le: '60' }, values: inTime },
    { name: `${name}_bucket`, labels: { le: '30' }, values: '0x120' },
  ];
}

function fast(slo: string, given: Pick<AlertCase, 'fires' | 'silent'>): AlertCase {
  return {
    alert: 'ZipjobsErrorBudgetBurnsFast',
    at: 30,
    labels: { job: 'zipjobs-system/zipjobs', slo },
    ...given,
  };
}

const FAST: readonly AlertCase[] = [
  fast('success', {
    fires: [
      {
        says: 'a tenth of the jobs fails',
        description: 'The objective success uses its error budget 20.0 times as fast as it may.',
        impact: 'Jobs fail for reasons that callers cannot fix.',
        series: jobs('0+9x90', '0+1x90'),
      },
      {
        says: 'a twentieth of the jobs fails for hours',
        description: 'The objective success uses its error budget 10.0 times as fast as it may.',
        impact: 'Jobs fail for reasons that callers cannot fix.',
        series: jobs('0+19x90', '0+1x90'),
      },
    ],
    silent: [
      { says: 'callers make mistakes', series: jobs('0+1x90', '0x90') },
      { says: 'a job fails now and then', series: jobs('0+9x90', '0x10 1x80') },
      { says: 'the failures ended', series: jobs('0+9x90', '0+1x20 20x70'), at: 60 },
    ],
  }),
  fast('start', {
    fires: [
      {
        says: 'jobs start late',
        description: 'The objective start uses its error budget 20.0 times as fast as it may.',
        impact: 'Jobs start late.',
        series: histogram('zip_job_start_latency_seconds', '0+4x90', '0x90'),
      },
    ],
    silent: [
      { says: 'most start in time', series: histogram('zip_job_start_latency_seconds', '0+4x90', '0+3x90') },
    ],
  }),
  fast('webhook', {
    fires: [
      {
        says: 'webhooks are sent late',
        description: 'The objective webhook uses its error budget 25.0 times as fast as it may.',
        impact: 'Webhooks are sent late.',
        series: histogram('zip_webhook_first_attempt_seconds', '0+4x90', '0+3x90'),
      },
    ],
    silent: [
      { says: 'all are in time', series: histogram('zip_webhook_first_attempt_seconds', '0+4x90', '0+4x90') },
    ],
  }),
];

export const OBJECTIVE_ALERT_CASES: readonly AlertCase[] = [
  ...FAST,
  {
    alert: 'ZipjobsErrorBudgetBurnsSlowly',
    at: 100,
    labels: { job: 'zipjobs-system/zipjobs', slo: 'success' },
    fires: [
      {
        says: 'one job in fifty fails',
        description: 'The objective success uses its error budget 4.0 times as fast as it may.',
        impact: 'Some jobs fail for reasons that callers cannot fix.',
        series: jobs('0+49x110', '0+1x110'),
      },
    ],
    silent: [
      { says: 'one job in a thousand fails', series: jobs('0+999x110', '0+1x110') },
      { says: 'nothing runs', series: jobs('0x110', '0x110') },
    ],
  },
];

export const RECORDING_SERIES: readonly Series[] = [
  ...jobs('0+57x60', '0+3x60'),
  ...histogram('zip_job_start_latency_seconds', '0+60x60', '0+45x60'),
  ...histogram('zip_webhook_first_attempt_seconds', '0+30x60', '0+30x60'),
  { name: 'zip_job_archive_bytes_sum', labels: { project: 'acme' }, values: '0+6000x60' },
  { name: 'zip_api_requests_total', labels: { project: 'acme', status: '2xx' }, values: '0+120x60' },
];

const BURN_RATES = { 'slo="success"': 10, 'slo="start"': 5, 'slo="webhook"': 0 };

/** The values of the recording rules after half an hour of these series, by the labels besides `job`. */
export const RECORDED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'zipjobs:project_jobs_finished:rate5m': {
    'project="acme", result="succeeded", fault="none"': 0.95,
    'project="acme", result="failed", fault="operator"': 0.05,
    'project="acme", result="failed", fault="caller"': 0.833,
  },
  'zipjobs:project_archive_bytes:rate5m': { 'project="acme"': 100 },
  'zipjobs:project_api_requests:rate5m': { 'project="acme", status="2xx"': 2 },
  'zipjobs:slo_events:rate5m': { 'slo="success"': 1, 'slo="start"': 1, 'slo="webhook"': 0.5 },
  'zipjobs:slo_bad_events:rate5m': { 'slo="success"': 0.05, 'slo="start"': 0.25, 'slo="webhook"': 0 },
  'zipjobs:slo_error_budget:ratio': { 'slo="success"': 0.005, 'slo="start"': 0.05, 'slo="webhook"': 0.01 },
  // 90 jobs fail, and 450 start late. `rate` is lower in the first five minutes of a series.
  'zipjobs:slo_bad_events:increase6h': { 'slo="success"': 83.1, 'slo="start"': 415.5, 'slo="webhook"': 0 },
  'zipjobs:slo_bad_events:increase3d': { 'slo="success"': 83.1, 'slo="start"': 415.5, 'slo="webhook"': 0 },
  'zipjobs:slo_burn_rate:ratio_rate5m': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate30m': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate1h': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate2h': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate6h': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate1d': BURN_RATES,
  'zipjobs:slo_burn_rate:ratio_rate3d': BURN_RATES,
};
