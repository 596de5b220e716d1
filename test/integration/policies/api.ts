/** What the token of the API permits. */
import { toFileListSecrets } from '#api/create/to-zip-job.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { accept, corePath, expectRefusal, jobsPath, OWN, type World, zipPath } from './world.ts';

const FILE_LIST_ONLY = 'the API may create only file-list Secrets that are owned by their ZipJob';

let world: World;
const secrets = corePath(OWN, 'secrets');

export function describeApi(theWorld: () => World): void {
  let api: KubeUser;
  let owned: Record<string, unknown>[];

  before(async () => {
    world = theWorld();
    ({ api } = world);
    const name = 'zip-11111111-2222-4333-8444-555555555555';
    const uid = 'b2c9a4c2-6d0a-4f57-8e1b-9a3f5f6f7a01';
    const list = { chunks: [Buffer.from('x')], count: 1, sha256: '0'.repeat(64) };
    const job = { metadata: { name, uid, namespace: OWN } } as ZipJob & { metadata: { uid: string } };
    owned = toFileListSecrets(job, list, 'zipjobs')
      .map((secret) => ({ ...secret }))
      .toArray();
  });

  function create(change: Record<string, unknown>) {
    return api.request('POST', `${secrets}?dryRun=All`, { body: { ...owned[0], ...change } });
  }

  it('creates the Secrets of a file list', async () => {
    accept(await create({}));
  });

  function metadataOf() {
    return owned[0]?.['metadata'] as Record<string, unknown>;
  }
  const refused: readonly [string, () => Record<string, unknown>, string][] = [
    [
      'another name',
      () => ({ metadata: { ...metadataOf(), name: 'zipbucket-s3-archives' } }),
      FILE_LIST_ONLY,
    ],
    [
      "the webhook's name",
      () => ({ metadata: { ...metadataOf(), name: 'zipjobs-webhook' } }),
      FILE_LIST_ONLY,
    ],
    ['no owner', () => ({ metadata: { ...metadataOf(), ownerReferences: [] } }), FILE_LIST_ONLY],
    ['mutable data', () => ({ immutable: false }), 'the Secret of a file list must be immutable'],
    [
      'another type',
      () => ({ type: 'kubernetes.io/basic-auth', data: { username: '' } }),
      'the Secret of a file list must have type Opaque',
    ],
  ];
  for (const [what, change, message] of refused)
    it(`cannot create a Secret with ${what}`, async () => {
      expectRefusal(await create(change()), message);
    });

  it('creates only ZipJobs with a name, a label and a file list of its own (N10)', async () => {
    const name = 'zip-11111111-2222-4333-8444-555555555555';
    const filesFrom = { encoding: 'gzip+json', count: 1, sha256: '0'.repeat(64) };
    function post(spec: object, metadata: object = {}) {
      return api.request('POST', `${zipPath(OWN)}?dryRun=All`, {
        body: {
          apiVersion: 'zipjobs.dev/v1alpha1',
          kind: 'ZipJob',
          metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'zipjobs-api' }, ...metadata },
          spec: {
            bucketRef: { name: 's3-archives' },
            key: 'a.zip',
            filesFrom: { ...filesFrom, secretNames: [`${name}-files-0`] },
            ...spec,
          },
        },
      });
    }
    accept(await post({}));
    const refusal = 'the API may create only ZipJobs that have a name, a label and a file list of its own';
    expectRefusal(await post({ filesFrom: { ...filesFrom, secretNames: ['zip-other-files-0'] } }), refusal);
    expectRefusal(await post({}, { name: 'backup' }), refusal);
    expectRefusal(await post({}, { labels: {} }), refusal);
    for (const spec of [{ priorityClassName: 'high' }, { resources: { limits: { cpu: '64' } } }])
      expectRefusal(await post(spec), 'the API may not set these fields of a ZipJob');
  });

  it('deletes only its own ZipJobs that no zipper has started', async () => {
    async function labelled(name: string): Promise<string> {
      const path = `${zipPath(OWN)}/${name}`;
      const labels = { 'app.kubernetes.io/managed-by': 'zipjobs-api' };
      accept(await world.admin.request('PATCH', path, { body: { metadata: { labels } } }));
      return path;
    }
    const fresh = await labelled((await world.createZipJob(OWN)).metadata.name);
    const started = (await world.createZipJob(OWN)).metadata.name;
    const startedPath = await labelled(started);
    await world.setStatus(OWN, started, { phase: 'Running' });
    expectRefusal(
      await api.request('DELETE', startedPath),
      'the API may delete only ZipJobs that it created and that no zipper has started',
    );
    expectRefusal(await api.request('DELETE', zipPath(OWN)), 'forbidden');
    accept(await api.request('DELETE', fresh));
  });

  it('reads no Secret, and changes nothing but the last use of a token (P12)', async () => {
    for (const path of [`${secrets}/zipbucket-s3-archives`, `${secrets}/zipjobs-webhook`, secrets])
      expectRefusal(await api.request('GET', path), 'forbidden');
    const { metadata } = await world.createZipJob(OWN);
    const path = `${zipPath(OWN)}/${metadata.name}`;
    expectRefusal(await api.request('DELETE', path), 'forbidden');
    expectRefusal(await api.request('PATCH', path, { body: { spec: { cancel: true } } }), 'forbidden');
    expectRefusal(await api.request('PATCH', `${path}/status`, { body: { status: {} } }), 'forbidden');
    for (const plural of ['ziptokens', 'zipbuckets', 'zipprojects'])
      expectRefusal(await api.request('POST', zipPath(OWN, plural), { body: {} }), 'forbidden');
    expectRefusal(await api.request('POST', jobsPath(OWN), { body: {} }), 'forbidden');
    expectRefusal(await api.request('POST', corePath(OWN, 'pods'), { body: {} }), 'forbidden');
  });
}
