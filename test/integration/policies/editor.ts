/**
 * What a user with the role `edit` can do in a project's namespace: nothing that grants the permissions of a
 * zipper.
 */
import { expect } from 'chai';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import {
  accept,
  corePath,
  expectRefusal,
  jobsPath,
  OWN,
  tokenSecret,
  type World,
  type ZipperPod,
  zipPath,
} from './world.ts';

const ONLY_JOB_CONTROLLER = `only the Job controller may create pods with the service account ${ZIPPER_SERVICE_ACCOUNT}`;

function podSpec(serviceAccountName: string) {
  return {
    serviceAccountName,
    restartPolicy: 'Never',
    nodeSelector: { 'policy-test': 'nowhere' },
    containers: [{ name: 'zipper', image: 'zipjobs-zipper:0.1.0' }],
  };
}

function aPod(name: string, spec: unknown) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

function aJob(name: string, serviceAccountName: string) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { spec: podSpec(serviceAccountName) } },
  };
}

let world: World;
let pod: ZipperPod;
let podPath: string;

function privilegedUsers(): readonly KubeUser[] {
  return [world.editor, world.admin];
}

function itCannotActAsZipper(): void {
  it("cannot create a pod or a Job with the zipper's service account", async () => {
    for (const user of privilegedUsers()) {
      const pod = await user.request('POST', corePath(OWN, 'pods'), {
        body: aPod('mine', podSpec(ZIPPER_SERVICE_ACCOUNT)),
      });
      expectRefusal(pod, ONLY_JOB_CONTROLLER);
      const old = { ...podSpec(''), serviceAccountName: undefined, serviceAccount: ZIPPER_SERVICE_ACCOUNT };
      const byOldName = await user.request('POST', corePath(OWN, 'pods'), { body: aPod('mine', old) });
      expectRefusal(byOldName, ONLY_JOB_CONTROLLER);
      const job = await user.request('POST', jobsPath(OWN), { body: aJob('mine', ZIPPER_SERVICE_ACCOUNT) });
      expectRefusal(
        job,
        `only the zipjobs controller may create Jobs with the service account ${ZIPPER_SERVICE_ACCOUNT}`,
      );
    }
  });

  it('can create other pods and Jobs', async () => {
    accept(
      await world.editor.request('POST', corePath(OWN, 'pods'), { body: aPod('own', podSpec('default')) }),
    );
    accept(await world.editor.request('POST', jobsPath(OWN), { body: aJob('own', 'default') }));
    accept(
      await world.editor.request('PATCH', `${jobsPath(OWN)}/own`, { body: { spec: { suspend: true } } }),
    );
  });

  it('cannot create such a pod through a Deployment either', async () => {
    const labels = { app: 'mine' };
    const template = {
      metadata: { labels },
      spec: { ...podSpec(ZIPPER_SERVICE_ACCOUNT), restartPolicy: 'Always' },
    };
    accept(
      await world.editor.request('POST', `/apis/apps/v1/namespaces/${OWN}/deployments`, {
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'mine' },
          spec: { replicas: 1, selector: { matchLabels: labels }, template },
        },
      }),
    );
    await until('the ReplicaSet to be refused', async () => {
      const { body } = await world.admin.request('GET', `/apis/apps/v1/namespaces/${OWN}/replicasets`);
      return JSON.stringify(body).includes(ONLY_JOB_CONTROLLER);
    });
  });

  it('cannot get a token of the zipper, bound to a pod or not', async () => {
    const path = `${corePath(OWN, 'serviceaccounts')}/${ZIPPER_SERVICE_ACCOUNT}/token`;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid };
    for (const user of privilegedUsers())
      for (const spec of [{}, { boundObjectRef }]) {
        const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
        expectRefusal(
          await user.request('POST', path, { body }),
          `only nodes may request tokens of ${ZIPPER_SERVICE_ACCOUNT}`,
        );
      }
    const own = `${corePath(OWN, 'serviceaccounts')}/default/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    accept(await world.editor.request('POST', own, { body }));
  });

  it('cannot get a token through a Secret', async () => {
    for (const user of privilegedUsers()) {
      const made = await user.request('POST', corePath(OWN, 'secrets'), {
        body: tokenSecret('mine', ZIPPER_SERVICE_ACCOUNT),
      });
      expectRefusal(made, `Secrets with a token of ${ZIPPER_SERVICE_ACCOUNT} are not allowed`);
    }
    accept(
      await world.editor.request('POST', corePath(OWN, 'secrets'), { body: tokenSecret('own', 'default') }),
    );
    const { metadata } = tokenSecret('own', ZIPPER_SERVICE_ACCOUNT);
    const changed = await world.editor.request('PATCH', `${corePath(OWN, 'secrets')}/own`, {
      body: { metadata },
    });
    expectRefusal(changed, `Secrets with a token of ${ZIPPER_SERVICE_ACCOUNT} are not allowed`);
  });
}

export function describeEditor(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    podPath = `${corePath(OWN, 'pods')}/${pod.name}`;
  });

  itCannotActAsZipper();

  it('cannot run commands in a zipper, but can in other pods of the namespace', async () => {
    for (const user of privilegedUsers())
      for (const way of ['exec?command=id&container=zipper', 'exec?command=id', 'attach?stdout=true'])
        expectRefusal(
          await user.request('POST', `${podPath}/${way}`),
          'commands in a zipper pod are not allowed, because it has a token and the credentials of its bucket',
        );
    const other = await world.editor.request('POST', `${corePath(OWN, 'pods')}/own/exec?command=id`);
    expect(other.message).not.to.contain('ValidatingAdmissionPolicy');
  });

  it('cannot change the pod of a zipper to run something else, or hide it from policies (X13)', async () => {
    const image = { spec: { containers: [{ name: 'zipper', image: 'evil' }] } };
    const task = { metadata: { annotations: { 'zipjobs.dev/task': '{}' } } };
    const debug = { spec: { ephemeralContainers: [{ name: 'debug', image: 'evil' }] } };
    for (const user of privilegedUsers()) {
      function patch(path: string, body: unknown) {
        return user.request('PATCH', path, { patch: 'strategic-merge', body });
      }
      expectRefusal(await patch(podPath, image), "the spec of a zipper's pod cannot be changed");
      expectRefusal(await patch(podPath, task), "the task of a zipper's pod cannot be changed");
      for (const [name, value] of [
        ['app.kubernetes.io/name', null],
        ['app.kubernetes.io/managed-by', 'erin'],
      ] as const)
        expectRefusal(
          await patch(podPath, { metadata: { labels: { [name]: value } } }),
          "the labels of a zipper's pod that policies select cannot be changed",
        );
    }
    const joined = await world.admin.request('PATCH', `${podPath}/ephemeralcontainers`, {
      patch: 'strategic-merge',
      body: debug,
    });
    expectRefusal(
      joined,
      'ephemeral containers in a zipper pod are not allowed, because they could read its token and the credentials of its bucket',
    );
    accept(await world.editor.request('PATCH', podPath, { body: { metadata: { labels: { note: 'x' } } } }));
  });

  it('can delete the Job of a zipper but not change it', async () => {
    const path = `${jobsPath(OWN)}/${pod.zipJob}`;
    for (const spec of [{ parallelism: 2 }, { suspend: true }])
      expectRefusal(
        await world.editor.request('PATCH', path, { body: { spec } }),
        "the spec of a zipper's Job cannot be changed, except that its queue may resume it",
      );
    accept(await world.editor.request('DELETE', `${path}?propagationPolicy=Background&dryRun=All`));
  });

  it('can only resume the Job of a queue and select its nodes, as Kueue does', async () => {
    const zipJob = await world.createZipJob(OWN, { queueName: 'night' });
    accept(await world.controller.request('POST', jobsPath(OWN), { body: world.jobOf(zipJob) }));
    const path = `${jobsPath(OWN)}/${zipJob.metadata.name}`;
    const task = { metadata: { annotations: { 'zipjobs.dev/task': '{}' } } };
    for (const spec of [{ parallelism: 2 }, { activeDeadlineSeconds: 9 }, { template: task }])
      expectRefusal(
        await world.editor.request('PATCH', path, { body: { spec } }),
        "the spec of a zipper's Job cannot be changed, except that its queue may resume it",
      );
    const labels = { 'app.kubernetes.io/managed-by': 'erin' };
    expectRefusal(
      await world.editor.request('PATCH', path, { body: { spec: { template: { metadata: { labels } } } } }),
      "the spec of a zipper's Job cannot be changed, except that its queue may resume it",
    );
    const added = { 'kueue.x-k8s.io/podset': 'main' };
    const template = {
      metadata: { labels: added, annotations: added },
      spec: { nodeSelector: { pool: 'spot' } },
    };
    accept(await world.editor.request('PATCH', path, { body: { spec: { template } } }));
    const removed = { 'kueue.x-k8s.io/podset': null };
    const restored = {
      metadata: { labels: removed, annotations: removed },
      spec: { nodeSelector: null },
    };
    accept(await world.editor.request('PATCH', path, { body: { spec: { template: restored } } }));
    accept(await world.editor.request('PATCH', path, { body: { spec: { suspend: false, template } } }));
  });

  it('manages ZipJobs and ZipBuckets, but neither tokens nor any status', async () => {
    const { metadata } = await world.createZipJob(OWN);
    const path = `${zipPath(OWN)}/${metadata.name}`;
    accept(await world.editor.request('PATCH', path, { body: { spec: { cancel: true } } }));
    accept(await world.editor.request('GET', zipPath(OWN, 'zipbuckets')));
    expectRefusal(await world.editor.request('GET', zipPath(OWN, 'ziptokens')), 'forbidden');
    const status = { status: { phase: 'Succeeded' } };
    expectRefusal(await world.editor.request('PATCH', `${path}/status`, { body: status }), 'forbidden');
  });
}
