const GIB = 1024 ** 3;

/** Defaults of settings of the zipper and the controller, which the API publishes. */
export const JOB_LIMITS = {
  archiveBytes: 150 * GIB,
  fileBytes: 50 * GIB,
  seconds: 7200,
  ttlSeconds: 604_800,
  webhookScheduleSeconds: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
} as const;
