const GIB = 1024 ** 3;

/** Defaults of settings of the zipper and the controller, which the API publishes. */
export const JOB_LIMITS = {
  archiveBytes: 150 * GIB,
  fileBytes: 50 * GIB,
  seconds: 7200,
} as const;
