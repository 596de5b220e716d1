/**
 * Topology-aware scheduling of Kueue: it resumes a Job with a scheduling gate in the pod template, then removes the gate of each pod
 * and selects its node.
 */
import { expect } from 'chai';
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { KUEUE_USER as KUEUE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { accept, corePath, expectRefusal, jobsPath, OWN, type World } from './world.ts';

const GATES = [{ name: 'kueue.x-k8s.io/topology' }];
const TOLERATION = { key: 'pool', operator: 'Equal', value: 'spot', effect: 'NoSchedule' };
const UNCHANGEABLE = "the spec of a zipper's pod cannot be changed";

interface GatedPod {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly schedulingGates?: readonly unknown[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly unknown[];
  };
}

export function describeQueueController(theWorld: () => World): void {
  let world: World;
  let path: string;
  let pod: GatedPod;

  function asKueue(method: string, at: string, body: unknown): Promise<KubeResponse> {
    return world.admin.request(method, at, { body, as: KUEUE });
  }
  const ungated = {
    spec: { schedulingGates: null, nodeSelector: { 'kubernetes.io/hostname': 'a' } },
  };

  before(async () => {
    world = theWorld();
    await world.cluster.kubectl(
      'create rolebinding kueue --clusterrole=edit --serviceaccount=kueue-system:kueue-controller-manager -n'
        .split(' ')
        .concat(OWN),
    );
    const zipJob = await world.createZipJob(OWN, { queueName: 'night' });
    accept(await world.controller.request('POST', jobsPath(OWN), { body: world.jobOf(zipJob) }));
    const template = {
      metadata: {
        labels: { 'kueue.x-k8s.io/podset': 'main', 'kueue.x-k8s.io/tas': 'true' },
        annotations: { 'kueue.x-k8s.io/workload': 'night' },
      },
      spec: { schedulingGates: GATES, nodeSelector: { pool: 'spot' } },
    };
    const jobPath = `${jobsPath(OWN)}/${zipJob.metadata.name}`;
    await until('the permissions of Kueue to take effect', async () =>
      accept(await asKueue('PATCH', jobPath, { spec: { suspend: false, template } })),
    );
    const pods = `${corePath(OWN, 'pods')}?labelSelector=job-name%3D${zipJob.metadata.name}`;
    pod = await until('the pod of the Job', async () => {
      const { body } = accept(await world.admin.request('GET', pods));
      return (body['items'] as readonly GatedPod[])[0];
    });
    path = `${corePath(OWN, 'pods')}/${pod.metadata.name}`;
  });

  it('is the only one that may remove the gate of a pod and select its node (X10) (N9)', async () => {
    expect(pod.spec.schedulingGates).to.deep.equal(GATES);
    for (const user of [world.editor, world.admin])
      expectRefusal(await user.request('PATCH', path, { body: ungated }), UNCHANGEABLE);
    accept(await asKueue('PATCH', `${path}?dryRun=All`, ungated));
  });

  it('may change nothing else of the pod (X10) (N9)', async () => {
    const terms = [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    };
    for (const spec of [{ activeDeadlineSeconds: 9 }, { affinity }])
      expectRefusal(await asKueue('PATCH', path, { spec: { ...ungated.spec, ...spec } }), UNCHANGEABLE);
    const image = { spec: { containers: [{ name: 'zipper', image: 'evil' }] } };
    expectRefusal(
      await world.admin.request('PATCH', path, { body: image, patch: 'strategic-merge', as: KUEUE }),
      UNCHANGEABLE,
    );
    const task = { metadata: { annotations: { 'zipjobs.dev/task': '{}' } } };
    expectRefusal(
      await asKueue('PATCH', path, { ...ungated, ...task }),
      "the task of a zipper's pod cannot be changed",
    );
  });

  it('removes the gate, and adds a node and a toleration (X10)', async () => {
    const tolerations = [...(pod.spec.tolerations ?? []), TOLERATION];
    const { body } = accept(await asKueue('PATCH', path, { spec: { ...ungated.spec, tolerations } }));
    const { spec } = body as unknown as GatedPod;
    expect(spec.schedulingGates ?? []).to.deep.equal([]);
    expect(spec.nodeSelector).to.include({ pool: 'spot', 'kubernetes.io/hostname': 'a' });
    expect(spec.tolerations).to.deep.include(TOLERATION);
  });
}
