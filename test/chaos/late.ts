import { KubeApiError } from '#tools/local-cluster/kube-api.ts';

/** Some things come too late, which is no fault. */
export const isLate = (error: unknown): boolean =>
  (error instanceof KubeApiError && error.code === 404) ||
  (error instanceof Error && error.name === 'AbortError');

export const ignoreLate = (error: unknown): void => {
  if (!isLate(error)) throw error;
};
