/** A part of the local cluster could not start or does not respond. The message contains the next step. */
export class ClusterError extends Error {
  override readonly name: string = 'ClusterError';
  readonly code = 'LOCAL_CLUSTER';
  readonly retryable = false;
}

/** A program must be built, and the go command does not work. */
export class GoMissingError extends ClusterError {
  override readonly name = 'GoMissingError';
}
