import { expect } from 'chai';
import { firstCommands, firstRequest } from '#dashboard/pages/first-request.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { HOME, startDashboardProject, TEAM } from '#test/support/worlds/dashboard-project.ts';

const UNKNOWN = { region: null, host: null, accountId: null, endpoint: null } as const;
const PATH = `${HOME}/first-steps`;

describe('firstRequest', () => {
  it('has placeholders for unknown values', () => {
    const request = firstRequest({ apiUrl: '', namespace: 'a', bucket: undefined });
    expect(request).to.contain('"$ZIPJOBS_URL/v1/zips"').and.contain('"bucket_name":"BUCKET"');
    expect(request).to.contain('Bearer $ZIPJOBS_TOKEN').and.not.contain('service');
  });

  it('names the service of a bucket other than S3', () => {
    const bucket = { ...UNKNOWN, bucketName: 'backups', service: 'r2' } as const;
    const request = firstRequest({ apiUrl: 'https://api.example.com', namespace: 'a', bucket });
    expect(request).to.contain('"https://api.example.com/v1/zips"');
    const [, body = '{}'] = /-d '(.*)'$/.exec(request) ?? [];
    expect(JSON.parse(body)).to.include({ bucket_name: 'backups', service: 'r2', key: 'first.zip' });
  });
});

describe('firstCommands', () => {
  it('contain the values of the bucket', () => {
    const s3 = { ...UNKNOWN, bucketName: 'reports', service: 's3', region: 'eu-central-1' } as const;
    expect(firstCommands({ apiUrl: '', namespace: 'a', bucket: s3 }).split('\n')).to.deep.equal([
      'zipjobs bucket create reports --region eu-central-1 -n a',
      'zipjobs bucket test reports -n a',
      'ZIPJOBS_TOKEN=$(zipjobs token create first --quiet -n a)',
      'zipjobs job list -n a',
    ]);
    const at = { host: 'x.r2.example.com', accountId: 'x' } as const;
    const r2 = { ...UNKNOWN, ...at, bucketName: 'b', service: 'r2' } as const;
    expect(firstCommands({ apiUrl: '', namespace: 'a', bucket: r2 })).to.contain(
      'zipjobs bucket create b --service r2 --account-id x --host x.r2.example.com -n a\n',
    );
  });

  it('contain placeholders without a bucket', () => {
    expect(firstCommands({ apiUrl: '', namespace: 'a', bucket: undefined })).to.contain(
      'zipjobs bucket create BUCKET --region REGION -n a\n',
    );
  });
});

describe('the first steps page', () => {
  it('links to a new bucket and a new token', async () => {
    await using project = await startDashboardProject();
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain(`href="${HOME}/new-bucket"`).and.contain(`href="${HOME}/new-token"`);
    expect(text).to.contain('BUCKET').and.contain('ZIPJOBS_URL');
  });

  it('contains the URL of the API and a bucket of the project, preferably one that works', async () => {
    await using project = await startDashboardProject({ DASHBOARD_API_URL: 'https://api.example.com' });
    const at = '2026-01-02T03:04:05Z';
    const ended = { reason: 'BucketTested', message: '', lastTransitionTime: at } as const;
    const ready = { type: 'Ready', status: 'True', ...ended } as const;
    project.putBucket(aBucket(TEAM, 's3', 'a-first'));
    project.putBucket({
      ...aBucket(TEAM, 's3', 'works'),
      status: { conditions: [ready], test: { nonce: 'a', finishedAt: at } },
    });
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain('https://api.example.com/v1/zips').and.contain('<strong>works</strong>');
    expect(text).to.not.contain('ZIPJOBS_URL');
  });

  it('shows a user who can only view why the steps are disabled', async () => {
    await using project = await startDashboardProject();
    const { status, text } = await project.viewer.get(PATH);
    expect(status).to.equal(200);
    expect(text).to.contain(`is not allowed to create zipbuckets in ${TEAM}`);
    expect(text).to.contain(`is not allowed to create ziptokens in ${TEAM}`);
  });
});
