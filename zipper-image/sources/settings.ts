import type { ConfigOf, Settings } from '#runtime/config.ts';
import type { DownloadLimits } from './download.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** The settings of downloads; the zipper's configuration spreads them into its own. */
export const SOURCE_SETTINGS = {
  fileListMaxBytes: {
    env: 'FILE_LIST_MAX_BYTES',
    type: 'integer',
    default: 64 * MIB,
    minimum: 1,
    description: 'most bytes of an unpacked file list',
  },
  sourceConcurrency: {
    env: 'SOURCE_CONCURRENCY',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 256,
    description: 'downloads that run at once',
  },
  sourceBufferBytes: {
    env: 'SOURCE_BUFFER_BYTES',
    type: 'integer',
    default: 16 * MIB,
    minimum: 4 * MIB,
    description: 'bytes of all downloads together that may wait in memory',
  },
  sourceMaxFileBytes: {
    env: 'SOURCE_MAX_FILE_BYTES',
    type: 'integer',
    default: 50 * GIB,
    minimum: 1,
    description: 'most bytes of one source',
  },
  sourceAttempts: {
    env: 'SOURCE_ATTEMPTS',
    type: 'integer',
    default: 4,
    minimum: 1,
    maximum: 20,
    description: 'tries per source, the first included',
  },
  sourceRetryBaseMs: {
    env: 'SOURCE_RETRY_BASE_MS',
    type: 'integer',
    default: 500,
    minimum: 1,
    description: 'upper bound of the wait before the second try; doubled for each further one',
  },
  sourceRetryMaxMs: {
    env: 'SOURCE_RETRY_MAX_MS',
    type: 'integer',
    default: 8000,
    minimum: 1,
    description: 'longest wait between two tries',
  },
  sourceRetryAfterMaxMs: {
    env: 'SOURCE_RETRY_AFTER_MAX_MS',
    type: 'integer',
    default: 60_000,
    minimum: 0,
    description: 'longest Retry-After that is waited for',
  },
  sourceMaxResumes: {
    env: 'SOURCE_MAX_RESUMES',
    type: 'integer',
    default: 100,
    minimum: 0,
    description:
      'how often one download that broke off and got further than before has its tries counted from the start again',
  },
  sourceRefuseUnverified: {
    env: 'SOURCE_REFUSE_UNVERIFIED',
    type: 'boolean',
    default: false,
    description: 'whether to refuse sources whose end is told only by the end of the connection',
  },
  sourceDnsTimeoutMs: {
    env: 'SOURCE_DNS_TIMEOUT_MS',
    type: 'integer',
    default: 5000,
    minimum: 1,
    description: 'time for one look-up of a name',
  },
  sourceConnectTimeoutMs: {
    env: 'SOURCE_CONNECT_TIMEOUT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description: 'time to connect, TLS included',
  },
  sourceHeadersTimeoutMs: {
    env: 'SOURCE_HEADERS_TIMEOUT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 1,
    description: 'time from the request to the end of the response headers',
  },
  sourceIdleTimeoutMs: {
    env: 'SOURCE_IDLE_TIMEOUT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 1,
    description: 'longest time without a byte while we wait for one',
  },
  sourceMinRateBytes: {
    env: 'SOURCE_MIN_RATE_BYTES',
    type: 'integer',
    default: KIB,
    minimum: 0,
    description: 'slowest bytes per second of a source over the window; 0 turns the check off',
  },
  sourceMinRateWindowMs: {
    env: 'SOURCE_MIN_RATE_WINDOW_MS',
    type: 'integer',
    default: 60_000,
    minimum: 1,
    description: 'window of the slowest rate; time in which we do not read is not counted',
  },
  sourcePerHostConnections: {
    env: 'SOURCE_PER_HOST_CONNECTIONS',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 256,
    description: 'most connections to one origin; fewer after it answered 429 or 503',
  },
  sourceParkedMaxMs: {
    env: 'SOURCE_PARKED_MAX_MS',
    type: 'integer',
    default: 10_000,
    minimum: 1,
    description:
      'longest time that an early download is held open without reading; then it is asked again in its turn',
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

export const toDownloadLimits = (settings: SourceSettings): DownloadLimits => ({
  headersTimeoutMs: settings.sourceHeadersTimeoutMs,
  idleTimeoutMs: settings.sourceIdleTimeoutMs,
  minRateBytes: settings.sourceMinRateBytes,
  minRateWindowMs: settings.sourceMinRateWindowMs,
  maxBytes: settings.sourceMaxFileBytes,
  refuseUnverified: settings.sourceRefuseUnverified,
  maxRetryAfterMs: settings.sourceRetryAfterMaxMs,
});
