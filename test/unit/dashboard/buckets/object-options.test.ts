import { expect } from 'chai';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';

const NEW_BUCKET = {
  bucketName: 'reports',
  accessKeyId: 'AKIAEXAMPLEKEY',
  secretAccessKey: 'the-secret-access-key',
} as const;

describe('the object options of a new bucket', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  it('are those that are filled in', async () => {
    await project.send(`${HOME}/new-bucket`, {
      ...NEW_BUCKET,
      region: 'eu-central-1',
      serverSideEncryption: 'aws:kms',
      kmsKeyId: 'alias/a',
      tags: 'team=sales\r\nstage = live',
      metadata: 'note=a, b',
      cacheControl: ' ',
    });
    expect(project.objects.get(`${COLLECTIONS.buckets}/s3-reports`)).to.have.deep.nested.property(
      'spec.objectOptions',
      {
        serverSideEncryption: 'aws:kms',
        kmsKeyId: 'alias/a',
        metadata: { note: 'a, b' },
        tags: { team: 'sales', stage: 'live' },
      },
    );
    expect((await project.ada.get(`${HOME}/buckets/s3/reports`)).text).to.contain('alias/a');
  });

  it('are refused in the form if its store does not support them (C7)', async () => {
    const place = { provider: 'r2', accountId: '0123456789abcdef0123456789abcdef' };
    const options = { storageClass: 'GLACIER' };
    const response = await project.send(`${HOME}/new-bucket`, { ...NEW_BUCKET, ...place, ...options });
    expect(response.status).to.equal(422);
    expect(response.text)
      .to.contain('id="storageClass-error"')
      .and.contain('<details open>')
      .and.contain('objectOptions.storageClass is not supported by R2; use one of STANDARD, STANDARD_IA');
  });
});
