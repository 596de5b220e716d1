import { expect } from 'chai';
import { bucketSecretName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const BUCKET = `${HOME}/buckets/s3/reports`;
const SETTINGS = `${BUCKET}/settings`;
const CREDENTIALS = `${BUCKET}/credentials`;
const OBJECT = `${COLLECTIONS.buckets}/s3-reports`;
const SECRET = `${COLLECTIONS.secrets}/${bucketSecretName('s3-reports')}`;
const KEYS = { accessKeyId: 'AKIANEW', secretAccessKey: 'newer' } as const;
const WEB_IDENTITY = {
  roleArn: 'arn:aws:iam::123456789012:role/zips',
  audience: 'sts.amazonaws.com',
  stsRegion: 'eu-central-1',
} as const;

function withSpec(spec: Partial<ZipBucket['spec']>, status: ZipBucket['status'] = {}): ZipBucket {
  const bucket = aBucket(TEAM, 's3', 'reports');
  return {
    ...bucket,
    spec: { service: 's3', bucketName: 'reports', region: 'eu-central-1', ...spec },
    status,
  };
}

describe('a bucket', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject({ STORE_ALLOWED_HOSTS: 's3.example.com' });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function specOf(path: string): unknown {
    return project.objects.get(path)?.['spec'];
  }

  describe('whose settings are edited', () => {
    it('shows them in the form, and says what cannot be changed', async () => {
      const objectOptions = { tags: { team: 'sales', note: 'a, b' }, onConflict: 'fail' } as const;
      project.putBucket(withSpec({ objectOptions }, { activeJobs: 2 }));
      const { text } = await project.ada.get(SETTINGS);
      expect(text).to.contain('name="region" type="text" value="eu-central-1"');
      expect(text).to.contain('team=sales\nnote=a, b</textarea>');
      expect(text).to.contain('<option value="fail" selected>').and.contain('<details open>');
      expect(text).to.contain('Service and bucket name cannot be changed');
      expect(text).to.contain('2 unfinished jobs use this bucket');
    });

    it('gets a new region and endpoint, and loses the options that were removed', async () => {
      const objectOptions = { tags: { team: 'sales', stage: 'live' }, storageClass: 'STANDARD_IA' };
      project.putBucket(withSpec({ objectOptions }));
      const fields = { region: 'us-east-1', endpoint: 'https://s3.example.com', tags: 'team=finance' };
      const response = await project.save(SETTINGS, fields);
      expect(response.headers.get('location')).to.equal(BUCKET);
      expect(specOf(OBJECT)).to.deep.equal({
        service: 's3',
        bucketName: 'reports',
        region: 'us-east-1',
        endpoint: 'https://s3.example.com',
        objectOptions: { tags: { team: 'finance' } },
      });
      expect((await project.ada.get(BUCKET)).text).to.contain('Settings saved. The test has started.');
    });

    it('keeps its role', async () => {
      const credentials = { webIdentity: WEB_IDENTITY };
      project.putBucket(withSpec({ credentials }));
      await project.save(SETTINGS, { region: 'us-east-1' });
      expect(specOf(OBJECT)).to.deep.include({ region: 'us-east-1', credentials });
    });

    it('gets a new host in R2, but none of another account', async () => {
      const bucket = aBucket(TEAM, 'r2', 'reports');
      const account = '0123456789abcdef0123456789abcdef';
      project.putBucket(bucket);
      const path = `${HOME}/buckets/r2/reports/settings`;
      await project.save(path, { accountId: account, host: '' });
      expect(specOf(`${COLLECTIONS.buckets}/r2-reports`)).to.deep.include({
        accountId: account,
        host: `${account}.r2.cloudflarestorage.com`,
      });
      const refused = await project.save(path, {
        accountId: account,
        host: 'other.r2.cloudflarestorage.com',
      });
      expect(refused.status).to.equal(422);
      expect(refused.text).to.contain('id="host-error"');
    });

    it('stays as it is after an error, and the form keeps the input', async () => {
      project.putBucket(withSpec({}));
      const { status, text } = await project.save(SETTINGS, {
        region: 'eu-central-1',
        endpoint: 'https://x.example',
      });
      expect(status).to.equal(422);
      expect(text).to.contain('id="endpoint-error"').and.contain('value="https://x.example"');
      expect(specOf(OBJECT)).to.not.have.property('endpoint');
    });

    it('is not changed by a user who can only view', async () => {
      project.putBucket(withSpec({}));
      const csrf = await project.viewer.csrf(HOME);
      expect((await project.viewer.get(SETTINGS)).status).to.equal(403);
      expect((await project.viewer.post(SETTINGS, { csrf, region: 'a' })).status).to.equal(403);
    });
  });

  describe('whose credentials are updated', () => {
    function dataOf(): unknown {
      return project.objects.get(SECRET)?.['data'];
    }
    const stored = {
      accessKeyId: Buffer.from(KEYS.accessKeyId).toString('base64'),
      secretAccessKey: Buffer.from(KEYS.secretAccessKey).toString('base64'),
    };

    it('gets other keys, and is tested', async () => {
      project.putBucket(withSpec({}));
      const response = await project.save(CREDENTIALS, KEYS);
      expect(response.headers.get('location')).to.equal(BUCKET);
      expect(dataOf()).to.deep.equal(stored);
      expect((await project.ada.get(BUCKET)).text)
        .to.contain('The test has started.')
        .and.contain('Testing');
    });

    it('keeps its keys when the form is incomplete, which does not show them again', async () => {
      project.putBucket(withSpec({}));
      await project.save(CREDENTIALS, KEYS);
      const response = await project.save(CREDENTIALS, { accessKeyId: 'AKIALATER' });
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="secretAccessKey-error"').and.not.contain('AKIALATER');
      expect(dataOf()).to.deep.equal(stored);
    });

    it('keeps the keys that another user stored meanwhile, until the form is sent again (UI1)', async () => {
      project.putBucket(withSpec({}));
      const open = unchangedForm((await project.ada.get(CREDENTIALS)).text, CREDENTIALS);
      await project.save(CREDENTIALS, KEYS);
      const mine = { accessKeyId: 'AKIAMINE', secretAccessKey: 'my-secret' };
      function fill(form: URLSearchParams) {
        return new URLSearchParams([
          ...[...form].filter(([name]) => !(name in mine)),
          ...Object.entries(mine),
        ]);
      }
      const { status, text } = await project.ada.post(CREDENTIALS, fill(open));
      expect([status, dataOf()]).to.deep.equal([422, stored]);
      expect(text).to.contain('Someone else changed these settings').and.contain('id="accessKeyId-error"');
      expect(text).to.not.contain('my-secret').and.not.contain(KEYS.accessKeyId);
      const again = fill(unchangedForm(text, CREDENTIALS));
      // A double click.
      const responses = await Promise.all([again, again].map((form) => project.ada.post(CREDENTIALS, form)));
      expect(responses.map((one) => one.status)).to.deep.equal([303, 303]);
      expect(dataOf()).to.deep.equal({ accessKeyId: btoa('AKIAMINE'), secretAccessKey: btoa('my-secret') });
    });

    it('gets a role instead of keys, and the stored keys stay for jobs that run (X21)', async () => {
      project.putBucket(withSpec({}));
      await project.save(CREDENTIALS, KEYS);
      await project.save(CREDENTIALS, { access: 'role', ...WEB_IDENTITY });
      expect(specOf(OBJECT)).to.deep.include({ credentials: { webIdentity: WEB_IDENTITY } });
      expect(dataOf()).to.deep.equal(stored);
    });

    it('of R2 has no role', async () => {
      project.putBucket(aBucket(TEAM, 'r2', 'reports'));
      const { text } = await project.ada.get(`${HOME}/buckets/r2/reports/credentials`);
      expect(text).to.contain('accessKeyId').and.not.contain('roleArn');
    });
  });

  describe('with a role', () => {
    beforeEach(() => project.putBucket(withSpec({ credentials: { webIdentity: WEB_IDENTITY } })));

    it('is listed and shown with it (X21)', async () => {
      expect((await project.ada.get(`${HOME}/buckets`)).status).to.equal(200);
      const { status, text } = await project.ada.get(BUCKET);
      expect(status).to.equal(200);
      expect(text).to.contain(WEB_IDENTITY.roleArn).and.contain('None stored');
      expect((await project.ada.get(CREDENTIALS)).text).to.contain(`value="${WEB_IDENTITY.roleArn}"`);
    });

    it('keeps the role unless keys are chosen (X21)', async () => {
      const response = await project.save(CREDENTIALS, KEYS);
      expect(response.status).to.equal(422);
      expect(response.text).to.contain('id="roleArn-error"').and.not.contain(KEYS.secretAccessKey);
      expect(project.objects.get(SECRET)).to.equal(undefined);
    });

    it('gets keys instead of it (X21)', async () => {
      const response = await project.save(CREDENTIALS, { access: 'keys', ...KEYS });
      expect(response.headers.get('location')).to.equal(BUCKET);
      expect(specOf(OBJECT)).to.not.have.property('credentials');
      expect(project.objects.get(SECRET)).to.not.equal(undefined);
    });
  });
});
