import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { isKubeError, KubeError } from '#runtime/kube/client/kube-error.ts';

const PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

function nameIn(response: unknown): unknown {
  const status = isRecord(response) ? response['status'] : undefined;
  const user = isRecord(status) ? status['userInfo'] : undefined;
  return isRecord(user) ? user['username'] : undefined;
}

/**
 * Asks the API server for the name of the client's user, which every user is allowed to do. Undefined when the token is not
 * valid.
 * @throws KubeError when the API server returns no name
 */
export async function identify(kube: KubeClient, signal?: AbortSignal): Promise<string | undefined> {
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
    throw new KubeError('the response contains no username', {
      attempt: `POST ${PATH}`,
      code: 'InvalidResponse',
    });
  } catch (error) {
    if (isKubeError(error, 'Unauthorized')) return undefined;
    throw error;
  }
}
