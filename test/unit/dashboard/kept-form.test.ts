import { expect } from 'chai';
import { KubeError } from '#runtime/kube/kube-error.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { ADA, createVisitor, type Response } from '#test/support/servers/dashboard-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const NEW_JOB = `${HOME}/new-job`;
const URLS = Array.from(
  { length: 500 },
  (_, n) => `https://files.example.com/${n}.pdf a "<b>" ${n}.pdf`,
).join('\r\n');

describe('a form whose session has ended', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
  });
  afterEach(() => project[Symbol.asyncDispose]());

  const filled = async (): Promise<URLSearchParams> => {
    const form = unchangedForm((await project.ada.get(NEW_JOB)).text, NEW_JOB);
    form.set('key', 'a.zip');
    form.set('urls', URLS);
    return form;
  };
  const createdJobs = (): number =>
    project.server.requests.filter(({ method, path }) => method === 'POST' && path === COLLECTIONS.zipJobs)
      .length;
  const resend = ({ text }: Response, path: string): ReturnType<typeof project.ada.post> =>
    project.ada.post(path, unchangedForm(text, path));

  it('keeps its input, which is sent again after a sign-in (UI12)', async () => {
    const form = await filled();
    project.ada.cookies.clear();
    const ended = await project.ada.post(NEW_JOB, form);
    expect([ended.status, ended.headers.get('cache-control')]).to.deep.equal([401, 'no-store']);
    expect(ended.text).to.contain('href="/sign-in').and.contain('target="_blank"');
    expect(unchangedForm(ended.text, NEW_JOB).get('urls')).to.equal(URLS);
    expect(createdJobs()).to.equal(0);
    // In another tab.
    await project.ada.signIn(ADA);
    const other = await resend(ended, NEW_JOB);
    expect([other.status, createdJobs()]).to.deep.equal([403, 0]);
    const sent = await resend(other, NEW_JOB);
    expect([sent.status, sent.headers.get('location')]).to.deep.equal([
      303,
      `${HOME}/jobs/zip-${form.get('uuid')}`,
    ]);
    expect(createdJobs()).to.equal(1);
  });

  it('keeps its input if the API server rejects the token, or the session sends too many requests (UI12)', async () => {
    const form = await filled();
    const error = new KubeError('GET /x: 401 Unauthorized: expired', {
      code: 'Unauthorized',
      httpStatus: 401,
    });
    project.objects.fail(error, ({ path }) => path.startsWith(COLLECTIONS.projects));
    const rejected = await project.ada.post(NEW_JOB, form);
    expect(rejected.status).to.equal(401);
    expect(unchangedForm(rejected.text, NEW_JOB).get('urls')).to.equal(URLS);
    await using limited = await startDashboardProject({ DASHBOARD_REQUESTS_PER_MINUTE: '1' });
    const csrf = await limited.ada.csrf(HOME);
    const refused = await limited.ada.post(NEW_JOB, { csrf, key: 'a.zip', urls: URLS });
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.above(0);
    const kept = unchangedForm(refused.text, NEW_JOB);
    expect([kept.get('urls'), kept.get('csrf')]).to.deep.equal([URLS, csrf]);
  });

  it('repeats no secret (UI12)', async () => {
    project.ada.cookies.clear();
    const path = `${HOME}/buckets/s3/reports/credentials`;
    const { status, text } = await project.ada.post(path, {
      access: 'keys',
      accessKeyId: 'CANARY-ID',
      secretAccessKey: 'CANARY-KEY',
    });
    expect([status, text]).to.deep.include(401);
    expect(text).to.contain('Enter the credentials again').and.not.contain('CANARY');
    expect(unchangedForm(text, path).get('access')).to.equal('keys');
  });

  it('leads to the sign-in page if the user had filled in nothing, and refuses other sites as before (UI12)', async () => {
    const visitor = createVisitor(project.server.url);
    const { status, headers } = await visitor.post(`${HOME}/jobs/zip-a/cancel`, { csrf: 'x', form: 'y' });
    expect([status, headers.get('location')]).to.deep.equal([303, '/sign-in']);
    const elsewhere = await visitor.post(
      NEW_JOB,
      { key: 'a' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect(elsewhere.status).to.equal(403);
    expect(elsewhere.text).to.not.contain('name="key"');
  });
});
