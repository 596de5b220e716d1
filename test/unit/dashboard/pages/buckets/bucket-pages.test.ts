import { expect } from 'chai';
import { ANNOTATIONS, bucketSecretName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const ACCESS_KEY = 'AKIAEXAMPLEKEY';
const SECRET_KEY = 'the-secret-access-key';
const BUCKET = `${HOME}/buckets/s3/reports`;
const OBJECT = `${COLLECTIONS.buckets}/s3-reports`;
const SECRET = `${COLLECTIONS.secrets}/${bucketSecretName('s3-reports')}`;
const S3_FIELDS = {
  bucketName: 'reports',
  region: 'eu-central-1',
  accessKeyId: ACCESS_KEY,
  secretAccessKey: SECRET_KEY,
} as const;

const tested = (status: 'True' | 'False', reason: string, message: string): ZipBucket => {
  const at = '2026-01-02T03:04:05Z';
  const ready = { type: 'Ready', status, reason, message, lastTransitionTime: at } as const;
  const test = { nonce: 'a', finishedAt: at };
  return { ...aBucket(TEAM, 's3', 'reports'), status: { conditions: [ready], test } };
};

const annotationOf = (object: unknown, name: string): unknown => {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  return isRecord(annotations) ? annotations[name] : undefined;
};

const namesIn = (html: string): readonly string[] =>
  [...html.matchAll(/<input id="(\w+)"/g)].map(([, name = '']) => name);

describe('the bucket pages', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  describe('the list', () => {
    it('shows the result of the last test', async () => {
      project.putBucket(tested('True', 'BucketTested', 'all is well'));
      project.putBucket(aBucket(TEAM, 'r2', 'backups'));
      const { status, text } = await project.ada.get(`${HOME}/buckets`);
      expect(status).to.equal(200);
      expect(text).to.contain('Works').and.contain('2026-01-02 03:04:05 UTC').and.contain('>Never<');
      expect(text).to.contain(`href="${BUCKET}"`).and.contain(`href="${HOME}/buckets/r2/backups"`);
    });

    it('disables actions that are denied, and shows the reason', async () => {
      const { text } = await project.viewer.get(`${HOME}/buckets`);
      expect(text).to.contain('disabled').and.contain(`is not allowed to create zipbuckets in ${TEAM}`);
      expect(text).to.not.contain('new-bucket');
      expect((await project.viewer.get(`${HOME}/new-bucket/s3`)).status).to.equal(403);
    });
  });

  describe('a new bucket', () => {
    it('of s3 has these fields', async () => {
      const { text } = await project.ada.get(`${HOME}/new-bucket/s3`);
      const names = ['bucketName', 'accessKeyId', 'secretAccessKey', 'region'];
      const encryption = ['serverSideEncryption', 'kmsKeyId'];
      const options = ['storageClass', 'cacheControl', 'metadata', 'tags', 'acl'];
      expect(namesIn(text)).to.deep.equal([...names, ...encryption, ...options]);
    });

    it('of r2 has these fields, without what R2 does not support (C7)', async () => {
      const { text } = await project.ada.get(`${HOME}/new-bucket/r2`);
      const names = ['bucketName', 'host', 'accessKeyId', 'secretAccessKey', 'accountId'];
      expect(namesIn(text)).to.deep.equal([...names, 'storageClass', 'cacheControl', 'metadata']);
    });

    it('of an unknown service does not exist', async () => {
      expect((await project.ada.get(`${HOME}/new-bucket/gcs`)).status).to.equal(404);
    });

    it('stores its credentials in a Secret that no page shows', async () => {
      const response = await project.send(`${HOME}/new-bucket/s3`, S3_FIELDS);
      expect(response.headers.get('location')).to.equal(BUCKET);
      expect(project.objects.get(OBJECT)).to.deep.include({
        spec: { service: 's3', bucketName: 'reports', region: 'eu-central-1' },
      });
      expect(project.objects.get(SECRET)?.['data']).to.deep.include({
        secretAccessKey: Buffer.from(SECRET_KEY).toString('base64'),
      });
      for (const path of [BUCKET, `${HOME}/buckets`, `${BUCKET}/credentials`]) {
        const { status, text } = await project.ada.get(path);
        expect(status, path).to.equal(200);
        expect(text, path).to.not.contain(SECRET_KEY).and.not.contain(ACCESS_KEY);
      }
      expect(project.server.logLines.join('')).to.not.contain(SECRET_KEY);
    });

    it('of r2 names its host and account', async () => {
      const { region: _region, ...fields } = S3_FIELDS;
      const host = 'abc123.r2.example.com';
      await project.send(`${HOME}/new-bucket/r2`, { ...fields, host, accountId: 'abc123' });
      expect(project.objects.get(`${COLLECTIONS.buckets}/r2-reports`)).to.deep.include({
        spec: { service: 'r2', bucketName: 'reports', host, accountId: 'abc123' },
      });
    });

    it('shows an error next to each empty field', async () => {
      const response = await project.send(`${HOME}/new-bucket/s3`, {});
      expect(response.status).to.equal(422);
      for (const name of Object.keys(S3_FIELDS)) expect(response.text).to.contain(`id="${name}-error"`);
    });

    it('does not send credentials back in a refused form', async () => {
      const response = await project.send(`${HOME}/new-bucket/s3`, { ...S3_FIELDS, region: 'EU <1>' });
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="region-error"').and.contain('value="EU &lt;1&gt;"');
      expect(response.text).to.contain('value="reports"');
      expect(response.text).to.not.contain(SECRET_KEY).and.not.contain(ACCESS_KEY);
    });

    it('is refused next to its name when it already exists', async () => {
      project.putBucket(aBucket(TEAM, 's3', 'reports'));
      const response = await project.send(`${HOME}/new-bucket/s3`, S3_FIELDS);
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="bucketName-error"').and.not.contain(SECRET_KEY);
    });
  });

  describe('credentials', () => {
    it('are replaced', async () => {
      await project.send(`${HOME}/new-bucket/s3`, S3_FIELDS);
      const response = await project.send(`${BUCKET}/credentials`, {
        accessKeyId: 'AKIANEW',
        secretAccessKey: 'newer',
      });
      expect(response.headers.get('location')).to.equal(BUCKET);
      expect(project.objects.get(SECRET)?.['data']).to.deep.equal({
        accessKeyId: Buffer.from('AKIANEW').toString('base64'),
        secretAccessKey: Buffer.from('newer').toString('base64'),
      });
    });

    it('do not change when the form is incomplete, and are not shown again', async () => {
      await project.send(`${HOME}/new-bucket/s3`, S3_FIELDS);
      const response = await project.send(`${BUCKET}/credentials`, { accessKeyId: 'AKIANEW' });
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="secretAccessKey-error"').and.not.contain('AKIANEW');
      expect(project.objects.get(SECRET)?.['data']).to.deep.include({
        accessKeyId: Buffer.from(ACCESS_KEY).toString('base64'),
      });
    });
  });

  describe('the test of a connection', () => {
    it('starts, and the page stays live until it has finished', async () => {
      project.putBucket(aBucket(TEAM, 's3', 'reports'));
      const response = await project.send(`${BUCKET}/test`, {});
      expect(response.headers.get('location')).to.equal(BUCKET);
      const nonce = annotationOf(project.objects.get(OBJECT), ANNOTATIONS.testBucket);
      expect(nonce).to.be.a('string').and.not.equal('');
      const { text } = await project.ada.get(BUCKET);
      expect(text).to.contain(`data-live="${HOME}/live/buckets/s3/reports"`).and.contain('>Refresh<');
    });

    it('names the missing permission', async () => {
      project.putBucket(tested('False', 'PermissionMissing', 'The credentials lack s3:PutObject'));
      for (const path of [BUCKET, `${HOME}/live/buckets/s3/reports`]) {
        const { text } = await project.ada.get(path);
        expect(text, path).to.contain('PermissionMissing').and.contain('lack s3:PutObject');
        expect(text, path).to.contain('data-live-end').and.not.contain('data-live=');
      }
    });

    it('is not offered to a user who can only view', async () => {
      project.putBucket(aBucket(TEAM, 's3', 'reports'));
      const { text } = await project.viewer.get(BUCKET);
      expect(text).to.contain(`is not allowed to patch zipbuckets in ${TEAM}`);
      expect(text).to.not.contain(`action="${BUCKET}/test"`);
      const csrf = await project.viewer.csrf(HOME);
      expect((await project.viewer.post(`${BUCKET}/test`, { csrf })).status).to.equal(403);
    });
  });

  describe('deletion', () => {
    const runningJob = () =>
      aZipJob({
        metadata: { namespace: TEAM, name: 'busy-job' },
        spec: { bucketRef: { name: 's3-reports' } },
        status: { phase: 'Running' },
      });
    const putJob = (job: ZipJob): void => {
      project.objects.put(COLLECTIONS.zipJobs, job);
      project.server.zipJobs.put(job);
    };
    beforeEach(() => project.putBucket(aBucket(TEAM, 's3', 'reports')));

    it('deletes the bucket and its credentials', async () => {
      const { text } = await project.ada.get(`${BUCKET}/delete`);
      expect(text).to.contain('Delete bucket').and.not.contain('anyway');
      const response = await project.send(`${BUCKET}/delete`, {});
      expect(response.headers.get('location')).to.equal(`${HOME}/buckets`);
      expect(project.objects.get(OBJECT)).to.equal(undefined);
      expect(project.objects.get(SECRET)).to.equal(undefined);
      expect((await project.ada.get(`${HOME}/buckets`)).text).to.contain(
        'Bucket reports and its credentials deleted',
      );
    });

    it('is refused while a job uses it, and names the job', async () => {
      putJob(runningJob());
      const page = await project.ada.get(`${BUCKET}/delete`);
      expect(page.text).to.contain(`href="${HOME}/jobs/busy-job"`).and.contain('1 job uses this bucket');
      const response = await project.send(`${BUCKET}/delete`, {});
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('role="alert"').and.contain('busy-job');
      expect(project.objects.get(OBJECT)).to.not.equal(undefined);
    });

    it('is refused while finished jobs refer to it', async () => {
      const job = runningJob();
      putJob({ ...job, status: { phase: 'Succeeded' } });
      const page = await project.ada.get(`${BUCKET}/delete`);
      expect(page.text).to.contain('0 unfinished, 1 finished').and.contain('busy-job');
      expect((await project.send(`${BUCKET}/delete`, {})).status).to.equal(422);
      expect(project.objects.get(OBJECT)).to.not.equal(undefined);
    });

    it('requires the typed name when it is forced', async () => {
      putJob(runningJob());
      const wrong = await project.send(`${BUCKET}/delete`, { force: 'yes', confirm: 'report' });
      expect(wrong.status).to.equal(422);
      expect(wrong.text).to.contain('id="confirm-error"');
      expect(project.objects.get(OBJECT)).to.not.equal(undefined);
      const right = await project.send(`${BUCKET}/delete`, { force: 'yes', confirm: 'reports' });
      expect(right.headers.get('location')).to.equal(`${HOME}/buckets`);
      const order = project.server.requests.find(
        ({ method, body }) => method === 'PATCH' && annotationOf(body, ANNOTATIONS.forceDelete) === 'true',
      );
      expect(order?.bearer).to.equal('ada-token');
      expect(project.objects.get(OBJECT)).to.equal(undefined);
    });

    it('shows in the form that the cluster refused it', async () => {
      project.objects.fail(
        new KubeError('DELETE /x: 403 Forbidden: User "ada" cannot delete resource', { code: 'Forbidden' }),
        ({ method }) => method === 'DELETE',
      );
      const response = await project.send(`${BUCKET}/delete`, {});
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('cannot delete zipbuckets');
    });
  });

  it('respond 404 for a missing bucket, also to the live part', async () => {
    const live = `${HOME}/live/buckets/s3/reports`;
    for (const path of [BUCKET, `${BUCKET}/credentials`, `${BUCKET}/delete`, live])
      expect((await project.ada.get(path)).status, path).to.equal(404);
  });

  it('change nothing without the CSRF token', async () => {
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    const changes = ['credentials', 'test', 'delete'].map((verb) => `${BUCKET}/${verb}`);
    for (const path of [`${HOME}/new-bucket/s3`, ...changes])
      expect((await project.ada.post(path, { ...S3_FIELDS, csrf: 'x' })).status, path).to.equal(403);
    expect(annotationOf(project.objects.get(OBJECT), ANNOTATIONS.testBucket)).to.equal(undefined);
  });

  describe('a bucket with a role instead of keys', () => {
    const roleArn = 'arn:aws:iam::123456789012:role/zips';
    beforeEach(() => {
      const bucket = aBucket(TEAM, 's3', 'reports');
      const webIdentity = { roleArn, audience: 'sts.amazonaws.com', stsRegion: 'eu-central-1' };
      project.putBucket({ ...bucket, spec: { ...bucket.spec, credentials: { webIdentity } } });
    });

    it('is listed and shown with its role (X21)', async () => {
      expect((await project.ada.get(`${HOME}/buckets`)).status).to.equal(200);
      const { status, text } = await project.ada.get(BUCKET);
      expect(status).to.equal(200);
      expect(text).to.contain(roleArn).and.contain('None stored');
      expect(text).to.contain('has no stored credentials');
    });

    it('gets no keys (X21)', async () => {
      const fields = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
      const response = await project.send(`${BUCKET}/credentials`, fields);
      expect(response.status).to.equal(422);
      expect(response.text).to.contain(`it uses the role ${roleArn}`).and.not.contain(SECRET_KEY);
      expect(project.objects.get(SECRET)).to.equal(undefined);
    });
  });
});
