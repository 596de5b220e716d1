import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import type { ZipperSettings } from '#runtime/zip-request/zipper-settings.ts';
import type { DownloadLimits } from './download.ts';
import type { ProbeLimits } from './probe-schedule.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Fields of settings that concern downloads. */
type SourceField = Extract<keyof ZipperSettings, `source${string}`>;

export const SOURCE_CONSTANTS = {
  /** Bytes of an uncompressed file list: more than 10,000 of the longest URLs with all their headers. */
  fileListMaxBytes: 64 * MIB,
  /** Longest wait before the first retry of a source; doubles for each further one. A host that throttles waits an eighth of it. */
  sourceRetryBaseMs: 500,
  /** Longest wait before a retry, unless the source requests a longer one: a few fit into SOURCE_RETRY_LIMIT_MS. */
  sourceRetryMaxMs: 8_000,
  /** Longest wait that a host can request; after a longer one, it is tried at this time, because most ask for too much. */
  sourceRetryAfterMaxMs: 60_000,
  /** Time limit of one DNS lookup. */
  sourceDnsTimeoutMs: 5_000,
  /** Time limit to connect, including TLS. */
  sourceConnectTimeoutMs: 10_000,
  /** Time limit from the request to the end of the response headers; a retry may find what the first request made the host prepare. */
  sourceHeadersTimeoutMs: 30_000,
  /** Longest time without a byte while waiting for one. */
  sourceIdleTimeoutMs: 30_000,
  /** Bytes per second of a source over the window below which it counts as stalled: no file of interest comes at this rate. */
  sourceMinRateBytes: KIB,
  /** The window; excludes the time in which nothing is read. */
  sourceMinRateWindowMs: 60_000,
  /** Connections to one origin: as many as downloads. They become fewer by themselves while it throttles or refuses. */
  sourcePerHostConnections: 32,
  /** Connections to one origin once large files are read by ranges: what download managers use at most. */
  sourcePerHostReaders: 16,
  /** Shortest file that has several readers: a shorter one takes a connection less time than it takes to open more. */
  sourceRangedBytes: 32 * MIB,
  /** How often the number of readers of a large file is considered: often enough for a file of a second. */
  sourceReadersTickMs: 50,
  /** How long a prefetched download stays open without being read: servers close such connections soon after. */
  sourceParkedMaxMs: 10_000,
};
/** Of every download, so that operators of hosts can recognise it. */
export const SOURCE_USER_AGENT = 'zipjobs';

/** No file can be larger than the archive. */
export type SourceSettings = Pick<ZipperSettings, SourceField> &
  ValuesOf<typeof SOURCE_CONSTANTS> & { readonly maxArchiveBytes: number };

export function toDownloadLimits(settings: SourceSettings): DownloadLimits {
  return {
    headersTimeoutMs: settings.sourceHeadersTimeoutMs,
    idleTimeoutMs: settings.sourceIdleTimeoutMs,
    minRateBytes: settings.sourceMinRateBytes,
    minRateWindowMs: settings.sourceMinRateWindowMs,
    maxBytes: settings.maxArchiveBytes,
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
