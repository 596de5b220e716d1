import { unsupportedPod } from '../support/builders/unsupported.ts';

/** The shortest possible waits, so that a schedule takes seconds. */
const UNSUPPORTED = {
  // The smallest that stores take, so that small archives have several.
  PART_SIZE_BYTES: 5_242_880,
  // The next pod may wait long for the recovery of the last one, at less than five requests per second (F6).
  STATUS_ACTIVATION_INTERVAL_MS: 500,
  STATUS_PROGRESS_INTERVAL_MS: 500,
  STATUS_REQUEST_TIMEOUT_MS: 3_000,
  STATUS_RETRY_MAX_MS: 1_000,
  STORE_RETRY_MAX_MS: 1_000,
  STORE_IDLE_TIMEOUT_MS: 5_000,
  // With 5 s, three controllers on a busy machine of two processors lost the lease 24 times in six minutes, and each restart lists
  // everything again. A killed leader delays a schedule by this time.
  LEASE_DURATION_MS: 10_000,
  FULL_RECONCILE_SECONDS: 2,
  KUBE_REQUEST_TIMEOUT_MS: 5_000,
  RECOVERY_DEADLINE_SECONDS: 30,
  RECOVERY_RETRY_SECONDS: 20,
  // Every job that uploads parts can be continued. At less than five requests per second, with the progress.
  RESUME_FROM_BYTES: 0,
  CHECKPOINT_INTERVAL_MS: 1_000,
};

const CHAOS_PODS = { metadata: { annotations: { 'zipjobs.dev/test-run': 'chaos' } } };

/** Chart values with them. */
const QUICK_VALUES = {
  api: { podTemplate: { ...CHAOS_PODS, ...unsupportedPod('api', { KUBE_REQUEST_TIMEOUT_MS: 5_000 }) } },
  controller: {
    // One is ready to lead while killed ones wait for their restart.
    replicas: 3,
    podTemplate: { ...CHAOS_PODS, ...unsupportedPod('controller', UNSUPPORTED) },
    settings: {
      // Fewer than all schedules together may start: jobs have to wait in the queue under faults too, and a
      // small machine is not overloaded.
      MAX_ACTIVE_JOBS: 12,
      WEBHOOK_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10',
      WEBHOOK_TIMEOUT_MS: 3_000,
    },
  },
  zipper: {
    settings: {
      // The local store never shows an earlier state.
      STORE_CONSISTENCY_MS: 1_000,
      STORE_RETRY_LIMIT_MS: 30_000,
      SOURCE_RETRY_LIMIT_MS: 5_000,
    },
  },
};

export const quickValues: Readonly<Record<string, unknown>> = QUICK_VALUES;

/** The same with other values, which are those of a history database. */
export function quickHistoryValues(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { controller } = QUICK_VALUES;
  const pod = unsupportedPod('controller', { ...UNSUPPORTED, ARCHIVE_RETRY_SECONDS: 1 });
  return {
    ...QUICK_VALUES,
    ...values,
    controller: { ...controller, podTemplate: { ...CHAOS_PODS, ...pod } },
  };
}

/** A shorter watch counts as failed; the default of the chart is half a minute. */
export const QUICK_WATCH_SECONDS = 6;
