import type { KubeClient } from '#runtime/kube/client.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { isKubeError, KubeError } from '#runtime/kube/kube-error.ts';

const PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

const nameIn = (answer: unknown): unknown => {
  const status = isRecord(answer) ? answer['status'] : undefined;
  const user = isRecord(status) ? status['userInfo'] : undefined;
  return isRecord(user) ? user['username'] : undefined;
};

/**
 * Asks the API server who the client's person is: everyone may ask that of themselves. Undefined when the token opens
 * nothing there.
 * @throws KubeError when the API server does not tell
 */
export const whoIs = async (kube: KubeClient, signal?: AbortSignal): Promise<string | undefined> => {
  try {
    const name = nameIn(
      await kube.request({
        method: 'POST',
        path: PATH,
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        signal,
      }),
    );
    if (typeof name === 'string' && name !== '') return name === 'system:anonymous' ? undefined : name;
    throw new KubeError(`POST ${PATH}: the answer names nobody`, { code: 'InvalidAnswer' });
  } catch (error) {
    if (isKubeError(error, 'Unauthorized')) return undefined;
    throw error;
  }
};
