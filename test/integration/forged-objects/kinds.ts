import { type ApiResource, pathOf, readApiResources, resourceName } from '#test/permissions/api-resources.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function mayCreate(
  user: KubeUser,
  { group, plural }: ApiResource,
  namespace: string,
): Promise<boolean> {
  const { status, message, body } = await user.request('POST', REVIEWS, {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'create', group, resource: plural, namespace } },
    },
  });
  if (status !== 201) throw new Error(`review of ${plural}: ${status} ${message}`);
  return (body['status'] as { allowed: boolean }).allowed;
}

/** The stored kinds that this user may create in this namespace, as the API server and its roles say now. */
export async function creatableKinds(
  admin: KubeUser,
  user: KubeUser,
  namespace: string,
): Promise<readonly ApiResource[]> {
  const stored = (await readApiResources(admin)).filter(
    ({ namespaced, subresource, verbs }) =>
      namespaced && subresource === '' && ['create', 'list'].every((verb) => verbs.includes(verb)),
  );
  const allowed = await Promise.all(stored.map((kind) => mayCreate(user, kind, namespace)));
  return stored.filter((_, index) => allowed[index]);
}

export function collectionOf(kind: ApiResource, namespace: string): string {
  return `${pathOf(kind)}/namespaces/${namespace}/${kind.plural}`;
}

/** As in `kubectl api-resources`. */
export function kindName(kind: ApiResource): string {
  return kind.group === '' ? resourceName(kind) : `${resourceName(kind)}.${kind.group}`;
}
