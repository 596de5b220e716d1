const GIB = 1024 ** 3;

/** S3 and most other stores take objects up to 5 TiB. */
export const MOST_ARCHIVE_BYTES = 5 * 1024 * GIB;
/** https://developers.cloudflare.com/r2/platform/limits/ */
export const MOST_R2_ARCHIVE_BYTES = Math.floor(4.995 * 1024 * GIB);

/** Defaults of settings of the zipper and the controller, which the API publishes. */
export const JOB_LIMITS = {
  archiveBytes: 150 * GIB,
  seconds: 7200,
  ttlSeconds: 604_800,
  webhookScheduleSeconds: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
} as const;
