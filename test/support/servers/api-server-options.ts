import type { AppDeps } from '#api/app.ts';
import type { RateLimitsDeps } from '#api/limits/rate-limits.ts';
import type { ReadHistoryDeps } from '#api/read/read-archived.ts';
import type { ReadJob } from '#runtime/history/read-job.ts';
import type { LimitedServerSettings } from '#runtime/http/limited-server.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { Tracer } from '#runtime/tracing/tracer.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import type { Classes } from '../builders/project-classes.ts';

export interface ApiServerOptions {
  readonly maxBodyBytes?: number;
  readonly bodyArrivalMs?: number;
  readonly maxFiles?: number;
  readonly maxUrlLength?: number;
  readonly maxKeyBytes?: number;
  readonly maxFileListBytes?: number;
  /** Classes by name, as in the chart. */
  readonly projectClasses?: Classes;
  readonly workTimeoutMs?: number;
  readonly rateLimits?: Partial<Omit<RateLimitsDeps, 'count' | 'limitsOf' | 'clock'>>;
  readonly count?: CountRequest;
  readonly inFlight?: Partial<AppDeps['inFlight']>;
  readonly trustedProxies?: readonly string[];
  readonly basePath?: string;
  readonly clock?: Clock;
  /** Without it, there is no history. */
  readonly readJob?: ReadJob;
  readonly history?: Partial<ReadHistoryDeps['settings']>;
  /** Of the refused requests; default: one that is not shared. */
  readonly replica?: string;
  readonly sharesRefused?: boolean;
  readonly http?: Partial<LimitedServerSettings>;
  /** Without it, there are no traces. */
  readonly tracer?: Tracer;
}

/** Of the HTTP server. */
export const HTTP: LimitedServerSettings = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  maxRequestsPerSocket: 1_000,
  maxHeaderBytes: 16_384,
};

function historySettingsOf({ inFlight, history, readJob }: ApiServerOptions) {
  return {
    historyHost: readJob === undefined ? '' : 'postgres.example.com',
    historyMaxReads: 24,
    historyReadTimeoutMs: 2_000,
    historyPauseMs: 60_000,
    maxActiveRequests: inFlight?.maxActive ?? 32,
    ...history,
  };
}

export function settingsOf(options: ApiServerOptions) {
  return {
    maxFiles: options.maxFiles ?? 10_000,
    maxUrlLength: options.maxUrlLength ?? 8_192,
    maxKeyBytes: options.maxKeyBytes ?? 1_024,
    maxMetadataBytes: 16_384,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1_024 * 1_024,
    maxHeaderBytes: 16_384,
    maxFileListBytesPerProject: options.maxFileListBytes ?? 1e9,
    requestsPerMinutePerToken: 0,
    authFailuresPerMinute: 0,
    undelayedRequestsPerSecond: 1_000,
    undelayedBodyBytesPerSecond: 1e12,
    ...options.rateLimits,
    ...historySettingsOf(options),
    jobMaxSeconds: JOB_LIMITS.seconds,
    jobSucceededTtlSeconds: JOB_LIMITS.ttlSeconds,
    jobFailedTtlSeconds: JOB_LIMITS.ttlSeconds,
    jobWebhookSchedule: [0, 5, 300],
    publicUrl: '',
    basePath: options.basePath ?? '',
    helpUrl: `${options.basePath ?? ''}/docs`,
  };
}

export const NO_RATE_LIMIT = { requestsPerMinute: 0, createsPerSecond: 0, filesPerSecond: 0 };
