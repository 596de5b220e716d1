/** Who decides from which buckets files are read, and what the Jobs of such jobs may mount. */
import { expect } from 'chai';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { MAX_SOURCE_BUCKETS, type ZipJob } from '#crds/zip-job.ts';
import { type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { refusalOf, replaceVolume } from './bad-jobs.ts';
import { type JobBody, tryJob } from './job-body.ts';
import { ALLOWED_AUDIENCE, ALLOWED_STS_HOST } from './release.ts';
import { accept, expectRefusal, OWN, type World, ZIP_BUCKET, zipPath } from './world.ts';

const ONLY_ADMINS = 'only users with the verb "read-sources" on zipbuckets.zipjobs.dev';
const NOT_READABLE = 'which does not have spec.readable';
const WEB_IDENTITY = {
  roleArn: 'arn:aws:iam::123456789012:role/reader',
  audience: ALLOWED_AUDIENCE,
  stsEndpoint: `https://${ALLOWED_STS_HOST}`,
};

const LONGEST_NAME = 63;
const AUTHORITY = certificateText('ca.pem');
const LONGEST_BUNDLE = AUTHORITY.repeat(Math.floor(16_384 / AUTHORITY.length));

function aBucket(name: string, spec: Partial<ZipBucket['spec']> = {}): ZipBucket {
  return {
    ...ZIP_BUCKET,
    metadata: { name: `s3-${name}`, namespace: OWN },
    spec: { ...ZIP_BUCKET.spec, bucketName: name, ...spec },
  };
}

let world: World;
let owner: KubeUser;
const BUCKETS = zipPath(OWN, 'zipbuckets');

function create(user: KubeUser, bucket: ZipBucket, query = '?dryRun=All') {
  return user.request('POST', `${BUCKETS}${query}`, { body: bucket });
}

function patch(user: KubeUser, { metadata }: ZipBucket, spec: object) {
  return user.request('PATCH', `${BUCKETS}/${metadata.name}?dryRun=All`, { body: { spec } });
}

const readable = aBucket('readable', { readable: true });
const writable = aBucket('writable');

function itIsDecidedByAdmins(): void {
  it('is set by an admin of the namespace, at creation and later (SB4)', async () => {
    accept(await create(owner, aBucket('fresh', { readable: true })));
    accept(await patch(owner, writable, { readable: true }));
  });

  it('is not set by an editor, the API, the controller or the dashboard (SB4)', async () => {
    const { editor, api, controller, dashboard } = world;
    expectRefusal(await create(editor, aBucket('fresh', { readable: true })), ONLY_ADMINS);
    expectRefusal(await patch(editor, writable, { readable: true }), ONLY_ADMINS);
    for (const user of [api, controller, dashboard])
      expectRefusal(await patch(user, writable, { readable: true }), 'zipjobs');
  });

  it('does not keep an editor from other changes, or from ending it (SB4)', async () => {
    accept(await create(world.editor, aBucket('fresh')));
    accept(await patch(world.editor, readable, { region: 'eu-west-1' }));
    accept(await patch(world.editor, readable, { readable: false }));
  });

  it('keeps an editor from giving a readable bucket another role (SB4)', async () => {
    const credentials = { webIdentity: WEB_IDENTITY };
    expectRefusal(await patch(world.editor, readable, { credentials }), ONLY_ADMINS);
    accept(await patch(world.editor, writable, { credentials }));
    accept(await patch(owner, readable, { credentials }));
  });

  it('keeps an editor from reading a bucket of the same name at another store (SB4)', async () => {
    const endpoint = 'https://other.example.com';
    expectRefusal(await patch(world.editor, readable, { endpoint }), ONLY_ADMINS);
    accept(await patch(world.editor, writable, { endpoint }));
    accept(await patch(owner, readable, { endpoint }));
  });
}

function itLimitsJobs(): void {
  let zipJob: ZipJob;
  function jobOf(...sourceBuckets: readonly ZipBucket[]): JobBody {
    const made = archiveJob(zipJob, ZIP_BUCKET, { ...world.config, sourceBuckets });
    return structuredClone(made) as unknown as JobBody;
  }
  function withSources(sources: readonly unknown[]): JobBody {
    const job = jobOf(readable);
    replaceVolume(job.spec.template.spec, 'sources', { projected: { sources } });
    return job;
  }

  before(async () => {
    zipJob = await world.createZipJob(OWN, { sourceBuckets: ['s3-readable'] });
    await until('the policy to know the readable bucket', async () =>
      accept(await tryJob(world, jobOf(readable))),
    );
  });

  it('mounts the keys of a readable bucket, or a token for it (SB6)', async () => {
    accept(await tryJob(world, jobOf(readable)));
    accept(
      await tryJob(
        world,
        jobOf({ ...readable, spec: { ...readable.spec, credentials: { webIdentity: WEB_IDENTITY } } }),
      ),
    );
  });

  it('mounts the keys of eight buckets with the longest names and certificate authorities (SB6)', async () => {
    const eight = Array.from({ length: MAX_SOURCE_BUCKETS }, (_, n) =>
      aBucket(`${n}`.repeat(LONGEST_NAME), { readable: true, caBundle: LONGEST_BUNDLE }),
    );
    for (const bucket of eight) accept(await create(world.admin, bucket, ''));
    const archives = { ...ZIP_BUCKET, spec: { ...ZIP_BUCKET.spec, caBundle: LONGEST_BUNDLE } };
    const made = archiveJob(zipJob, archives, { ...world.config, sourceBuckets: eight });
    const job = structuredClone(made) as unknown as JobBody;
    expect(job.spec.template.metadata.annotations['zipjobs.dev/task']?.length).to.be.greaterThan(145_000);
    await until('the policy to know these buckets', async () => accept(await tryJob(world, job)), {
      limitMs: 20_000,
    });
  });

  it('mounts nothing of a bucket that is not readable, whatever the controller says (SB6)', async () => {
    expectRefusal(await tryJob(world, jobOf(readable, writable)), NOT_READABLE);
    const credentials = { webIdentity: WEB_IDENTITY };
    expectRefusal(
      await tryJob(world, jobOf({ ...writable, spec: { ...writable.spec, credentials } })),
      NOT_READABLE,
    );
  });

  const items = [{ key: 'accessKeyId', path: '0/accessKeyId' }];
  const badSources: readonly (readonly [string, unknown])[] = [
    ['a Secret that the task does not name', { secret: { name: 'zipbucket-s3-archives', items } }],
    ['a Secret of another kind', { secret: { name: 'database', items } }],
    ['a whole Secret', { secret: { name: 'zipbucket-s3-readable' } }],
    ['another key', { secret: { name: 'zipbucket-s3-readable', items: [{ key: 'k', path: '0/k' }] } }],
    [
      'a key under another name',
      {
        secret: { name: 'zipbucket-s3-readable', items: [{ key: 'accessKeyId', path: '0/secretAccessKey' }] },
      },
    ],
    [
      'a token for another audience',
      { serviceAccountToken: { path: '0/token', audience: 'vault', expirationSeconds: 3600 } },
    ],
    ['a token of the API server', { serviceAccountToken: { path: '0/token', expirationSeconds: 3600 } }],
    ['a ConfigMap', { configMap: { name: 'kube-root-ca.crt' } }],
  ];
  for (const [what, source] of badSources)
    it(`cannot mount ${what} (SB6)`, async () => {
      expectRefusal(await tryJob(world, withSources([source])), refusalOf('volumes', 'sources'));
    });

  it('cannot mount a Secret by a task that starts with its name (SB6)', async () => {
    const job = withSources([{ secret: { name: 'zipbucket-database', items } }]);
    const { annotations } = job.spec.template.metadata;
    annotations['zipjobs.dev/task'] = `zipBucket":"database",${annotations['zipjobs.dev/task']}`;
    expectRefusal(await tryJob(world, job), refusalOf('volumes', 'sources'));
  });

  it('cannot mount them without the label by which the policy is evaluated (SB6)', async () => {
    const job = jobOf(writable);
    Object.assign(job.metadata, { labels: {} });
    expectRefusal(await tryJob(world, job), refusalOf('volumes', 'sources'));
  });

  it('cannot mount them in a recovery pod (SB6)', async () => {
    const job = jobOf(readable);
    job.spec.template.metadata.labels['app.kubernetes.io/component'] = 'recover';
    expectRefusal(await tryJob(world, job), refusalOf('volumes', 'api-token', 'sources'));
  });
}

export function describeSourceBuckets(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    const { cluster, admin } = world;
    owner = await signIn(cluster, { commonName: 'olga' });
    await cluster.kubectl(['create', 'rolebinding', 'olga', '--clusterrole=admin', '--user=olga', '-n', OWN]);
    await untilAllowed(cluster, {
      user: 'olga',
      verb: 'read-sources',
      resource: 'zipbuckets.zipjobs.dev',
      namespace: OWN,
    });
    for (const bucket of [readable, writable]) accept(await create(admin, bucket, ''));
  });
  after(() => owner[Symbol.asyncDispose]());

  describe('spec.readable', itIsDecidedByAdmins);
  describe('a Job with source buckets', itLimitsJobs);
}
