export const STS_CONSTANTS = {
  /** Time limit of one request to a security token service. */
  stsTimeoutMs: 10_000,
  /** Shortest interval between two attempts to renew credentials that are still valid for five minutes. */
  stsRetryMs: 5_000,
};
