import { KubeApiError } from '#tools/local-cluster/kube-api.ts';

/** A call whose target may already be gone, which is not an error. */
export const isTargetGone = (error: unknown): boolean =>
  (error instanceof KubeApiError && error.code === 404) ||
  (error instanceof Error && error.name === 'AbortError');

export const ignoreTargetGone = (error: unknown): void => {
  if (!isTargetGone(error)) throw error;
};
