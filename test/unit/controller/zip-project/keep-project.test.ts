import { expect } from 'chai';
import { createReconcileProject } from '#controller/zip-project/keep-project.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';

interface SetUp {
  readonly webhook?: EndpointState;
  /** What the cache holds: the project unless told otherwise. */
  readonly cached?: readonly ZipProject[];
  readonly fault?: Error;
}

const setUp = (project = aZipProject(), { webhook, cached = [project], fault }: SetUp = {}) => {
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
    children: {
      ensure: () => (fault ? Promise.reject(fault) : Promise.resolve(['ServiceAccount', 'RoleBinding'])),
    },
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

const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'ProjectReady',
  message: 'ServiceAccount and RoleBinding zipjobs-zipper of the zippers exist.',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-02T03:04:05Z',
} as const;

describe('reconcileProject', () => {
  it('sees to what the zippers of the project need, then says what is in place', async () => {
    const { applied, reconcile } = setUp();
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.deep.equal([
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

  it('says what could not be put in place, and tries again', async () => {
    const fault = new Error('PATCH rolebindings/zipjobs-zipper: cannot change roleRef');
    const { applied, reconcile } = setUp(aZipProject(), { fault });
    expect(await reconcile(`${NAMESPACE}/project`).catch((error: unknown) => error)).to.equal(fault);
    expect(JSON.stringify(applied)).to.contain('"status":"False","reason":"ProjectIncomplete"');
    expect(JSON.stringify(applied)).to.contain('cannot change roleRef');
  });

  it('says nothing in a namespace that is going', async () => {
    const fault = new KubeError('the namespace is going', { code: 'NamespaceTerminating' });
    const { applied, reconcile } = setUp(aZipProject(), { fault });
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.deep.equal([]);
  });

  it('writes no status that is there already', async () => {
    const { applied, reconcile } = setUp({ ...aZipProject(), status: { conditions: [READY] } });
    await reconcile(`${NAMESPACE}/project`);
    expect(applied).to.deep.equal([]);
  });

  it('writes what is known of the webhook beside the condition, for the version that it was read from', async () => {
    const webhook = { state: 'Disabled', endpoint: 'e' } as const;
    const project = aZipProject();
    const status = { conditions: [READY] };
    const metadata = { ...project.metadata, resourceVersion: '7' };
    const { applied, reconcile, written } = setUp({ ...project, metadata, status }, { webhook });
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
    const { applied, gone, reconcile } = setUp(aZipProject(), { cached: [] });
    await reconcile(`${NAMESPACE}/project`);
    expect([applied, gone]).to.deep.equal([[], [`${NAMESPACE}/project`]]);
  });
});
