import type { Settings } from '#runtime/config/config.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';

/** How webhooks are delivered. */
export const WEBHOOK_SETTINGS = {
  webhookScheduleSeconds: {
    env: 'WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: JOB_LIMITS.webhookScheduleSeconds,
    description:
      'seconds to wait before each delivery attempt, separated by commas; the length of the list is the number of attempts',
    changeWhen: 'lengthen it when receivers are away for longer than three days, and events are lost',
  },
  webhookTimeoutMs: {
    env: 'WEBHOOK_TIMEOUT_MS',
    type: 'integer',
    minimum: 100,
    default: 15_000,
    description: 'time limit of one delivery attempt',
    changeWhen: 'raise it when deliveries fail with a timeout although the receiver handles the event',
  },
  webhookConcurrency: {
    env: 'WEBHOOK_CONCURRENCY',
    type: 'integer',
    minimum: 1,
    default: 512,
    description:
      'maximum concurrent deliveries to receivers that are not slow; slow ones share half as many, and each project always gets one of them',
    changeWhen: 'raise it when zip_webhooks_pending grows while receivers respond fast',
  },
  webhookConcurrencyPerEndpoint: {
    env: 'WEBHOOK_CONCURRENCY_PER_ENDPOINT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description:
      'maximum concurrent deliveries to one endpoint, and so the most that a crash repeats; a slow or new endpoint gets one at a time',
    changeWhen:
      'raise it when the events of one busy project arrive late; lower it when a receiver is overloaded',
  },
  webhookAllowHttp: {
    env: 'WEBHOOK_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'allows webhooks to http URLs',
    changeWhen: 'set it when a trusted receiver in your network has no TLS',
  },
} as const satisfies Settings;

export const WEBHOOK_CONSTANTS = {
  /** Concurrent deliveries of one project, and so its DNS lookups: a quarter of the default in all. Slow receivers get half of them. */
  webhookConcurrencyPerProject: 128,
  /** An endpoint whose deliveries all fail for five days is disabled: longer than the schedule of one event, and than a weekend. */
  webhookDisableAfterSeconds: 432_000,
  /** A receiver with a longer response time is slow until it responds faster, so that it does not delay others. */
  webhookSlowAfterMs: 1_000,
};
