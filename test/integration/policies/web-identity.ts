/** Which audiences the token of a bucket without keys can have, and who can get such a token. */
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { refusalOf, replaceVolume } from './bad-jobs.ts';
import { type JobBody, tryJob } from './job-body.ts';
import { ALLOWED_AUDIENCE, ALLOWED_STS_HOST } from './release.ts';
import { accept, corePath, expectRefusal, OWN, type World, ZIP_BUCKET, zipPath } from './world.ts';

const API_SERVER_AUDIENCE = 'https://kubernetes.default.svc';

function aBucket(change: object = {}): ZipBucket {
  return {
    ...ZIP_BUCKET,
    metadata: { name: 's3-keyless', namespace: OWN },
    spec: {
      ...ZIP_BUCKET.spec,
      bucketName: 'keyless',
      credentials: {
        webIdentity: {
          roleArn: 'arn:aws:iam::123456789012:role/zips',
          audience: ALLOWED_AUDIENCE,
          stsEndpoint: `https://${ALLOWED_STS_HOST}`,
          ...change,
        },
      },
    },
  };
}

function tokenSource(token: Readonly<Record<string, unknown>>) {
  return {
    serviceAccountToken: { path: 'token', audience: ALLOWED_AUDIENCE, expirationSeconds: 3600, ...token },
  };
}

function itLimitsJobs(theWorld: () => World): void {
  let zipJob: ZipJob;
  before(async () => {
    zipJob = await theWorld().createZipJob(OWN);
  });
  function jobOf(bucket: ZipBucket): JobBody {
    return structuredClone(archiveJob(zipJob, bucket, theWorld().config)) as unknown as JobBody;
  }

  it('mounts a token for an audience of the operator, also for recovery (X21)', async () => {
    const { config } = theWorld();
    const upload = { uploadId: 'u', state: 'open', partSize: 1 } as const;
    const lost = { attempt: { n: 1, podUid: 'p' }, upload, bucket: aBucket(), now: new Date() };
    accept(await tryJob(theWorld(), jobOf(aBucket())));
    accept(await tryJob(theWorld(), recoveryJob(zipJob, lost, config)));
  });

  it('mounts nothing for another audience, so that the zipper can report it (X21)', async () => {
    accept(await tryJob(theWorld(), jobOf(aBucket({ audience: 'vault' }))));
  });

  const badSources: readonly (readonly [string, readonly unknown[]])[] = [
    ['another audience', [tokenSource({ audience: 'vault' })]],
    ['the audience of the API server', [tokenSource({ audience: API_SERVER_AUDIENCE })]],
    ['no audience', [tokenSource({ audience: undefined })]],
    ['a longer life', [tokenSource({ expirationSeconds: 86_400 })]],
    ['a second audience', [tokenSource({}), tokenSource({ path: 'other', audience: 'vault' })]],
    ['a Secret beside it', [tokenSource({}), { secret: { name: 'database' } }]],
  ];
  for (const [what, sources] of badSources)
    it(`cannot mount a token with ${what} (X21)`, async () => {
      const job = jobOf(aBucket());
      replaceVolume(job.spec.template.spec, 'bucket', { projected: { sources } });
      expectRefusal(await tryJob(theWorld(), job), refusalOf('volumes', 'bucket'));
    });
}

function itLimitsBuckets(theWorld: () => World): void {
  function create(change: object) {
    return theWorld().editor.request('POST', `${zipPath(OWN, 'zipbuckets')}?dryRun=All`, {
      body: aBucket(change),
    });
  }

  it("can be created with the operator's audience and token service (X21)", async () => {
    accept(await create({}));
  });

  const refused: readonly (readonly [string, object, string])[] = [
    ['another audience', { audience: 'vault' }, 'the audience vault is not allowed'],
    [
      'the audience of the API server',
      { audience: API_SERVER_AUDIENCE },
      'must not be one of the API server',
    ],
    ['another token service', { stsEndpoint: 'https://evil.example' }, 'evil.example is not allowed'],
    [
      'a region that is not allowed',
      { stsEndpoint: undefined, stsRegion: 'us-east-1' },
      'sts.us-east-1.amazonaws.com is not allowed',
    ],
    ['plain HTTP', { stsEndpoint: `http://${ALLOWED_STS_HOST}` }, 'requires https'],
  ];
  for (const [what, change, message] of refused)
    it(`cannot be created with ${what} (X21)`, async () => {
      expectRefusal(await create(change), message);
    });
}

export function describeWebIdentity(theWorld: () => World): void {
  describe('a Job', () => itLimitsJobs(theWorld));
  describe('a ZipBucket', () => itLimitsBuckets(theWorld));

  it('gives no user a token of the zipper, whatever its audience (X21)', async () => {
    const { editor, admin } = theWorld();
    const path = `${corePath(OWN, 'serviceaccounts')}/${ZIPPER_SERVICE_ACCOUNT}/token`;
    for (const user of [editor, admin])
      for (const audience of [ALLOWED_AUDIENCE, API_SERVER_AUDIENCE, 'vault'])
        expectRefusal(
          await user.request('POST', path, {
            body: {
              apiVersion: 'authentication.k8s.io/v1',
              kind: 'TokenRequest',
              spec: { audiences: [audience] },
            },
          }),
          `only nodes may request tokens of ${ZIPPER_SERVICE_ACCOUNT}`,
        );
  });
}
