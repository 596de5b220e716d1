/** Which service accounts, role bindings and NetworkPolicies the token of the controller can create. */
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { accept, corePath, expectRefusal, OWN, type World } from './world.ts';

let world: World;

const apply = (path: string, body: object): Promise<KubeResponse> =>
  world.controller.request('PATCH', `${path}?fieldManager=zipjobs-controller&force=true&dryRun=All`, {
    patch: 'apply',
    body,
  });

export const describeProjectObjects = (theWorld: () => World): void => {
  before(() => {
    world = theWorld();
  });
  const metadata = { name: 'zipjobs-zipper', namespace: OWN };
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${OWN}/rolebindings/zipjobs-zipper`;
  const policies = `/apis/networking.k8s.io/v1/namespaces/${OWN}/networkpolicies/zipjobs-zipper`;
  const account = `${corePath(OWN, 'serviceaccounts')}/zipjobs-zipper`;

  it('binds the role of the zipper to the zipper of the project only (N10)', async () => {
    const zipper = { kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: OWN };
    const binding = (...subjects: readonly object[]) =>
      apply(rbac, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zipjobs-zipper' },
        subjects,
      });
    accept(await binding(zipper));
    const everyone = {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'Group',
      name: 'system:authenticated',
    };
    for (const subjects of [[everyone], [zipper, everyone], [{ ...zipper, namespace: 'default' }]])
      expectRefusal(
        await binding(...subjects),
        'the controller may bind roles only to the service account zipjobs-zipper of the same namespace',
      );
  });

  it('gives the service account of a zipper neither a mounted token nor an identity in the cloud (N10)', async () => {
    const write = (more: object, annotations?: object) =>
      apply(account, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { ...metadata, ...(annotations && { annotations }) },
        automountServiceAccountToken: false,
        ...more,
      });
    accept(await write({}));
    for (const more of [{ automountServiceAccountToken: true }, { imagePullSecrets: [{ name: 'registry' }] }])
      expectRefusal(
        await write(more),
        'the controller may not give zipjobs-zipper Secrets or a mounted token',
      );
    expectRefusal(
      await write({}, { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/admin' }),
      'the controller may not change annotations or finalizers of the objects of a project',
    );
  });

  it('selects no pods but those of zippers in a NetworkPolicy (N10)', async () => {
    const write = (podSelector: object) =>
      apply(policies, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata,
        spec: { podSelector, policyTypes: ['Ingress'] },
      });
    const labels = {
      'app.kubernetes.io/name': 'zipjobs-zipper',
      'app.kubernetes.io/managed-by': 'zipjobs-controller',
    };
    accept(await write({ matchLabels: labels }));
    for (const selector of [{}, { matchLabels: { app: 'shop' } }])
      expectRefusal(await write(selector), 'a NetworkPolicy of the controller must select only zipper pods');
  });
};
