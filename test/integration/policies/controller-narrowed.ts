/** What admission policies take away from the roles of the controller: everything that is not ours. */
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { accept, corePath, expectRefusal, jobsPath, OWN, type World, zipPath } from './world.ts';

const POD_SPEC = {
  nodeSelector: { 'policy-test': 'nowhere' },
  restartPolicy: 'Never',
  containers: [{ name: 'a', image: 'a' }],
};
const OF_ZIPPERS = 'the controller may delete only the Jobs and pods of zippers';

let world: World;

async function create(path: string, body: object): Promise<void> {
  accept(await world.admin.request('POST', path, { body }));
}

function remove(path: string): Promise<KubeResponse> {
  return world.controller.request('DELETE', `${path}?dryRun=All`);
}

function apply(path: string, body: object): Promise<KubeResponse> {
  return world.controller.request('PATCH', `${path}?fieldManager=zipjobs-controller&force=true&dryRun=All`, {
    patch: 'apply',
    body,
  });
}

function itDeletes(): void {
  it('deletes the Jobs and pods of zippers, and no others (N10)', async () => {
    const spec = { template: { spec: POD_SPEC } };
    await create(jobsPath(OWN), { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'payroll' }, spec });
    await create(corePath(OWN, 'pods'), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'payroll', labels: { 'app.kubernetes.io/managed-by': 'zipjobs-controller' } },
      spec: POD_SPEC,
    });
    const pods = corePath(OWN, 'pods');
    expectRefusal(await remove(`${jobsPath(OWN)}/payroll`), OF_ZIPPERS);
    expectRefusal(await remove(`${pods}/payroll`), OF_ZIPPERS);
    const zipper = await world.createZipper(OWN);
    accept(await remove(`${jobsPath(OWN)}/${zipper.zipJob}`));
    accept(await remove(`${pods}/${zipper.name}`));
  });

  it('deletes finished ZipJobs, and no others (N10)', async () => {
    const { name } = (await world.createZipJob(OWN)).metadata;
    const path = `${zipPath(OWN)}/${name}`;
    const refusal = 'the controller may delete only finished ZipJobs';
    expectRefusal(await remove(path), refusal);
    await world.setStatus(OWN, name, { phase: 'Running' });
    expectRefusal(await remove(path), refusal);
    await world.setStatus(OWN, name, { phase: 'Failed' });
    accept(await remove(path));
  });
}

function itMarksLostPods(): void {
  const lost = {
    phase: 'Failed',
    conditions: [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PodLost',
        message: 'x',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  function mark(name: string, status: object, metadata: object = {}) {
    return apply(`${corePath(OWN, 'pods')}/${name}/status`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: OWN, ...metadata },
      status,
    });
  }

  it('marks zipper pods as lost, and writes nothing else into the status of a pod (N10)', async () => {
    const { name } = await world.createZipper(OWN);
    await create(corePath(OWN, 'pods'), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'shop' },
      spec: POD_SPEC,
    });
    accept(await mark(name, lost));
    expectRefusal(await mark('shop', lost), 'the controller may change only the status of zipper pods');
    const refusal =
      'the controller may only mark a zipper pod as failed, or as succeeded after its zipper has';
    const condition = { ...lost.conditions[0], type: 'Ready' };
    for (const status of [
      { ...lost, podIP: '192.0.2.1', podIPs: [{ ip: '192.0.2.1' }] },
      { ...lost, phase: 'Succeeded' },
      { ...lost, conditions: [condition] },
    ])
      expectRefusal(await mark(name, status), refusal);
    expectRefusal(
      await mark(name, lost, { labels: { 'app.kubernetes.io/name': 'shop' } }),
      'the controller may not change the metadata of a pod',
    );
  });
}

function itChangesZipJobs(): void {
  it('cancels a ZipJob and changes nothing else of it but its finalizer and its annotations (N10)', async () => {
    const { name } = (await world.createZipJob(OWN, { suspend: true })).metadata;
    function patch(body: object) {
      return world.controller.request('PATCH', `${zipPath(OWN)}/${name}?dryRun=All`, { body });
    }
    const annotations = { 'zipjobs.dev/file-list-deleted-at': '2026-01-01T00:00:00Z' };
    accept(await patch({ metadata: { finalizers: ['zipjobs.dev/cleanup'] } }));
    accept(await patch({ metadata: { annotations } }));
    accept(await patch({ spec: { cancel: true } }));
    expectRefusal(await patch({ spec: { suspend: false } }), 'the controller may only cancel a ZipJob');
    for (const metadata of [
      { labels: { a: 'b' } },
      { annotations: { 'zipjobs.dev/created-by': 'somebody' } },
      { finalizers: ['example.com/never'] },
    ])
      expectRefusal(
        await patch({ metadata }),
        'the controller may change only its finalizer and its annotations of a ZipJob',
      );
  });
}

function itRecords(): void {
  it('records Events about our objects only, and creates its own Lease only (N10)', async () => {
    function event(about: string, component = 'zipjobs-controller') {
      return {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'x.1', namespace: OWN },
        involvedObject: { apiVersion: about, kind: 'ZipJob', name: 'x', namespace: OWN },
        source: { component },
        reason: 'Test',
        message: 'x',
      };
    }
    const events = corePath(OWN, 'events');
    function post(body: object) {
      return world.controller.request('POST', `${events}?dryRun=All`, { body });
    }
    accept(await post(event('zipjobs.dev/v1alpha1')));
    for (const body of [event('v1'), event('zipjobs.dev/v1alpha1', 'kubelet')])
      expectRefusal(await post(body), 'the controller may record only Events about objects of zipjobs.dev');
    await create(events, event('v1', 'kubelet'));
    const change = {
      involvedObject: { apiVersion: 'zipjobs.dev/v1alpha1' },
      source: { component: 'zipjobs-controller' },
    };
    expectRefusal(
      await world.controller.request('PATCH', `${events}/x.1?dryRun=All`, { body: change }),
      'the controller may change only its own Events',
    );
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${RELEASE_NAMESPACE}/leases?dryRun=All`;
    function lease(name: string) {
      return {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name },
      };
    }
    accept(await world.controller.request('POST', leases, { body: lease('zipjobs-controller') }));
    expectRefusal(
      await world.controller.request('POST', leases, { body: lease('another') }),
      'the controller may create only its own Lease',
    );
  });
}

export function describeNarrowedController(theWorld: () => World): void {
  before(() => {
    world = theWorld();
  });
  itDeletes();
  itMarksLostPods();
  itChangesZipJobs();
  itRecords();
}
