import { milliseconds, type Settings } from '#runtime/config.ts';

/** How the API reads the history. */
export const HISTORY_READ_SETTINGS = {
  historyMaxReads: {
    env: 'HISTORY_MAX_READS',
    type: 'integer',
    minimum: 1,
    default: 24,
    description:
      'maximum requests that read the history at the same time, at most three quarters of MAX_ACTIVE_REQUESTS; further ones receive 429 or 503, and one project gets at most half',
  },
  historyReadTimeoutMs: milliseconds(
    'HISTORY_READ_TIMEOUT_MS',
    2_000,
    'time limit of one read of the history; then the request receives 503',
  ),
  historyPauseMs: milliseconds(
    'HISTORY_PAUSE_MS',
    2_000,
    'after three failed reads in a row, how long requests receive 503 without a read, before one is tried again',
  ),
} as const satisfies Settings;
