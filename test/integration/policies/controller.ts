/** What the token of the controller permits. */
import { expect } from 'chai';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import {
  accept,
  applyZipperBinding,
  CONFIG,
  corePath,
  expectRefusal,
  jobsPath,
  OWN,
  type World,
  ZIP_BUCKET,
  zipPath,
} from './world.ts';

interface JobBody {
  metadata: { name: string; annotations?: Record<string, string>; ownerReferences?: unknown };
  spec: { template: { spec: PodBody } };
}
interface PodBody {
  [field: string]: unknown;
  containers: Record<string, unknown>[];
  volumes: Record<string, unknown>[];
}

const firstContainer = (pod: PodBody): Record<string, unknown> => pod.containers[0] ?? {};
const mount = (pod: PodBody, volume: Record<string, unknown>): number =>
  pod.volumes.push({ name: 'extra', ...volume });
const listOf = (secretName: string) => ({ projected: { sources: [{ secret: { name: secretName } }] } });

const ONE_CONTAINER = `a zipper's Job must have one container, which runs ${CONFIG.zipperImage} without another command`;
const OWN_SECRETS = 'a zipper may mount only the Secret of its bucket and the file list of one ZipJob';

const INVALID_JOBS: readonly [string, (pod: PodBody, job: JobBody) => unknown, string][] = [
  ['another image', (pod) => (firstContainer(pod)['image'] = 'evil'), ONE_CONTAINER],
  ['a command', (pod) => (firstContainer(pod)['command'] = ['sh']), ONE_CONTAINER],
  ['arguments', (pod) => (firstContainer(pod)['args'] = ['-e']), ONE_CONTAINER],
  ['a second container', (pod) => pod.containers.push({ name: 'b', image: 'b' }), ONE_CONTAINER],
  ['an init container', (pod) => (pod['initContainers'] = [{ name: 'b', image: 'b' }]), ONE_CONTAINER],
  [
    'another service account',
    (pod) => (pod['serviceAccountName'] = 'default'),
    "a zipper's Job must use the service account zipjobs-zipper",
  ],
  [
    'the automatic token',
    (pod) => (pod['automountServiceAccountToken'] = true),
    "a zipper's Job must set automountServiceAccountToken to false",
  ],
  [
    "the node's network",
    (pod) => (pod['hostNetwork'] = true),
    'a zipper must not share the network, PID or IPC namespace of its node',
  ],
  [
    "the node's files",
    (pod) => mount(pod, { hostPath: { path: '/' } }),
    'a zipper may mount only Secrets, its token and its task',
  ],
  ['another Secret', (pod) => mount(pod, { secret: { secretName: 'database' } }), OWN_SECRETS],
  ['the webhook key', (pod) => mount(pod, { secret: { secretName: 'zipjobs-webhook' } }), OWN_SECRETS],
  ["another ZipJob's list", (pod) => mount(pod, listOf('zip-other-files-0')), OWN_SECRETS],
  [
    'two buckets',
    (pod) => mount(pod, { secret: { secretName: 'zipbucket-b' } }),
    'a zipper may mount the credentials of only one bucket',
  ],
  ["a bucket's Secret beside a list", (pod) => mount(pod, listOf('zipbucket-b')), OWN_SECRETS],
  [
    'a Secret in its environment',
    (pod) =>
      (firstContainer(pod)['env'] = [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'database', key: 'password' } } },
      ]),
    "a zipper's environment must not contain Secrets",
  ],
  [
    'a whole Secret in its environment',
    (pod) => (firstContainer(pod)['envFrom'] = [{ secretRef: { name: 'database' } }]),
    "a zipper's environment must not contain Secrets",
  ],
  [
    'no owner',
    (_pod, job) => delete job.metadata.ownerReferences,
    "a zipper's Job must have one owner, of the API group zipjobs.dev",
  ],
];

const aSecret = (name: string, more: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...more,
});

let world: World;
let zipJob: ZipJob;
const secrets = corePath(OWN, 'secrets');
const DRY_RUN = `${jobsPath(OWN)}?dryRun=All`;

const itMakesJobs = (): void => {
  it('creates the Job of a ZipJob that has its list in Secrets (P7)', async () => {
    const name = `zip-${'0'.repeat(8)}`;
    const listed = {
      ...zipJob,
      metadata: { ...zipJob.metadata, name },
      spec: { ...zipJob.spec, filesFrom: { secretNames: [`${name}-files-0`, `${name}-files-1`] } },
    } as unknown as ZipJob;
    accept(await world.controller.request('POST', DRY_RUN, { body: world.jobOf(listed) }));
  });

  it('creates the Job of a rerun ZipJob: it mounts the one list that its annotation names (P7)', async () => {
    const listed = (annotations: Record<string, string>, ...lists: readonly string[]) => {
      const job = structuredClone(world.jobOf(zipJob)) as unknown as JobBody;
      for (const list of lists) job.spec.template.spec.volumes.push({ name: list, ...listOf(list) });
      return { ...job, metadata: { ...job.metadata, annotations } };
    };
    const of = (name: string) => ({ 'zipjobs.dev/file-list-of': name });
    const post = (body: unknown) => world.controller.request('POST', DRY_RUN, { body });
    accept(await post(listed(of('zip-first'), 'zip-first-files-0', 'zip-first-files-1')));
    expectRefusal(await post(listed(of('zip-first'), 'zip-first-files-0', 'zip-other-files-0')), OWN_SECRETS);
    expectRefusal(
      await post(listed(of('.*'), 'zip-other-files-0')),
      'the annotation zipjobs.dev/file-list-of must be the name of a ZipJob',
    );
  });

  for (const [what, change, message] of INVALID_JOBS)
    it(`cannot create a Job with ${what} (P7)`, async () => {
      const job = structuredClone(world.jobOf(zipJob)) as unknown as JobBody;
      change(job.spec.template.spec, job);
      expectRefusal(await world.controller.request('POST', DRY_RUN, { body: job }), message);
    });
};

const itTestsBuckets = (): void => {
  const { metadata } = ZIP_BUCKET;
  const bucket = { ...ZIP_BUCKET, metadata: { ...metadata, uid: 'b2c9a4c2-6d0a-4f57-8e1b-9a3f5f6f7a02' } };
  const aTest = () => structuredClone(testJob(bucket, '1', CONFIG)) as unknown as JobBody;

  it('creates a Job that mounts the Secret of that bucket (P7)', async () => {
    accept(await world.controller.request('POST', DRY_RUN, { body: aTest() }));
  });

  const bad: readonly [string, Record<string, unknown>][] = [
    ["another bucket's Secret", { secret: { secretName: 'zipbucket-s3-other' } }],
    ['a token', { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }],
    ['a file list', listOf('s3-archives-files-0')],
  ];
  for (const [what, volume] of bad)
    it(`cannot create a Job that mounts ${what} (P7)`, async () => {
      const job = aTest();
      mount(job.spec.template.spec, volume);
      expectRefusal(
        await world.controller.request('POST', DRY_RUN, { body: job }),
        'a bucket test may mount only the credentials of that bucket and its task',
      );
    });
};

export const describeController = (theWorld: () => World): void => {
  before(async () => {
    world = theWorld();
    zipJob = await world.createZipJob(OWN);
  });

  itMakesJobs();
  describe('for the test of a bucket', itTestsBuckets);

  it('changes nothing of a bucket or a project but its finalizer (P13)', async () => {
    const buckets = zipPath(OWN, 'zipbuckets');
    const made = {
      ...ZIP_BUCKET,
      metadata: { name: 's3-untouched' },
      spec: { ...ZIP_BUCKET.spec, bucketName: 'untouched' },
    };
    accept(await world.admin.request('POST', buckets, { body: made }));
    const patch = (body: Record<string, unknown>) =>
      world.controller.request('PATCH', `${buckets}/s3-untouched`, { patch: 'merge', body });
    accept(await patch({ metadata: { finalizers: ['zipjobs.dev/cleanup'] } }));
    for (const body of [
      { spec: { region: 'eu-west-1' } },
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { finalizers: ['zipjobs.dev/cleanup', 'example.com/other'] } },
    ])
      expectRefusal(
        await patch(body),
        'the controller may change only the finalizer and the status of a ZipBucket or ZipProject',
      );
    accept(await patch({ metadata: { finalizers: null } }));
    accept(await world.admin.request('DELETE', `${buckets}/s3-untouched`));
  });

  it('reads one Secret of a project, and no credentials of a bucket (P12, P13)', async () => {
    for (const path of [`${secrets}/zipbucket-s3-archives`, secrets, '/api/v1/secrets'])
      expectRefusal(await world.controller.request('GET', path), 'forbidden');
    expect((await world.controller.request('GET', `${secrets}/zipjobs-webhook`)).status).to.equal(404);
    expectRefusal(await world.controller.request('POST', secrets, { body: aSecret('x') }), 'forbidden');
  });

  it('deletes the file lists of ZipJobs and no other Secret (P13)', async () => {
    const { name, uid = '' } = zipJob.metadata;
    const ownerReferences = [{ apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob', name, uid }];
    const list = { metadata: { name: `${name}-files-0`, ownerReferences } };
    const lookAlike = { metadata: { name: 'backup-files-0', ownerReferences } };
    for (const body of [
      aSecret('', list),
      aSecret('', lookAlike),
      aSecret('zipbucket-x'),
      aSecret('y-files-0'),
    ])
      accept(await world.admin.request('POST', secrets, { body }));
    const remove = (secret: string) => world.controller.request('DELETE', `${secrets}/${secret}`);
    for (const secret of ['zipbucket-x', 'y-files-0', 'backup-files-0'])
      expectRefusal(
        await remove(secret),
        'the controller may delete only Secrets that are file lists of ZipJobs',
      );
    accept(await remove(`${name}-files-0`));
    expectRefusal(await world.controller.request('DELETE', secrets), 'forbidden');
  });

  it("grants only the zipper's role, and only to the zipper (P13)", async () => {
    expectRefusal(await applyZipperBinding(world.controller, 'default', 'cluster-admin'), 'forbidden');
    expectRefusal(await applyZipperBinding(world.controller, 'default', 'view'), 'forbidden');
    const elsewhere = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    expectRefusal(await world.controller.request('POST', elsewhere, { body: {} }), 'forbidden');
    const account = `${corePath('default', 'serviceaccounts')}/other?fieldManager=x`;
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other' } };
    expectRefusal(await world.controller.request('PATCH', account, { patch: 'apply', body }), 'forbidden');
  });
};
