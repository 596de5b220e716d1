/** Cases of the alerts of the history, as in alert-cases.ts. */
import type { AlertCase, Series } from './alert-cases.ts';

function unstored(reason: string, values: string): Series {
  return {
    name: 'zip_history_unstored_total',
    labels: { reason },
    values,
  };
}

function retentionFailures(values: string): readonly Series[] {
  return [{ name: 'zip_history_retention_failures_total', values }];
}

export const HISTORY_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'ZipjobsHistoryLate',
    at: 20,
    fires: [
      {
        says: 'a job waits for the database',
        description: 'The oldest finished job that is not in the history has waited for 40m 0s.',
        series: [{ name: 'zip_history_oldest_pending_seconds', values: '0+120x30' }],
      },
    ],
    silent: [
      {
        says: 'jobs wait for a minute',
        series: [{ name: 'zip_history_oldest_pending_seconds', values: '60x30' }],
      },
    ],
  },
  {
    alert: 'ZipjobsHistoryIncomplete',
    at: 20,
    labels: { reason: 'full' },
    fires: [
      {
        says: 'a job was dropped',
        description: 'Finished jobs of the last hour that the history will never have (full): 1.',
        series: [unstored('full', '0x10 1x20')],
      },
    ],
    silent: [{ says: 'one was dropped before', series: [unstored('full', '1x30')] }],
  },
  {
    alert: 'ZipjobsHistoryPartitions',
    at: 30,
    fires: [
      {
        says: 'partitions are not made',
        description: 'The history database has partitions only for the next 6 days.',
        series: [{ name: 'zip_history_partition_days_ahead', values: '6x30' }],
      },
    ],
    silent: [
      { says: 'they are made', series: [{ name: 'zip_history_partition_days_ahead', values: '14x30' }] },
      {
        says: 'there is no history',
        series: [{ name: 'zip_history_partition_days_ahead', values: '-1x30' }],
      },
    ],
  },
  {
    alert: 'ZipjobsHistoryRetentionFails',
    at: 100,
    fires: [
      {
        says: 'every round fails',
        description: '30 rounds of the retention failed in the last 30 minutes.',
        series: retentionFailures('0+1x120'),
      },
      {
        says: 'every round fails, after 20 minutes each',
        description: '2 rounds of the retention failed in the last 30 minutes.',
        series: retentionFailures('0x19 1x19 2x19 3x19 4x19 5x19'),
      },
    ],
    silent: [
      { says: 'no round has failed since', series: retentionFailures('7x120') },
      { says: 'each round succeeds at its second attempt', series: retentionFailures('0x19 1x59 2x59') },
      { says: 'the database is back', series: retentionFailures('0+1x50 50x70') },
    ],
  },
];
