import { expect } from 'chai';
import { ANNOTATIONS, bucketSecretName } from '#crds/api-group.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { type Visitor, visitAs } from '#test/support/servers/dashboard-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const PATH = `${HOME}/new-bucket`;
const ACCESS_KEY = 'AKIAEXAMPLEKEY';
const SECRET_KEY = 'the-secret-access-key';
const BUCKET = `${HOME}/buckets/s3/reports`;
const OBJECT = `${COLLECTIONS.buckets}/s3-reports`;
const SECRET = `${COLLECTIONS.secrets}/${bucketSecretName('s3-reports')}`;
const ACCOUNT = '0123456789abcdef0123456789abcdef';
const KEYS = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY } as const;
const S3_FIELDS = { bucketName: 'reports', region: 'eu-central-1', ...KEYS } as const;
const ROLE = {
  access: 'role',
  roleArn: 'arn:aws:iam::123456789012:role/zips',
  audience: 'sts.amazonaws.com',
  stsRegion: 'eu-central-1',
} as const;

describe('the form of a new bucket', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject({ STORE_ALLOWED_HOSTS: 's3.example.com' });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function specOf(path: string): unknown {
    return project.objects.get(path)?.['spec'];
  }

  it('has the fields of every provider, so that it works without a script', async () => {
    const { text } = await project.ada.get(PATH);
    for (const name of ['bucketName', 'region', 'accountId', 'host', 'endpoint', 'otherRegion', 'caBundle'])
      expect(text).to.match(new RegExp(`<(input|textarea class="lines") id="${name}"`));
    expect(text).to.contain('id="provider-aws" name="provider" value="aws" checked');
    expect(text).to.contain('arn:aws:s3:::BUCKET_NAME/*').and.contain('Replace BUCKET_NAME.');
    expect(text).to.contain('Object Read &amp; Write');
  });

  describe('of a user without rights on Secrets', () => {
    async function visit(): Promise<Visitor> {
      const allowed = [
        'get zipprojects',
        'list zipbuckets',
        'get zipbuckets',
        'create zipbuckets',
        'patch zipbuckets',
      ];
      project.server.tokens.set('no-secrets', {
        name: 'nina',
        allowed: allowed.map((right) => `${right} ${TEAM}`),
      });
      return visitAs(project.server, 'no-secrets');
    }

    it('adds a bucket with a role, and changes its role (UI20)', async () => {
      const nina = await visit();
      const page = await nina.get(PATH);
      expect(page.status).to.equal(200);
      expect(page.text)
        .to.match(/value="role" checked/)
        .and.contain('is not allowed to create secrets');
      const { accessKeyId: _id, secretAccessKey: _key, ...fields } = S3_FIELDS;
      const added = await nina.post(PATH, { csrf: await nina.csrf(HOME), ...fields, ...ROLE });
      expect(added.headers.get('location')).to.equal(BUCKET);
      const path = `${BUCKET}/credentials`;
      const form = unchangedForm((await nina.get(path)).text, path);
      form.set('roleArn', 'arn:aws:iam::123456789012:role/other');
      expect((await nina.post(path, form)).headers.get('location')).to.equal(BUCKET);
      expect(JSON.stringify(specOf(OBJECT))).to.contain('role/other');
    });

    it('stores no keys, says why, and keeps the input (UI20)', async () => {
      const nina = await visit();
      const csrf = await nina.csrf(HOME);
      project.putBucket(aBucket(TEAM, 's3', 'other'));
      const credentials = `${HOME}/buckets/s3/other/credentials`;
      const version = unchangedForm((await nina.get(credentials)).text, credentials).get('version') ?? '';
      for (const [path, fields] of [
        [PATH, { ...S3_FIELDS, access: 'keys' }],
        [PATH, { ...S3_FIELDS, provider: 'r2', accountId: ACCOUNT }],
        [credentials, { ...KEYS, access: 'keys', version }],
      ] as const) {
        const { status, text } = await nina.post(path, new URLSearchParams({ csrf, ...fields }));
        expect(status, path).to.equal(422);
        expect(text).to.contain('is not allowed to create secrets').and.not.contain(SECRET_KEY);
      }
      expect(specOf(OBJECT)).to.equal(undefined);
      expect(
        project.server.requests.filter(({ method, path }) => method !== 'GET' && path.includes('secrets')),
      ).to.deep.equal([]);
    });
  });

  it('stores keys in a Secret that no page shows, and starts a test', async () => {
    const response = await project.send(PATH, S3_FIELDS);
    expect(response.headers.get('location')).to.equal(BUCKET);
    expect(specOf(OBJECT)).to.deep.equal({ service: 's3', bucketName: 'reports', region: 'eu-central-1' });
    expect(project.objects.get(SECRET)?.['data']).to.deep.include({
      secretAccessKey: Buffer.from(SECRET_KEY).toString('base64'),
    });
    expect(project.objects.get(OBJECT)).to.have.nested.property(
      `metadata.annotations.${ANNOTATIONS.testBucket.replaceAll('.', '\\.')}`,
    );
    for (const path of [BUCKET, `${HOME}/buckets`, `${BUCKET}/credentials`, `${BUCKET}/settings`]) {
      const { status, text } = await project.ada.get(path);
      expect(status, path).to.equal(200);
      expect(text, path).to.not.contain(SECRET_KEY).and.not.contain(ACCESS_KEY);
    }
    expect(project.server.logLines.join('')).to.not.contain(SECRET_KEY);
  });

  it('keeps the bucket if its test cannot be started, and says why', async () => {
    project.objects.fail(
      new KubeError('no', { attempt: 'PATCH /x', httpStatus: 403, code: 'Forbidden' }),
      ({ method, path }) => method === 'PATCH' && path.includes('zipbuckets'),
    );
    const response = await project.send(PATH, S3_FIELDS);
    expect(response.headers.get('location')).to.equal(BUCKET);
    expect((await project.ada.get(BUCKET)).text).to.contain(
      'Bucket reports added. The test could not be started',
    );
    expect(specOf(OBJECT)).to.not.equal(undefined);
  });

  it('derives the host of R2 from the account, and ignores the fields of other providers', async () => {
    const fields = { ...S3_FIELDS, provider: 'r2', accountId: ACCOUNT, endpoint: 'nonsense', tags: 'a=b' };
    const response = await project.send(PATH, fields);
    expect(response.headers.get('location')).to.equal(`${HOME}/buckets/r2/reports`);
    const host = `${ACCOUNT}.r2.cloudflarestorage.com`;
    expect(specOf(`${COLLECTIONS.buckets}/r2-reports`)).to.deep.equal({
      service: 'r2',
      bucketName: 'reports',
      host,
      accountId: ACCOUNT,
    });
  });

  it('accepts the host of a jurisdiction of R2', async () => {
    const host = `${ACCOUNT}.eu.r2.cloudflarestorage.com`;
    await project.send(PATH, { ...S3_FIELDS, provider: 'r2', accountId: ACCOUNT, host });
    expect(specOf(`${COLLECTIONS.buckets}/r2-reports`)).to.deep.include({ host });
  });

  it('adds a bucket of another store, with the region that most stores accept', async () => {
    await project.send(PATH, { ...S3_FIELDS, provider: 'other', endpoint: 'https://s3.example.com' });
    expect(specOf(OBJECT)).to.deep.equal({
      service: 's3',
      bucketName: 'reports',
      endpoint: 'https://s3.example.com',
      region: 'us-east-1',
    });
  });

  it('refuses a store that the operator does not allow, next to its endpoint', async () => {
    const fields = { ...S3_FIELDS, provider: 'other', endpoint: 'https://s3.other.example' };
    const { status, text } = await project.send(PATH, fields);
    expect(status).to.equal(422);
    expect(text).to.contain('id="endpoint-error"').and.contain('add it to store.allowedHosts');
    expect(specOf(OBJECT)).to.equal(undefined);
  });

  it('shows the error of a region next to the field of its provider', async () => {
    const fields = {
      ...S3_FIELDS,
      provider: 'other',
      endpoint: 'https://s3.example.com',
      otherRegion: 'EU 1',
    };
    const { text } = await project.send(PATH, fields);
    expect(text).to.contain('id="otherRegion-error"').and.not.contain('id="region-error"');
  });

  it('adds a bucket with a role and without keys (X21)', async () => {
    const { accessKeyId: _id, secretAccessKey: _key, ...fields } = S3_FIELDS;
    const response = await project.send(PATH, { ...fields, ...ROLE, durationSeconds: '900' });
    expect(response.headers.get('location')).to.equal(BUCKET);
    const { access: _access, ...webIdentity } = ROLE;
    expect(specOf(OBJECT)).to.deep.include({
      credentials: { webIdentity: { ...webIdentity, durationSeconds: 900 } },
    });
    expect(project.objects.get(SECRET)).to.equal(undefined);
  });

  it('refuses an incomplete role next to its fields (X21)', async () => {
    const fields = { ...S3_FIELDS, ...ROLE, roleArn: '' };
    expect((await project.send(PATH, fields)).text).to.contain('id="roleArn-error"');
    const withoutService = { ...S3_FIELDS, ...ROLE, stsRegion: '' };
    expect((await project.send(PATH, withoutService)).text).to.contain('id="stsRegion-error"');
  });

  it('shows an error next to each empty field of the provider', async () => {
    const response = await project.send(PATH, {});
    expect(response.status).to.equal(422);
    for (const name of Object.keys(S3_FIELDS)) expect(response.text).to.contain(`id="${name}-error"`);
    const ofR2 = await project.send(PATH, { provider: 'r2' });
    expect(ofR2.text).to.contain('id="accountId-error"').and.not.contain('id="region-error"');
    expect(ofR2.text).to.contain('value="r2" checked');
  });

  it('does not send credentials back when it is refused', async () => {
    const response = await project.send(PATH, { ...S3_FIELDS, region: 'EU <1>' });
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="region-error"').and.contain('value="EU &lt;1&gt;"');
    expect(response.text).to.contain('value="reports"').and.contain('arn:aws:s3:::reports/*');
    expect(response.text).to.not.contain(SECRET_KEY).and.not.contain(ACCESS_KEY);
  });

  it('is refused next to the name when the bucket already exists', async () => {
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    const response = await project.send(PATH, S3_FIELDS);
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="bucketName-error"').and.not.contain(SECRET_KEY);
  });
});
