import { expect } from 'chai';
import type { EndpointState } from '#crds/zip-project.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { createReconcileProject } from '../../../controller/project.ts';
import { aZipProject, NAMESPACE } from '../../support/builders.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const setUp = (project = aZipProject(), webhook?: EndpointState, cached = [project]) => {
  let written = 0;
  const gone: string[] = [];
  const applied: unknown[] = [];
  const applyTo = <T extends KubeObject>(): Pick<ObjectClient<T>, 'apply'> => ({
    apply: (object, { fieldManager, subresource }) => {
      applied.push({ ...object, by: fieldManager, ...(subresource && { subresource }) });
      return Promise.resolve(object as unknown as T);
    },
  });
  const reconcile = createReconcileProject({
    find: () => cached[0],
    projects: applyTo(),
    serviceAccounts: applyTo(),
    roleBindings: applyTo(),
    webhook: () => ({
      state: webhook,
      written: () => {
        written += 1;
      },
    }),
    onGone: (key) => gone.push(key),
    clock: createManualClock(),
  });
  return { applied, gone, reconcile, written: () => written };
};

const META = {
  name: 'zipjobs-zipper',
  namespace: NAMESPACE,
  labels: { 'app.kubernetes.io/part-of': 'zipjobs', 'app.kubernetes.io/managed-by': 'zipjobs-controller' },
  ownerReferences: [
    {
      apiVersion: 'zipjobs.dev/v1alpha1',
      kind: 'ZipProject',
      name: 'project',
      uid: 'uid-project',
      controller: true,
    },
  ],
};
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'ProjectReady',
  message: 'The identity of the zippers of the project is in place.',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-02T03:04:05Z',
} as const;

describe('reconcileProject', () => {
  it("gives the project's zippers an identity without an automatic token, bound to one role, then is Ready", async () => {
    const { applied, reconcile } = setUp();
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.deep.equal([
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: META,
        automountServiceAccountToken: false,
        by: 'zipjobs-controller',
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: META,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'zipjobs-zipper' },
        subjects: [{ kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: NAMESPACE }],
        by: 'zipjobs-controller',
      },
      {
        apiVersion: 'zipjobs.dev/v1alpha1',
        kind: 'ZipProject',
        metadata: { name: 'project', namespace: NAMESPACE },
        status: { conditions: [READY] },
        by: 'zipjobs-controller',
        subresource: 'status',
      },
    ]);
  });

  it('writes no status that is there already', async () => {
    const { applied, reconcile } = setUp({ ...aZipProject(), status: { conditions: [READY] } });
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.have.length(2);
  });

  it('writes what is known of the webhook beside the condition, for the version that it was read from', async () => {
    const webhook = { state: 'Disabled', endpoint: 'e' } as const;
    const project = aZipProject();
    const status = { conditions: [READY] };
    const metadata = { ...project.metadata, resourceVersion: '7' };
    const { applied, reconcile, written } = setUp({ ...project, metadata, status }, webhook);
    await reconcile(`${NAMESPACE}/project`);
    expect(applied.at(-1)).to.deep.include({
      metadata: { name: 'project', namespace: NAMESPACE, resourceVersion: '7' },
      status: { ...status, webhook },
    });
    expect(written()).to.equal(1);
  });

  it('leaves a project alone that is being deleted', async () => {
    const project = aZipProject();
    const { applied, reconcile } = setUp({
      ...project,
      metadata: { ...project.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' },
    });
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.deep.equal([]);
  });

  it('tells of a project that is no more', async () => {
    const { applied, gone, reconcile } = setUp(aZipProject(), undefined, []);
    await reconcile(`${NAMESPACE}/project`);
    expect([applied, gone]).to.deep.equal([[], [`${NAMESPACE}/project`]]);
  });
});
