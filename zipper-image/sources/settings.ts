import type { ConfigOf, Settings } from '#runtime/config.ts';
import { JOB_LIMITS } from '#runtime/job-limits.ts';
import type { DownloadLimits } from './download.ts';
import type { ProbeLimits } from './probe-schedule.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The settings of downloads, a part of the zipper's configuration. */
export const SOURCE_SETTINGS = {
  fileListMaxBytes: {
    env: 'FILE_LIST_MAX_BYTES',
    type: 'integer',
    default: 64 * MIB,
    minimum: 1,
    description: 'maximum bytes of an uncompressed file list',
  },
  sourceConcurrency: {
    env: 'SOURCE_CONCURRENCY',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 256,
    description: 'maximum concurrent downloads',
  },
  sourceBufferBytes: {
    env: 'SOURCE_BUFFER_BYTES',
    type: 'integer',
    default: 16 * MIB,
    minimum: 4 * MIB,
    description: 'maximum bytes of all downloads in memory',
  },
  sourceMaxFileBytes: {
    env: 'SOURCE_MAX_FILE_BYTES',
    type: 'integer',
    default: JOB_LIMITS.fileBytes,
    minimum: 1,
    description: 'maximum bytes of one source',
  },
  sourceRetryLimitMs: {
    env: 'SOURCE_RETRY_LIMIT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 0,
    description:
      'how long a source is retried without progress, not counting the time in which nothing is wanted from it or its host throttles, and at least three times; progress is a resumed download of at least SOURCE_MIN_RATE_BYTES; 0 requests each source once',
  },
  sourceRetryBaseMs: {
    env: 'SOURCE_RETRY_BASE_MS',
    type: 'integer',
    default: 500,
    minimum: 1,
    description:
      'maximum wait before the first retry of a source; doubles for each further one, and is at least half of it. A host that throttles without saying for how long is tried again after an eighth of it, and then after growing waits',
  },
  sourceRetryMaxMs: {
    env: 'SOURCE_RETRY_MAX_MS',
    type: 'integer',
    default: 8000,
    minimum: 1,
    description: 'maximum wait before a retry, unless the source requests a longer one',
  },
  sourceRetryAfterMaxMs: {
    env: 'SOURCE_RETRY_AFTER_MAX_MS',
    type: 'integer',
    default: 60_000,
    minimum: 0,
    description:
      'maximum wait that a host can request, with Retry-After or another header; after a longer one, it is tried at this time',
  },
  sourceRefuseUnverified: {
    env: 'SOURCE_REFUSE_UNVERIFIED',
    type: 'boolean',
    default: false,
    description: 'rejects sources whose end is marked only by the end of the connection',
  },
  sourceDnsTimeoutMs: {
    env: 'SOURCE_DNS_TIMEOUT_MS',
    type: 'integer',
    default: 5000,
    minimum: 1,
    description: 'time limit of one DNS lookup',
  },
  sourceConnectTimeoutMs: {
    env: 'SOURCE_CONNECT_TIMEOUT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description: 'time limit to connect, including TLS',
  },
  sourceHeadersTimeoutMs: {
    env: 'SOURCE_HEADERS_TIMEOUT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 1,
    description: 'time limit from the request to the end of the response headers',
  },
  sourceIdleTimeoutMs: {
    env: 'SOURCE_IDLE_TIMEOUT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 1,
    description: 'maximum time without a byte while waiting for one',
  },
  sourceMinRateBytes: {
    env: 'SOURCE_MIN_RATE_BYTES',
    type: 'integer',
    default: KIB,
    minimum: 0,
    description: 'minimum bytes per second of a source over the window; 0 disables the check',
  },
  sourceMinRateWindowMs: {
    env: 'SOURCE_MIN_RATE_WINDOW_MS',
    type: 'integer',
    default: 60_000,
    minimum: 1,
    description: 'window of SOURCE_MIN_RATE_BYTES; excludes the time in which nothing is read',
  },
  sourcePerHostConnections: {
    env: 'SOURCE_PER_HOST_CONNECTIONS',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 256,
    description:
      'maximum connections to one origin; fewer while it throttles, or refuses or resets connections',
  },
  sourceParkedMaxMs: {
    env: 'SOURCE_PARKED_MAX_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description:
      'maximum time that a prefetched download stays open without being read; then it is requested again when needed',
  },
  sourceSequential: {
    env: 'SOURCE_SEQUENTIAL',
    type: 'boolean',
    default: false,
    description:
      'requests sources strictly one after another, each once unless it fails, for URLs that work only once; `sequential` of a job overrides it',
  },
  sourceCheckLimitMs: {
    env: 'SOURCE_CHECK_LIMIT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 0,
    maximum: 60_000,
    description:
      'when a job fails because of a source, how long its other sources are checked with one request each; 0 disables the check',
  },
  sourceUserAgent: {
    env: 'SOURCE_USER_AGENT',
    type: 'string',
    default: 'zipjobs',
    minLength: 1,
    pattern: '^[\\x20-\\x7e]+$',
    description: 'User-Agent of every download',
  },
} as const satisfies Settings;

export type SourceSettings = ConfigOf<typeof SOURCE_SETTINGS>;

export function toDownloadLimits(settings: SourceSettings): DownloadLimits {
  return {
    headersTimeoutMs: settings.sourceHeadersTimeoutMs,
    idleTimeoutMs: settings.sourceIdleTimeoutMs,
    minRateBytes: settings.sourceMinRateBytes,
    minRateWindowMs: settings.sourceMinRateWindowMs,
    maxBytes: settings.sourceMaxFileBytes,
    refuseUnverified: settings.sourceRefuseUnverified,
    repeats: settings.sourceRetryLimitMs > 0,
  };
}

/** Waits of a host that throttles grow from a part of the usual first wait, because one probe at a time is sent. */
export function toProbeLimits(settings: SourceSettings): ProbeLimits {
  return {
    leastMs: Math.max(1, settings.sourceRetryBaseMs / 8),
    mostMs: settings.sourceRetryAfterMaxMs,
  };
}
