import type { ZipJob } from '#crds/zip-job.ts';

/**
 * True for a job whose queue is said to limit how much runs: it takes no slot, and may wait there as long as it likes. Whoever
 * may write ZipJobs may name any queue, and may resume a Job that waits in one that nobody serves; so only the operator's
 * word counts.
 */
export const isInTrustedQueue = ({ spec }: ZipJob, trustedQueues: readonly string[]): boolean =>
  spec.queueName !== undefined && (trustedQueues.includes('*') || trustedQueues.includes(spec.queueName));
