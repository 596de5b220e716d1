import type { Settings } from '#runtime/config.ts';

/** How webhooks are delivered. */
export const WEBHOOK_SETTINGS = {
  webhookScheduleSeconds: {
    env: 'WEBHOOK_SCHEDULE_SECONDS',
    type: 'string',
    default: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    description:
      'wait before each delivery attempt, comma list in seconds; its length is the number of attempts',
  },
  webhookDisableAfterSeconds: {
    env: 'WEBHOOK_DISABLE_AFTER_SECONDS',
    type: 'integer',
    minimum: 60,
    default: 432_000,
    description: 'an endpoint that answers with nothing but failures for this long is disabled',
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
      'deliveries at once in all to receivers that are not slow; slow ones have half as many for themselves',
  },
  webhookConcurrencyPerEndpoint: {
    env: 'WEBHOOK_CONCURRENCY_PER_ENDPOINT',
    type: 'integer',
    minimum: 1,
    default: 4,
    description:
      'deliveries at once to one endpoint, and so the most that a crash repeats; a slow or new one gets one at a time',
  },
  webhookSlowAfterMs: {
    env: 'WEBHOOK_SLOW_AFTER_MS',
    type: 'integer',
    minimum: 10,
    default: 1000,
    description: 'a receiver that takes longer to answer than this is slow until it answers faster',
  },
  webhookAllowHttp: {
    env: 'WEBHOOK_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'whether webhooks may go to http URLs',
  },
} as const satisfies Settings;
