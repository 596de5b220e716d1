/** Tokens of pods that no kubelet runs. */
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { until } from '../until.ts';
import type { KubeResponse, KubeUser } from './kube-user.ts';

interface PodName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

function accept(response: KubeResponse): KubeResponse {
  if (response.status >= 300) throw new Error(`status ${response.status}: ${response.message}`);
  return response;
}

/** Places a pod on a node like the scheduler. */
export async function bindPod(
  admin: KubeUser,
  { namespace, name }: Pick<PodName, 'namespace' | 'name'>,
  node: string,
): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
  accept(await admin.request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, { body }));
}

/** The token that the kubelet of its node would mount into a zipper pod. */
export function mountedToken(node: KubeUser, { namespace, name, uid }: PodName): Promise<string> {
  // The node authorizer learns of the binding a little later.
  return until('a token for the pod of the node', async () => {
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${ZIPPER_SERVICE_ACCOUNT}/token`;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const spec = { expirationSeconds: 600, boundObjectRef };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const response = accept(await node.request('POST', account, { body }));
    return (response.body['status'] as { token: string }).token;
  });
}
