/** When the API server accepts the deletion of a ZipBucket. */
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import { accept, expectRefusal, type World, ZIP_BUCKET, zipPath } from './world.ts';

const REFUSAL =
  'unfinished ZipJobs use this ZipBucket. Wait until they are finished, or set the annotation zipjobs.dev/force-delete=true';

let world: World;

async function createProject(namespace: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  accept(await world.admin.request('POST', '/api/v1/namespaces', { body }));
  const project = {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    metadata: { name: 'project', finalizers: ['zipjobs.dev/cleanup'] },
    spec: {},
  };
  accept(await world.admin.request('POST', zipPath(namespace, 'zipprojects'), { body: project }));
}

interface Existing {
  readonly activeJobs?: number;
  readonly metadata?: object;
}

/** Creates a bucket whose status counts jobs, and returns its path. */
async function createBucket(
  namespace: string,
  { activeJobs = 3, metadata = {} }: Existing = {},
): Promise<string> {
  const { spec } = ZIP_BUCKET;
  const bucketName = `b-${Math.random().toString(36).slice(2, 10)}`;
  const name = `s3-${bucketName}`;
  const path = `${zipPath(namespace, 'zipbuckets')}/${name}`;
  const body = {
    ...ZIP_BUCKET,
    metadata: { name, finalizers: ['zipjobs.dev/cleanup'], ...metadata },
    spec: { ...spec, bucketName },
  };
  accept(await world.admin.request('POST', zipPath(namespace, 'zipbuckets'), { body }));
  accept(await world.admin.request('PATCH', `${path}/status`, { body: { status: { activeJobs } } }));
  return path;
}

function deleteDry(path: string, user: KubeUser = world.admin) {
  return user.request('DELETE', `${path}?dryRun=All`);
}

/** The API server watches the projects that are parameters of the policy. */
function untilRefused(namespace: string) {
  return until('the policy to know the project', async () => {
    const { message } = await deleteDry(await createBucket(namespace));
    return message.includes(REFUSAL);
  });
}

export function describeBucketDeletions(theWorld: () => World): void {
  const namespace = 'orange';
  before(async () => {
    world = theWorld();
    await createProject(namespace);
    await untilRefused(namespace);
  });

  it('is refused while the status counts jobs, for one bucket and for all (N28)', async () => {
    const path = await createBucket(namespace);
    expectRefusal(await deleteDry(path), `3 ${REFUSAL}`);
    expectRefusal(await deleteDry(zipPath(namespace, 'zipbuckets')), REFUSAL);
    const one = await createBucket(namespace, { activeJobs: 1 });
    expectRefusal(await deleteDry(one), `1 ${REFUSAL}`);
  });

  it('is accepted without jobs, and again while it is being deleted (N28)', async () => {
    const path = await createBucket(namespace, { activeJobs: 0 });
    accept(await world.admin.request('DELETE', path));
    accept(await world.admin.request('PATCH', `${path}/status`, { body: { status: { activeJobs: 2 } } }));
    accept(await deleteDry(path));
  });

  for (const [value, isAccepted] of [
    ['true', true],
    ['yes', true],
    ['', true],
    ['false', false],
  ] as const)
    it(`is ${isAccepted ? 'accepted' : 'refused'} with zipjobs.dev/force-delete=${value} (N28)`, async () => {
      const annotations = { 'zipjobs.dev/force-delete': value };
      const response = await deleteDry(await createBucket(namespace, { metadata: { annotations } }));
      if (isAccepted) accept(response);
      else expectRefusal(response, REFUSAL);
    });

  it('is accepted without our finalizer, because no controller counts the jobs (N28)', async () => {
    const finalizers = ['example.com/other'];
    accept(await deleteDry(await createBucket(namespace, { metadata: { finalizers } })));
  });

  for (const commonName of [
    'system:kube-controller-manager',
    'system:serviceaccount:kube-system:generic-garbage-collector',
    'system:serviceaccount:kube-system:namespace-controller',
  ])
    it(`is accepted from Kubernetes itself: ${commonName} (N28)`, async () => {
      await using user = await signIn(world.cluster, { commonName, organizations: ['system:masters'] });
      accept(await deleteDry(await createBucket(namespace), user));
    });

  it('is refused for other accounts of kube-system (N28)', async () => {
    const commonName = 'system:serviceaccount:kube-system:helm-controller';
    await using user = await signIn(world.cluster, { commonName, organizations: ['system:masters'] });
    expectRefusal(await deleteDry(await createBucket(namespace), user), REFUSAL);
  });

  it('is accepted once an owner is deleted (N28)', async () => {
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } };
    const { body } = accept(await world.admin.request('POST', configMaps, { body: owner }));
    const { uid } = body['metadata'] as { readonly uid: string };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const path = await createBucket(namespace, { metadata: { ownerReferences } });
    accept(await world.admin.request('DELETE', `${configMaps}/owner`));
    await until('the garbage collector to delete the bucket', async () => {
      const { body: bucket } = accept(await world.admin.request('GET', path));
      return (bucket['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined;
    });
  });

  it('is accepted once the project is being deleted, or in a namespace without one (N28)', async () => {
    const leaving = 'amber';
    await createProject(leaving);
    await untilRefused(leaving);
    const path = await createBucket(leaving);
    const project = `${zipPath(leaving, 'zipprojects')}/project`;
    accept(await world.admin.request('DELETE', project));
    await until('the policy to know that the project is being deleted', async () => {
      const { status } = await deleteDry(path);
      return status === 200;
    });
    accept(await world.admin.request('PATCH', project, { body: { metadata: { finalizers: null } } }));
    await until(
      'the project to be gone',
      async () => (await world.admin.request('GET', project)).status === 404,
    );
    accept(await deleteDry(path));
  });

  it('is accepted in a namespace that is being deleted (N28)', async () => {
    const doomed = 'grey';
    await createProject(doomed);
    await untilRefused(doomed);
    const path = await createBucket(doomed);
    accept(await world.admin.request('DELETE', `/api/v1/namespaces/${doomed}`));
    await until('the namespace controller to delete the bucket', async () => {
      const { body } = accept(await world.admin.request('GET', path));
      return (body['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined;
    });
    const { status } = await deleteDry(path);
    expect(status).to.equal(200);
  });
}
