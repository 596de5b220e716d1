/** Something of the local cluster could not be started or does not answer; the message says what to do next. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly code = 'LOCAL_CLUSTER';
  readonly retryable = false;
}
