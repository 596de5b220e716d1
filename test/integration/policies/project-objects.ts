/** Which service accounts, role bindings and NetworkPolicies the token of the controller can create. */
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { accept, corePath, expectRefusal, OWN, type World } from './world.ts';

let world: World;

function apply(path: string, body: object): Promise<KubeResponse> {
  return world.controller.request('PATCH', `${path}?fieldManager=zipjobs-controller&force=true&dryRun=All`, {
    patch: 'apply',
    body,
  });
}

export function describeProjectObjects(theWorld: () => World): void {
  before(() => {
    world = theWorld();
  });
  const metadata = { name: 'zipjobs-zipper', namespace: OWN };
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${OWN}/rolebindings/zipjobs-zipper`;
  const policies = `/apis/networking.k8s.io/v1/namespaces/${OWN}/networkpolicies/zipjobs-zipper`;
  const account = `${corePath(OWN, 'serviceaccounts')}/zipjobs-zipper`;

  it('binds the role of the zipper to the zipper of the project only (N10)', async () => {
    const zipper = { kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: OWN };
    function binding(...subjects: readonly object[]) {
      return apply(rbac, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zipjobs-zipper' },
        subjects,
      });
    }
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

  it('binds no other role to the zipper, not even one that the controller has itself (N24)', async () => {
    function binding(kind: string, name: string, namespace: string) {
      return apply(rbac.replace(OWN, namespace), {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { ...metadata, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects: [{ kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace }],
      });
    }
    // In a namespace without the binding: the role of an existing one cannot be changed at all.
    accept(await binding('ClusterRole', 'zipjobs-zipper', 'default'));
    const refusal = 'the controller may bind only the cluster role zipjobs-zipper';
    expectRefusal(await binding('ClusterRole', 'zipjobs-controller', 'default'), refusal);
    expectRefusal(await binding('Role', 'zipjobs-controller', RELEASE_NAMESPACE), refusal);
  });

  it('sets no labels and owners of the objects of a project but its own (N24)', async () => {
    const objects: readonly (readonly [string, object])[] = [
      [account, { apiVersion: 'v1', kind: 'ServiceAccount', automountServiceAccountToken: false }],
      [
        rbac,
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zipjobs-zipper' },
          subjects: [{ kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: OWN }],
        },
      ],
      [
        policies,
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          spec: {
            podSelector: {
              matchLabels: {
                'app.kubernetes.io/name': 'zipjobs-zipper',
                'app.kubernetes.io/managed-by': 'zipjobs-controller',
              },
            },
          },
        },
      ],
    ];
    const project = {
      apiVersion: 'zipjobs.dev/v1alpha1',
      kind: 'ZipProject',
      name: 'project',
      uid: '00000000-0000-4000-8000-000000000001',
      controller: true,
    };
    const labels = {
      'app.kubernetes.io/part-of': 'zipjobs',
      'app.kubernetes.io/managed-by': 'zipjobs-controller',
    };
    for (const [path, object] of objects) {
      function write(more: object) {
        return apply(path, { ...object, metadata: { ...metadata, ...more } });
      }
      accept(await write({ labels, ownerReferences: [project] }));
      for (const refused of [
        { 'azure.workload.identity/use': 'true' },
        { ...labels, 'example.com/team': 'a' },
        { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
      ])
        expectRefusal(
          await write({ labels: refused }),
          'the controller may set only its own labels of the objects of a project',
        );
      for (const owner of [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'project', uid: project.uid },
        { ...project, kind: 'ZipJob' },
        { ...project, name: 'other' },
      ])
        expectRefusal(
          await write({ ownerReferences: [owner] }),
          'the objects of a project may have only its ZipProject as an owner',
        );
      const blocking = await write({ ownerReferences: [{ ...project, blockOwnerDeletion: true }] });
      // An admission plugin of Kubernetes is earlier than the policy.
      expectRefusal(blocking, 'cannot set blockOwnerDeletion');
    }
  });

  it('deletes none of the objects of a project, although it may set their owner on OpenShift (N24)', async () => {
    for (const path of [account, rbac]) {
      const deleted = await world.controller.request('DELETE', `${path}?dryRun=All`);
      expectRefusal(deleted, 'the controller may not delete the objects of a project');
    }
  });

  it('gives the service account of a zipper neither a mounted token nor an identity in the cloud (N10)', async () => {
    function write(more: object, annotations?: object) {
      return apply(account, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { ...metadata, ...(annotations && { annotations }) },
        automountServiceAccountToken: false,
        ...more,
      });
    }
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
    function write(podSelector: object) {
      return apply(policies, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata,
        spec: { podSelector, policyTypes: ['Ingress'] },
      });
    }
    const labels = {
      'app.kubernetes.io/name': 'zipjobs-zipper',
      'app.kubernetes.io/managed-by': 'zipjobs-controller',
    };
    accept(await write({ matchLabels: labels }));
    for (const selector of [{}, { matchLabels: { app: 'shop' } }])
      expectRefusal(await write(selector), 'a NetworkPolicy of the controller must select only zipper pods');
  });
}
