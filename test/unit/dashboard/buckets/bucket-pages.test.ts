import { expect } from 'chai';
import { ANNOTATIONS, bucketSecretName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { visitAs } from '#test/support/servers/dashboard-server.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const BUCKET = `${HOME}/buckets/s3/reports`;
const OBJECT = `${COLLECTIONS.buckets}/s3-reports`;
const SECRET = `${COLLECTIONS.secrets}/${bucketSecretName('s3-reports')}`;

function tested(status: 'True' | 'False', reason: string, message: string): ZipBucket {
  const at = '2026-01-02T03:04:05Z';
  const ready = { type: 'Ready', status, reason, message, lastTransitionTime: at } as const;
  const test = { nonce: 'a', finishedAt: at };
  return { ...aBucket(TEAM, 's3', 'reports'), status: { conditions: [ready], test } };
}

function annotationOf(object: unknown, name: string): unknown {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  return isRecord(annotations) ? annotations[name] : undefined;
}

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
      expect(text).to.contain('Works').and.contain('2026-01-02 03:04:05 UTC').and.contain('Never<');
      expect(text).to.contain('Amazon S3').and.contain('Cloudflare R2');
      expect(text).to.contain(`href="${BUCKET}"`).and.contain(`href="${HOME}/buckets/r2/backups"`);
    });

    it('disables actions that are denied, and shows the reason', async () => {
      const { text } = await project.viewer.get(`${HOME}/buckets`);
      expect(text).to.contain('class="locked"').and.contain(`is not allowed to create zipbuckets in ${TEAM}`);
      expect(text).to.not.contain('/new-bucket');
      expect((await project.viewer.get(`${HOME}/new-bucket`)).status).to.equal(403);
    });
  });

  it('have the main action in their title row, and the others in its menu (Q-U13)', async () => {
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    function titleOf(text: string): readonly string[] {
      const [, title = ''] = /<header class="title">(.*?)<\/header>/s.exec(text) ?? [];
      return title.replaceAll(/<[^>]+>/g, '\n').match(/\S[^\n]*/g) ?? [];
    }
    expect(titleOf((await project.ada.get(`${HOME}/buckets`)).text)).to.deep.equal([
      'Buckets',
      TEAM,
      'New bucket',
    ]);
    expect(titleOf((await project.ada.get(BUCKET)).text)).to.deep.equal([
      'reports',
      'Test connection',
      '⋯',
      'New job',
      'Edit settings',
      'Change read access',
      'Update credentials',
      'Delete bucket',
    ]);
    const { text } = await project.viewer.get(BUCKET);
    for (const label of ['New job', 'Delete bucket'])
      expect(text).to.contain(`${label}<span class="hidden"> (locked)`);
  });

  it('show whether the bucket has a CA bundle', async () => {
    const bucket = aBucket(TEAM, 's3', 'reports');
    project.putBucket(bucket);
    expect((await project.viewer.get(BUCKET)).text).to.not.contain('CA bundle');
    const caBundle = `${certificateText('ca.pem')}${certificateText('ca.pem')}`;
    project.putBucket({ ...bucket, spec: { ...bucket.spec, caBundle } });
    expect((await project.viewer.get(BUCKET)).text).to.contain(
      '<dt>CA bundle</dt><dd><bdi>2 certificates</bdi>',
    );
  });

  describe('the page about files of jobs', () => {
    const PAGE = `${BUCKET}/files`;
    function isReadable(): unknown {
      const bucket = project.objects.get(OBJECT);
      return isRecord(bucket) && isRecord(bucket['spec']) && bucket['spec']['readable'];
    }

    it('lets jobs read the bucket, and ends that (SB4)', async () => {
      const bucket = aBucket(TEAM, 's3', 'reports');
      project.putBucket({ ...bucket, spec: { ...bucket.spec, region: 'eu-central-1' } });
      const { text } = await project.ada.get(PAGE);
      expect(text).to.contain('can archive every object of it').and.contain('s3://reports/KEY');
      const allowed = await project.send(`${PAGE}/allow`, {});
      expect(allowed.headers.get('location')).to.equal(BUCKET);
      expect(isReadable()).to.equal(true);
      expect((await project.ada.get(BUCKET)).text).to.contain('Jobs can read files from this bucket');
      expect((await project.ada.get(PAGE)).text).to.contain('Stop reading files');
      await project.send(`${PAGE}/refuse`, {});
      expect(isReadable()).to.not.equal(true);
    });

    it('says what an editor lacks, and refuses the change (SB4)', async () => {
      project.putBucket(aBucket(TEAM, 's3', 'reports'));
      const allowed = ['get zipprojects', 'get zipbuckets', 'patch zipbuckets'].map(
        (one) => `${one} ${TEAM}`,
      );
      project.server.tokens.set('edit-token', { name: 'ed', allowed });
      const editor = await visitAs(project.server, 'edit-token');
      const { text } = await editor.get(PAGE);
      expect(text).to.contain(`is not allowed to read-sources zipbuckets in ${TEAM}`);
      const form = new URLSearchParams({ csrf: await editor.csrf(HOME) });
      expect((await editor.post(`${PAGE}/allow`, form)).status).to.equal(403);
      expect(isReadable()).to.not.equal(true);
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

    it('says in words that it failed, names the missing permission, and the others in one sentence (Q-U28)', async () => {
      project.putBucket(tested('False', 'PermissionMissing', 'No. The credentials lack s3:PutObject.'));
      for (const path of [BUCKET, `${HOME}/live/buckets/s3/reports`]) {
        const { text } = await project.ada.get(path);
        expect(text, path).to.match(/<span class="badge bad"><svg.*?<\/svg>\s*Failed<\/span>/s);
        expect(text, path)
          .to.contain('<code class="small">PermissionMissing</code>')
          .and.contain('lack s3:PutObject');
        expect(text, path)
          .to.contain('data-live-end')
          .and.not.contain('data-live=')
          .and.not.contain('Unknown');
        expect(text, path)
          .to.match(/s3:PutObject<\/th>.*?Missing</s)
          .and.not.contain('s3:GetObject</th>');
        expect(text, path).to.match(
          /before it could check the other permissions: <code>s3:GetObject<\/code>, /,
        );
      }
    });

    it('that failed before it found out anything has no table of permissions (Q-U28)', async () => {
      project.putBucket(tested('False', 'BucketCredentialsInvalid', 'The store rejects the access key.'));
      const { text } = await project.ada.get(BUCKET);
      expect(text).to.contain('before it could check the permissions of the credentials: <code>s3:PutObject');
      expect(text).to.not.contain('Used to</th>');
      expect((await project.ada.get(`${HOME}/buckets`)).text).to.match(/ Failed<\/span>/);
    });

    it('shows every permission that it found, and those that archives do not need', async () => {
      project.putBucket(
        tested('True', 'BucketTested', 'It works. The credentials lack s3:ListBucketMultipartUploads.'),
      );
      const { text } = await project.ada.get(BUCKET);
      expect(text).to.match(/s3:PutObject<\/th>.*?Granted</s);
      expect(text).to.match(/s3:ListBucketMultipartUploads<\/th>.*?Missing \(optional\)</s);
    });

    it('calls s3:GetObject optional only if no job reads files from the bucket (SZ4)', async () => {
      const bucket = tested(
        'True',
        'BucketTested',
        'It works. The credentials lack s3:GetObject and s3:ListBucket.',
      );
      for (const [readable, use, result] of [
        [false, 'Check whether an archive exists', />\s*Missing \(optional\)\s*</],
        [true, 'Read files of jobs', />\s*Missing\s*</],
      ] as const) {
        project.putBucket({ ...bucket, spec: { ...bucket.spec, readable } });
        const { text } = await project.ada.get(BUCKET);
        const [, row = ''] = /s3:GetObject<\/th>(.*?)<\/tr>/s.exec(text) ?? [];
        expect(row).to.contain(use).and.match(result);
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

  describe('the IAM policy', () => {
    it('is for this bucket and its options', async () => {
      const bucket = aBucket(TEAM, 's3', 'reports');
      project.putBucket({ ...bucket, spec: { ...bucket.spec, objectOptions: { tags: { a: 'b' } } } });
      const { text } = await project.ada.get(BUCKET);
      expect(text).to.contain('arn:aws:s3:::reports/*').and.contain('&quot;s3:PutObjectTagging&quot;');
      expect(text).to.contain('data-copy="policy"');
    });

    it('of R2 is the permission of a token', async () => {
      project.putBucket(aBucket(TEAM, 'r2', 'reports'));
      const { text } = await project.ada.get(`${HOME}/buckets/r2/reports`);
      expect(text).to.contain('Object Read &amp; Write').and.not.contain('s3:PutObject');
    });
  });

  describe('deletion', () => {
    function runningJob() {
      return aZipJob({
        metadata: { namespace: TEAM, name: 'busy-job' },
        spec: { bucketRef: { name: 's3-reports' } },
        status: { phase: 'Running' },
      });
    }
    function readingJob(): ZipJob {
      const { spec, metadata, ...job } = runningJob();
      const bucketRef = { name: 's3-archives' };
      return {
        ...job,
        metadata: { ...metadata, name: 'reading-job' },
        spec: { ...spec, bucketRef, sourceBuckets: ['s3-other', 's3-reports'] },
      };
    }
    function putJob(job: ZipJob): void {
      project.objects.put(COLLECTIONS.zipJobs, job);
      project.server.zipJobs.put(job);
    }
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

    it('names the jobs that read files from it', async () => {
      putJob(readingJob());
      const { text } = await project.ada.get(`${BUCKET}/delete`);
      expect(text)
        .to.contain('1 job uses this bucket')
        .and.contain('1 unfinished, 0 finished')
        .and.contain(`href="${HOME}/jobs/reading-job"`)
        .and.contain('Delete bucket anyway');
      const response = await project.send(`${BUCKET}/delete`, {});
      expect([response.status, project.objects.get(OBJECT) !== undefined]).to.deep.equal([422, true]);
      expect(response.text).to.contain('such as reading-job');
    });

    it('is not held by finished jobs that only read files from it', async () => {
      putJob({ ...readingJob(), status: { phase: 'Succeeded' } });
      const { text } = await project.ada.get(`${BUCKET}/delete`);
      expect(text).to.contain('Delete bucket').and.not.contain('this bucket</h2>');
      const response = await project.send(`${BUCKET}/delete`, {});
      expect(response.headers.get('location')).to.equal(`${HOME}/buckets`);
      expect(project.objects.get(OBJECT)).to.equal(undefined);
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
        new KubeError('User "ada" cannot delete resource', {
          user: 'ada',
          attempt: 'DELETE /x',
          httpStatus: 403,
          code: 'Forbidden',
        }),
        ({ method }) => method === 'DELETE',
      );
      const response = await project.send(`${BUCKET}/delete`, {});
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('cannot delete zipbuckets');
    });
  });

  it('link to the settings if these keep jobs from reading files', async () => {
    const bucket = aBucket(TEAM, 's3', 'reports');
    project.putBucket({ ...bucket, spec: { ...bucket.spec, region: 'EU_1' } });
    const { status, text } = await project.send(`${BUCKET}/files/allow`, {});
    expect([status, text]).to.deep.include(422);
    expect(text)
      .to.contain('<li>Invalid region &quot;EU_1&quot;.')
      .and.contain(`<a href="${BUCKET}/settings">settings of the bucket</a>`)
      .and.not.contain('href="#region"');
    const { text: before } = await project.ada.get(`${BUCKET}/files`);
    expect(before).to.not.contain('settings of the bucket');
  });

  it('respond 404 for a missing bucket, also to the live part', async () => {
    const live = `${HOME}/live/buckets/s3/reports`;
    for (const path of [
      BUCKET,
      ...['settings', 'credentials', 'delete'].map((page) => `${BUCKET}/${page}`),
      live,
    ])
      expect((await project.ada.get(path)).status, path).to.equal(404);
  });

  it('change nothing without the CSRF token', async () => {
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    const changes = ['settings', 'credentials', 'test', 'delete'].map((verb) => `${BUCKET}/${verb}`);
    for (const path of [`${HOME}/new-bucket`, ...changes])
      expect((await project.ada.post(path, { bucketName: 'reports', csrf: 'x' })).status, path).to.equal(403);
    expect(annotationOf(project.objects.get(OBJECT), ANNOTATIONS.testBucket)).to.equal(undefined);
  });
});
