import type { KubeClient } from '#runtime/kube/client.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';

const GROUP_VERSION = 'authentication.k8s.io/v1';

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Reads the user name of the caller from the API server; undefined if it does not report one. */
export function createWhoAmI(kube: Pick<KubeClient, 'request'>) {
  return async (): Promise<string | undefined> => {
    try {
      const body = { apiVersion: GROUP_VERSION, kind: 'SelfSubjectReview' };
      const path = `/apis/${GROUP_VERSION}/selfsubjectreviews`;
      const review = await kube.request({ method: 'POST', path, body });
      const username = field(field(field(review, 'status'), 'userInfo'), 'username');
      return typeof username === 'string' ? username.slice(0, 256) : undefined;
    } catch (error) {
      if (isKubeError(error)) return undefined;
      throw error;
    }
  };
}
