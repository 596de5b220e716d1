import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { Phase } from '#crds/zip-job.ts';
import { firstCommands, firstRequest } from '#dashboard/first-steps/first-request.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { countReads } from '#test/support/builders/count-reads.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket, aToken } from '#test/support/servers/api-server.ts';
import { visitAs } from '#test/support/servers/dashboard-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const UNKNOWN = { region: null, host: null, accountId: null, endpoint: null } as const;
const PATH = `${HOME}/first-steps`;
const LIVE = `${HOME}/live/first-steps`;

function worksNamed(bucketName: string): ZipBucket {
  const at = '2026-01-02T03:04:05Z';
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'BucketTested',
    message: '',
    lastTransitionTime: at,
  } as const;
  return {
    ...aBucket(TEAM, 's3', bucketName),
    status: { conditions: [ready], test: { nonce: 'a', finishedAt: at } },
  };
}

const READY_BUCKET = worksNamed('reports');

describe('firstRequest', () => {
  it('is complete but for the token, the URL of the API and the bucket that are not known (Q-U20)', () => {
    const request = firstRequest({ apiUrl: '', bucket: undefined });
    expect(request.split('\n')).to.deep.equal([
      'ZIPJOBS_URL=https://API_HOST',
      'ZIPJOBS_TOKEN=PASTE_TOKEN',
      'curl -X POST "$ZIPJOBS_URL/v1/zips" \\',
      '  -H "Authorization: Bearer $ZIPJOBS_TOKEN" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"bucket_name":"BUCKET","key":"first.zip","urls":[{"url":"https://example.com/","filename":"example.html"}]}'`,
    ]);
  });

  it('names the service of a bucket other than S3', () => {
    const bucket = { ...UNKNOWN, bucketName: 'backups', service: 'r2' } as const;
    const request = firstRequest({ apiUrl: 'https://api.example.com', bucket });
    expect(request).to.contain('"https://api.example.com/v1/zips"').and.not.contain('ZIPJOBS_URL');
    const [, body = '{}'] = /-d '(.*)'$/.exec(request) ?? [];
    expect(JSON.parse(body)).to.include({ bucket_name: 'backups', service: 'r2', key: 'first.zip' });
  });
});

describe('firstCommands', () => {
  const ALL = { bucket: true, test: true, token: true, request: true };
  const [ONLY_BUCKET, NONE] = [true, false].map((bucket) => ({
    bucket,
    test: false,
    token: false,
    request: false,
  }));
  function bucketCommand(bucket: Parameters<typeof firstCommands>[0]['bucket']): string {
    return firstCommands({ namespace: 'a', bucket }, ONLY_BUCKET ?? ALL);
  }

  it('are the steps that are left (Q-U20)', () => {
    const s3 = { ...UNKNOWN, bucketName: 'reports', service: 's3', region: 'eu-central-1' } as const;
    const values = { namespace: 'a', bucket: s3 };
    const commands = [
      'zipjobs bucket create reports --region eu-central-1 -n a',
      'zipjobs bucket test reports -n a',
      'zipjobs token create first -n a',
      'zipjobs job create --bucket reports --key first.zip https://example.com/ --wait -n a',
    ];
    expect(firstCommands(values, ALL).split('\n')).to.deep.equal(commands);
    expect(firstCommands(values, { ...ALL, bucket: false, token: false }).split('\n')).to.deep.equal([
      commands[1],
      commands[3],
    ]);
    expect(firstCommands(values, NONE ?? ALL)).to.equal('');
  });

  it('contain the values of the bucket', () => {
    const at = { host: 'x.r2.example.com', accountId: 'x' } as const;
    const r2 = { ...UNKNOWN, ...at, bucketName: 'b', service: 'r2' } as const;
    expect(bucketCommand(r2)).to.equal(
      'zipjobs bucket create b --service r2 --account-id x --host x.r2.example.com -n a',
    );
  });

  it('contain the endpoint of a compatible store, for every service (UI39)', () => {
    const endpoint = 'https://minio.example.com';
    const s3 = { ...UNKNOWN, bucketName: 'b', service: 's3', region: 'us-east-1', endpoint } as const;
    expect(bucketCommand(s3)).to.equal(
      `zipjobs bucket create b --region us-east-1 --endpoint ${endpoint} -n a`,
    );
    const r2 = { ...UNKNOWN, bucketName: 'b', service: 'r2', host: 'x.h', accountId: 'x', endpoint } as const;
    expect(bucketCommand(r2)).to.equal(
      `zipjobs bucket create b --service r2 --account-id x --host x.h --endpoint ${endpoint} -n a`,
    );
  });

  it('contain placeholders without a bucket', () => {
    expect(bucketCommand(undefined)).to.equal('zipjobs bucket create BUCKET --region REGION -n a');
  });
});

describe('the first steps page', () => {
  /** Jobs of later phases are newer. */
  const PHASES_BY_AGE: readonly Phase[] = ['Running', 'Succeeded', 'Failed'];
  function putJob(project: DashboardProject, key: string, phase: Phase): void {
    const creationTimestamp = `2026-01-02T03:04:0${PHASES_BY_AGE.indexOf(phase)}Z`;
    const metadata = { namespace: TEAM, name: `job-${phase.toLowerCase()}`, creationTimestamp };
    project.server.zipJobs.put(aZipJob({ metadata, spec: { key }, status: { phase } }));
  }

  it('links to a new bucket and a new token', async () => {
    await using project = await startDashboardProject();
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain(`href="${HOME}/new-bucket"`).and.contain(`href="${HOME}/new-token"`);
    expect(text).to.contain('BUCKET').and.contain('ZIPJOBS_URL').and.contain('your administrator knows it');
  });

  /** Names of the open steps. */
  function openIn(html: string): readonly string[] {
    return [...html.matchAll(/<details name="steps" open>\s*<summary>.*?<strong>([^<]+)</gs)].map(
      ([, label = '']) => label,
    );
  }

  it('has each step once, with the current one open (Q-U20)', async () => {
    await using project = await startDashboardProject();
    const { text } = await project.ada.get(PATH);
    expect(text.match(/<details name="steps"/g)).to.have.length(5);
    for (const label of ['Add a bucket', 'Create a test archive', 'Create an access token', 'Send a request'])
      expect(text.split(`<strong>${label}</strong>`), label).to.have.length(2);
    expect(openIn(text)).to.deep.equal(['Add a bucket']);
    project.putBucket(READY_BUCKET);
    expect(openIn((await project.ada.get(LIVE)).text)).to.deep.equal(['Create a test archive']);
    putJob(project, 'zipjobs-test/b.zip', 'Succeeded');
    expect(openIn((await project.ada.get(LIVE)).text)).to.deep.equal(['Create an access token']);
    // A user who cannot see the tokens continues with the next step.
    expect(openIn((await project.viewer.get(LIVE)).text)).to.deep.equal(['Send a request']);
  });

  it('has only the commands of what is left (Q-U20)', async () => {
    await using project = await startDashboardProject();
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    const untested = (await project.ada.get(PATH)).text;
    expect(untested)
      .to.contain('zipjobs bucket test reports')
      .and.contain('Test reports</a>')
      .and.not.contain('zipjobs bucket create');
    project.putBucket(READY_BUCKET);
    putJob(project, 'mine.zip', 'Failed');
    project.putToken(aToken(TEAM, 'zj_a', { name: 'one' }));
    expect((await project.ada.get(PATH)).text).to.not.contain('command line');
  });

  it('repeats the id of its form in the live part, so that a form that is sent twice creates one job', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    const { text } = await project.ada.get(PATH);
    const [, live = ''] = /data-live="([^"]+)"/.exec(text) ?? [];
    const [form] = /name="uuid" value="[^"]+"/.exec(text) ?? [];
    expect((await project.ada.get(live)).text).to.contain(form ?? 'no form');
  });

  it('is in place of the figures of a project until its first job (Q-U19)', async () => {
    await using project = await startDashboardProject();
    for (const visitor of [project.ada, project.viewer]) {
      const { text } = await visitor.get(HOME);
      expect(openIn(text)).to.deep.equal(['Add a bucket']);
      expect(text).to.contain(`data-live="${LIVE}`).and.not.contain('Success rate').and.not.contain('Limits');
    }
    putJob(project, 'mine.zip', 'Running');
    expect((await project.ada.get(HOME)).text)
      .to.contain('Limits')
      .and.not.contain('<details name="steps"');
  });

  it('contains the URL of the API and a bucket of the project, preferably one that works', async () => {
    await using project = await startDashboardProject({ DASHBOARD_API_URL: 'https://api.example.com' });
    project.putBucket(aBucket(TEAM, 's3', 'a-first'));
    project.putBucket(worksNamed('works'));
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain('https://api.example.com/v1/zips').and.contain('<strong>works</strong>');
    expect(text).to.not.contain('ZIPJOBS_URL').and.not.contain('administrator knows');
  });

  it('shows a user who can only view why the steps are disabled', async () => {
    await using project = await startDashboardProject();
    const { status, text } = await project.viewer.get(PATH);
    expect(status).to.equal(200);
    expect(text).to.contain(`is not allowed to create zipbuckets in ${TEAM}`);
    expect(text).to.contain(`is not allowed to create ziptokens in ${TEAM}`);
  });

  it('ticks the steps that are done, and stays live until all are', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    const before = (await project.ada.get(PATH)).text;
    expect(before).to.contain(`data-live="${LIVE}?uuid=`);
    expect(before)
      .to.contain('reports works.')
      .and.contain('No test archive yet.')
      .and.contain('The project has no token.');
    putJob(project, 'zipjobs-test/a.zip', 'Running');
    expect((await project.ada.get(LIVE)).text)
      .to.contain('Writing the archive.')
      .and.not.contain('data-live-end');
    putJob(project, 'zipjobs-test/b.zip', 'Succeeded');
    putJob(project, 'mine.zip', 'Failed');
    project.putToken(aToken(TEAM, 'zj_a', { name: 'one' }));
    const after = (await project.ada.get(LIVE)).text;
    expect(after).to.contain('data-live-end').and.contain(`href="${HOME}/jobs/job-failed"`);
    expect(after.match(/\bDone</g)).to.have.length(5);
  });

  it('ends the updates for a user who cannot see the tokens, when the other steps are done', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    putJob(project, 'mine.zip', 'Failed');
    expect((await project.viewer.get(LIVE)).text)
      .to.contain('You cannot see the tokens.')
      .and.not.contain('data-live-end');
    putJob(project, 'zipjobs-test/b.zip', 'Succeeded');
    expect((await project.viewer.get(LIVE)).text).to.contain('data-live-end');
    expect((await project.viewer.get(PATH)).text).to.not.contain('data-live=');
  });

  it('ends the updates for a user who can see only the project', async () => {
    await using project = await startDashboardProject();
    project.server.tokens.set('project-only', { name: 'paul', allowed: [`get zipprojects ${TEAM}`] });
    const paul = await visitAs(project.server, 'project-only');
    const { text } = await paul.get(LIVE);
    expect(text.match(/Unknown</g)).to.have.length(4);
    expect(text).to.contain('data-live-end');
  });

  it('reads only the newest test archive and the newest other job', async () => {
    await using project = await startDashboardProject();
    for (const n of Array.from({ length: 50 }).keys()) {
      const metadata = { namespace: TEAM, name: `job-${n}`, creationTimestamp: ago(100 - n) };
      const key = n < 10 || n > 40 ? `zipjobs-test/${n}.zip` : `${n}.zip`;
      project.server.zipJobs.put(aZipJob({ metadata, spec: { key } }));
    }
    const reads = countReads(project.server.zipJobs.reflector);
    const { text } = await project.ada.get(LIVE);
    expect(text).to.contain(`href="${HOME}/jobs/job-49"`).and.contain(`href="${HOME}/jobs/job-40"`);
    expect(reads()).to.equal(2);
  });

  it('creates a test archive from data: URLs in the chosen bucket', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    const response = await project.send(`${PATH}/test-archive`, { bucket: 's3/reports' });
    expect(response.headers.get('location')).to.equal(PATH);
    const job = project.server.requests.find(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.zipJobs,
    );
    expect(job?.bearer).to.equal('ada-token');
    expect(job?.body).to.have.nested.property('spec.bucketRef.name', 's3-reports');
    expect(job?.body)
      .to.have.nested.property('spec.key')
      .that.matches(/^zipjobs-test\/[\dT-]+\.zip$/);
    expect(job?.body).to.have.nested.property('spec.filesFrom.count', 2);
  });

  it('creates one test archive for a form that is sent twice', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    const { text } = await project.ada.get(PATH);
    const [, uuid = ''] = /name="uuid" value="([^"]*)"/.exec(text) ?? [];
    for (let n = 0; n < 2; n += 1) {
      const { headers } = await project.send(`${PATH}/test-archive`, { bucket: 's3/reports', uuid });
      expect(headers.get('location')).to.equal(PATH);
    }
    const created = project.server.requests.flatMap(({ method, path, body }) =>
      method === 'POST' && path === COLLECTIONS.zipJobs ? [RESOURCES.zipJobs.decode(body).metadata.name] : [],
    );
    expect(created).to.deep.equal([zipJobName(uuid), zipJobName(uuid)]);
    expect((await project.ada.get(PATH)).text).to.contain('This form has already created the job');
  });

  it('shows next to the bucket why no test archive could be created', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    const { status, text } = await project.send(`${PATH}/test-archive`, { bucket: 's3/others' });
    expect(status).to.equal(422);
    expect(text).to.contain('id="bucket-error"').and.contain('Bucket &quot;others&quot; (s3) not found');
  });

  it('completes the job that a refused form has left without its list (UI8)', async () => {
    await using project = await startDashboardProject();
    project.putBucket(READY_BUCKET);
    let isRefused = true;
    const refusal = new KubeError('no', { attempt: 'x /x', code: 'QuotaExceeded', httpStatus: 403 });
    project.objects.fail(
      refusal,
      ({ method, path }) =>
        isRefused && (method === 'DELETE' || (method === 'POST' && path === COLLECTIONS.secrets)),
    );
    const refused = await project.send(`${PATH}/test-archive`, { bucket: 's3/reports' });
    expect(refused.status).to.equal(422);
    isRefused = false;
    const form = unchangedForm(refused.text, `${PATH}/test-archive`);
    await project.ada.post(`${PATH}/test-archive`, form);
    const name = zipJobName(form.get('uuid') ?? '');
    const created = project.server.requests.flatMap(({ method, path, body }) =>
      method === 'POST' && path === COLLECTIONS.zipJobs ? [RESOURCES.zipJobs.decode(body).metadata.name] : [],
    );
    expect(created).to.deep.equal([name, name]);
    expect(project.objects.get(`${COLLECTIONS.secrets}/${name}-files-0`)).to.not.equal(undefined);
  });

  it('stays out of the menu and the overview when the jobs that succeeded are only in the history', async () => {
    function unused(): never {
      throw new Error('not used by the overview');
    }
    const nothing = { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 };
    await using project = await startDashboardProject(
      {},
      {
        history: {
          usageByDay: async () => [{ ...nothing, projectUid: 'uid', day: '', succeeded: 1 }],
          statistics: async () => ({ total: nothing, periods: [], failures: [], buckets: [] }),
          listJobs: async () => ({ jobs: [] }),
          streamJobs: unused,
          readJob: unused,
        },
      },
    );
    project.putProject({}, { metadata: { uid: 'uid' } });
    const { text } = await project.ada.get(HOME);
    expect(text)
      .to.contain('No finished jobs in the last 24 hours')
      .and.not.contain('No jobs yet')
      .and.not.contain(`href="${PATH}"`);
  });

  it('is in the menu until a job has succeeded, and can still be opened then', async () => {
    await using project = await startDashboardProject();
    async function isInMenu(): Promise<boolean> {
      return (await project.ada.get(`${HOME}/buckets`)).text.includes(`href="${PATH}"`);
    }
    putJob(project, 'a.zip', 'Failed');
    expect(await isInMenu()).to.equal(true);
    putJob(project, 'a.zip', 'Succeeded');
    expect(await isInMenu()).to.equal(false);
    expect((await project.ada.get(PATH)).status).to.equal(200);
  });
});
