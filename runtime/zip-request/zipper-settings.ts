import type { ConfigOf, Settings } from '../config/config.ts';

const MIB = 1024 * 1024;

/** Settings of zippers. The controller reads those that the operator sets, and writes them into each task. */
export const ZIPPER_SETTINGS = {
  storeBufferBytes: {
    env: 'STORE_BUFFER_BYTES',
    type: 'integer',
    default: 80 * MIB,
    minimum: 16 * MIB,
    maximum: 1024 * MIB,
    description:
      'bytes of parts in memory, which are filled or sent; at least three parts, whatever this says; the memory of zippers follows',
    changeWhen:
      'raise it when jobs are slow although sources, CPU and network are not busy: the store limits each connection, or is far away',
  },
  storeRetryLimitMs: {
    env: 'STORE_RETRY_LIMIT_MS',
    type: 'integer',
    default: 600_000,
    minimum: 0,
    description:
      'how long requests to the store are retried while none of their kind succeeds: the start of an upload, its parts, its completion; 0 sends each once',
    changeWhen: 'raise it when your store is away for longer at times, and jobs fail with StoreUnavailable',
  },
  storeConsistencyMs: {
    env: 'STORE_CONSISTENCY_MS',
    type: 'integer',
    default: 15_000,
    minimum: 0,
    maximum: 30_000,
    description:
      'how long responses of the store may show an earlier state; an archive of an interrupted attempt counts as absent only after this time, and its completion may take this long in addition to 1 s per 20 MiB',
    changeWhen:
      'raise it when your own store replicates slowly, and a repeated job finds an archive that was absent',
  },
  sourceConcurrency: {
    env: 'SOURCE_CONCURRENCY',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 256,
    description: 'maximum concurrent downloads',
    changeWhen:
      'lower it when sources respond with 429 or refuse connections; raise it for many small files of several slow hosts, because one host gets at most 32',
  },
  sourceBufferBytes: {
    env: 'SOURCE_BUFFER_BYTES',
    type: 'integer',
    default: 16 * MIB,
    minimum: 4 * MIB,
    description:
      'maximum bytes of small, compressed and waiting downloads in memory, ahead of the parts; the memory of zippers follows',
    changeWhen: 'raise it when many small files of slow hosts wait for memory while the network is not busy',
  },
  sourceRetryLimitMs: {
    env: 'SOURCE_RETRY_LIMIT_MS',
    type: 'integer',
    default: 30_000,
    minimum: 0,
    description:
      'how long a source is retried without progress, not counting the time in which nothing is wanted from it or its host throttles, and at least three times; progress is a resumed download of at least 1 KiB/s; 0 requests each source once',
    changeWhen: 'raise it when hosts are away for longer at times, and jobs fail with SourceUnavailable',
  },
  sourceUnknownLengthZip64: {
    env: 'SOURCE_UNKNOWN_LENGTH_ZIP64',
    type: 'boolean',
    default: false,
    description:
      'allows files without Content-Length to exceed 4 GiB; their entries are then zip64, which java.util.zip.ZipInputStream before JDK 21 and Archive::Zip cannot read',
    changeWhen: 'set it when sources without Content-Length fail with SourceTooLarge at 4 GiB',
  },
  sourceRefuseUnverified: {
    env: 'SOURCE_REFUSE_UNVERIFIED',
    type: 'boolean',
    default: false,
    description: 'rejects sources whose end is marked only by the end of the connection',
    changeWhen: 'set it when files of the list lengthUnverified turn out to be truncated',
  },
  sourceSequential: {
    env: 'SOURCE_SEQUENTIAL',
    type: 'boolean',
    default: false,
    description:
      'requests sources strictly one after another, each once unless it fails, for URLs that work only once; `sequential` of a job overrides it',
    changeWhen: 'set it when URLs of all projects work only once, and jobs fail at their second request',
  },
  sourceCheckLimitMs: {
    env: 'SOURCE_CHECK_LIMIT_MS',
    type: 'integer',
    default: 10_000,
    minimum: 0,
    maximum: 60_000,
    description:
      'when a job fails because of a source, how long its other sources are checked with one request each; 0 disables the check',
    changeWhen: 'set 0 when the check uses up URLs that work only once',
  },
} as const satisfies Settings;

export type ZipperSettings = ConfigOf<typeof ZIPPER_SETTINGS>;

/** Shortest interval between two progress writes of a zipper, unless the controller asks for a longer one. */
export const PROGRESS_INTERVAL_MS = 2_000;

/** Those in a task, by field; the others have their defaults. Tests may add unsupported ones. */
export type TaskSettings = Readonly<Record<string, number | boolean>>;
