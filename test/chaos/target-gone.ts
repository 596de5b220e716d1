import { KubeApiError } from '#tools/local-cluster/kube-api.ts';

/** A call whose target may already be gone, which is not an error. */
export function isTargetGone(error: unknown): boolean {
  return (
    (error instanceof KubeApiError && error.code === 404) ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

export function ignoreTargetGone(error: unknown): void {
  if (!isTargetGone(error)) throw error;
}
