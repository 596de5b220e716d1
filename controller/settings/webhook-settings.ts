import type { Settings } from '#runtime/config.ts';
import { JOB_LIMITS } from '#runtime/job-limits.ts';

/** How webhooks are delivered. */
export const WEBHOOK_SETTINGS = {
  webhookScheduleSeconds: {
    env: 'WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: JOB_LIMITS.webhookScheduleSeconds,
    description:
      'seconds to wait before each delivery attempt, separated by commas; the length of the list is the number of attempts',
  },
  webhookDisableAfterSeconds: {
    env: 'WEBHOOK_DISABLE_AFTER_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 432_000,
    description: 'an endpoint whose deliveries all fail for this long is disabled',
  },
  webhookTimeoutMs: {
    env: 'WEBHOOK_TIMEOUT_MS',
    type: 'integer',
    minimum: 100,
    default: 15_000,
    description: 'time limit of one delivery attempt',
  },
  webhookConcurrency: {
    env: 'WEBHOOK_CONCURRENCY',
    type: 'integer',
    minimum: 1,
    default: 512,
    description:
      'maximum concurrent deliveries to receivers that are not slow; slow ones share half as many, and each project always gets one of them',
  },
  webhookConcurrencyPerEndpoint: {
    env: 'WEBHOOK_CONCURRENCY_PER_ENDPOINT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description:
      'maximum concurrent deliveries to one endpoint, and so the most that a crash repeats; a slow or new endpoint gets one at a time',
  },
  webhookConcurrencyPerProject: {
    env: 'WEBHOOK_CONCURRENCY_PER_PROJECT',
    type: 'integer',
    minimum: 1,
    default: 128,
    description:
      'maximum concurrent deliveries of one project, and so of its DNS lookups; slow receivers get half of them',
  },
  webhookSlowAfterMs: {
    env: 'WEBHOOK_SLOW_AFTER_MS',
    type: 'integer',
    minimum: 10,
    default: 1000,
    description: 'a receiver with a longer response time is slow until it responds faster',
  },
  webhookAllowHttp: {
    env: 'WEBHOOK_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'allows webhooks to http URLs',
  },
} as const satisfies Settings;
