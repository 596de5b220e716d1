/** A part of the local cluster could not start or does not respond. The message contains the next step. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly code = 'LOCAL_CLUSTER';
  readonly retryable = false;
}
