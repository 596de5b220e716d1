import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from './until.ts';

export interface Right {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  /** All namespaces by default. */
  readonly namespace?: string;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** The groups that the API server adds to a user. */
function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):/.exec(user) ?? [];
  const ofAccount = namespace && ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return ['system:authenticated', ...(ofAccount || [])];
}

/** Waits until a new binding takes effect. The API server's authorizer learns of it from a watch. */
export function untilAllowed(
  cluster: NodelessCluster,
  { user, verb, resource, namespace }: Right,
): Promise<unknown> {
  const [plural, ...group] = resource.split('.');
  const resourceAttributes = { verb, resource: plural, group: group.join('.'), namespace };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups: groupsOf(user), resourceAttributes },
  };
  return until(`${user} to be allowed to ${verb} ${resource}`, async () => {
    const { status } = await cluster.create<{ status: { allowed: boolean } }>(REVIEWS, review);
    return status.allowed;
  });
}
