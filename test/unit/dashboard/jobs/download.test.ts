import { expect } from 'chai';
import { bucketSecretName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipBucket, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const SECRET_KEY = 'the-secret-access-key';
const JOB = `/projects/${NAMESPACE}/jobs/${NAME}`;
const BUCKETS = `/apis/zipjobs.dev/v1alpha1/namespaces/${NAMESPACE}/zipbuckets`;

describe('the download of an archive', () => {
  let server: DashboardServer;
  let visitor: Visitor;
  /** The objects of the API server by path. */
  let objects: Map<string, object>;
  function hold(job: ZipJob): void {
    objects.set(`/apis/zipjobs.dev/v1alpha1/namespaces/${NAMESPACE}/zipjobs/${job.metadata.name}`, job);
  }
  function secretReads(): readonly string[] {
    return server.requests.map(({ path }) => path).filter((path) => path.includes('/secrets/'));
  }
  beforeEach(async () => {
    objects = new Map();
    server = await startDashboardServer();
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
    server.respondWith(({ path }) => {
      const object = objects.get(path);
      if (object === undefined)
        throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
      return object;
    });
    visitor = await visitAs(server, ADA);
    objects.set(`${BUCKETS}/s3-archive`, aZipBucket());
    objects.set(`/api/v1/namespaces/${NAMESPACE}/secrets/${bucketSecretName('s3-archive')}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: NAMESPACE, name: bucketSecretName('s3-archive') },
      data: {
        accessKeyId: Buffer.from('AKID').toString('base64'),
        secretAccessKey: Buffer.from(SECRET_KEY).toString('base64'),
      },
    });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('redirects to the store with a URL that is in no body and no log', async () => {
    hold(aZipJob({ status: { phase: 'Succeeded' } }));
    const response = await visitor.get(`${JOB}/download`);
    expect(response.status).to.equal(303);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.text).to.equal('');
    const location = response.headers.get('location') ?? '';
    expect(location).to.match(/^https:\/\/archive\.s3\.eu-central-1\.amazonaws\.com\/out\/archive\.zip\?/);
    const signature = new URL(location).searchParams.get('X-Amz-Signature') ?? 'none';
    for (const line of server.logLines) expect(line).to.not.contain(signature).and.not.contain(SECRET_KEY);
    expect((await visitor.get(JOB)).text).to.not.contain('X-Amz');
  });

  for (const phase of ['Running', 'Failed', 'Cancelled'] as const)
    it(`is refused while the job is ${phase}, without reading the Secret`, async () => {
      hold(aZipJob({ status: { phase } }));
      expect((await visitor.get(`${JOB}/download`)).status).to.equal(409);
      expect(secretReads()).to.deep.equal([]);
    });

  for (const [why, spec] of [
    ['is not allowed', { endpoint: 'https://store.evil.example' }],
    ['has a region that names another host', { region: 'x.evil.example/' }],
    [
      'is used with a role (X21)',
      { credentials: { webIdentity: { roleArn: 'arn:aws:iam::1:role/r', audience: 'a', stsRegion: 'r' } } },
    ],
    ['has a host that is not one of R2', { service: 'r2', host: 'evil.example', accountId: 'a' }],
  ] as const)
    it(`is refused without reading the Secret if the store ${why} (N14)`, async () => {
      hold(aZipJob({ status: { phase: 'Succeeded' } }));
      objects.set(`${BUCKETS}/s3-archive`, aZipBucket(spec));
      const response = await visitor.get(`${JOB}/download`);
      expect(response.headers.get('location')).to.equal(null);
      expect(response.status).to.equal(409);
      expect(secretReads()).to.deep.equal([]);
    });

  const ROLE = { webIdentity: { roleArn: 'arn:aws:iam::1:role/r', audience: 'a', stsRegion: 'r' } };

  it('is the next step on the page of the job', async () => {
    hold(aZipJob({ status: { phase: 'Succeeded' } }));
    expect((await visitor.get(JOB)).text).to.contain(`<a class="button primary" href="${JOB}/download">`);
  });

  it('is not offered from a bucket with a role or one that is gone, and the page says why', async () => {
    hold(aZipJob({ status: { phase: 'Succeeded' } }));
    objects.set(`${BUCKETS}/s3-archive`, aZipBucket({ credentials: ROLE }));
    expect((await visitor.get(JOB)).text)
      .to.contain('uses a role and has no stored credentials')
      .and.to.not.contain(`${JOB}/download`);
    objects.delete(`${BUCKETS}/s3-archive`);
    expect((await visitor.get(JOB)).text)
      .to.contain('no longer exist, so you cannot download the archive.')
      .and.to.not.contain(`${JOB}/download`);
  });

  it('is offered while the bucket cannot be read', async () => {
    hold(aZipJob({ status: { phase: 'Succeeded' } }));
    function respond(path: string): object {
      if (path.startsWith(BUCKETS))
        throw new KubeError('500', { attempt: `GET ${path}`, code: 'ServerError', httpStatus: 500 });
      return objects.get(path) ?? {};
    }
    server.respondWith(({ path }) => respond(path));
    const { status, text } = await visitor.get(JOB);
    expect(status).to.equal(200);
    expect(text).to.contain(`href="${JOB}/download"`);
  });

  it('is refused when the credentials no longer exist', async () => {
    hold(aZipJob({ status: { phase: 'Succeeded' } }));
    objects.delete(`/api/v1/namespaces/${NAMESPACE}/secrets/${bucketSecretName('s3-archive')}`);
    const response = await visitor.get(`${JOB}/download`);
    expect(response.status).to.equal(409);
    expect(response.text).to.contain('no longer exist');
  });
});
