import type { ZipJob } from '#crds/zip-job.ts';

/**
 * True for a job whose queue limits concurrency by itself: it takes no slot and has no start deadline. Anyone who
 * may write ZipJobs can name any queue, and can resume a Job in a queue that no controller serves, so only the operator's
 * setting counts.
 */
export function isInTrustedQueue({ spec }: ZipJob, trustedQueues: readonly string[]): boolean {
  return (
    spec.queueName !== undefined && (trustedQueues.includes('*') || trustedQueues.includes(spec.queueName))
  );
}
