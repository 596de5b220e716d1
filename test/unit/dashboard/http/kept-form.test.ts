import { expect } from 'chai';
import { Redis } from 'ioredis';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  ADA,
  createVisitor,
  type Response,
  SESSION,
  startDashboardServer,
} from '#test/support/servers/dashboard-server.ts';
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

  async function filled(): Promise<URLSearchParams> {
    const form = unchangedForm((await project.ada.get(NEW_JOB)).text, NEW_JOB);
    form.set('key', 'a.zip');
    form.set('urls', URLS);
    return form;
  }
  function createdJobs(): number {
    return project.server.requests.filter(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.zipJobs,
    ).length;
  }
  function resend({ text }: Response, path: string): ReturnType<typeof project.ada.post> {
    return project.ada.post(path, unchangedForm(text, path));
  }

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
    const error = new KubeError('expired', { attempt: 'GET /x', code: 'Unauthorized', httpStatus: 401 });
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

  it('does not repeat the URL of a webhook, and asks for it (UI12)', async () => {
    const path = `${HOME}/webhook`;
    const form = unchangedForm((await project.ada.get(path)).text, path);
    form.set('url', 'https://hooks.example.com/CANARY');
    form.delete('events');
    form.set('events', 'FAILED');
    project.ada.cookies.clear();
    const ended = await project.ada.post(path, form);
    expect(ended.status).to.equal(401);
    expect(ended.text).to.contain('the URL of the webhook').and.not.contain('CANARY');
    await project.ada.signIn(ADA);
    const asked = await resend(await resend(ended, path), path);
    expect([asked.status, asked.text]).to.deep.include(422);
    expect(asked.text)
      .to.contain('Enter the URL again')
      .and.match(/value="FAILED" checked/)
      .and.not.match(/value="COMPLETED" checked/);
  });

  it('is not kept if the user had to confirm it, because another user may sign in (UI12)', async () => {
    project.ada.cookies.clear();
    for (const [path, fields] of [
      [`${HOME}/settings/delete`, { tokens: 'yes', buckets: 'yes' }],
      [`${HOME}/buckets/s3/reports/delete`, { force: 'yes' }],
    ] as const) {
      const { status, headers } = await project.ada.post(path, { ...fields, confirm: TEAM });
      expect([status, headers.get('location')], path).to.deep.equal([303, '/sign-in']);
    }
  });

  it('says where it is sent, as whom, and that it takes two steps (UI12)', async () => {
    const form = await filled();
    project.ada.cookies.clear();
    const { text } = await project.ada.post(NEW_JOB, form);
    expect(text)
      .to.contain(`<code>${NEW_JOB}</code>`)
      .and.contain('the user who is then signed in')
      .and.contain('confirm the form once more');
    await project.ada.signIn(ADA);
    expect((await resend({ text } as Response, NEW_JOB)).text).to.not.contain('confirm the form once more');
  });

  it('keeps the jobs that were selected (UI12)', async () => {
    project.ada.cookies.clear();
    const path = `${HOME}/bulk/cancel`;
    for (const fields of [{ job: 'zip-a' }, { scope: 'all' }]) {
      const { status, text } = await project.ada.post(path, { query: '?state=Running', ...fields });
      expect(status).to.equal(401);
      expect(Object.fromEntries(unchangedForm(text, path))).to.include({
        query: '?state=Running',
        ...fields,
      });
    }
  });

  it('does not blame the session while the session store is away (UI12)', async () => {
    const redis = new Redis(1, { lazyConnect: true, enableOfflineQueue: false, retryStrategy: () => null });
    redis.on('error', () => undefined);
    await using server = await startDashboardServer({ redis });
    const visitor = server.visit();
    visitor.cookies.set(SESSION, 'A'.repeat(86));
    const { status, headers, text } = await visitor.post(NEW_JOB, await filled());
    expect([status, Number(headers.get('retry-after')) > 0]).to.deep.equal([503, true]);
    expect(text)
      .to.contain('The session store is not responding')
      .and.not.contain('session has ended')
      .and.not.contain('href="/sign-in"');
    expect(unchangedForm(text, NEW_JOB).get('urls')).to.equal(URLS);
    redis.disconnect();
  });

  it('may have been processed if the API server rejects the token only then (UI12)', async () => {
    const form = await filled();
    const error = new KubeError('expired', { attempt: 'POST /x', code: 'Unauthorized', httpStatus: 401 });
    project.objects.fail(error, ({ method }) => method === 'POST');
    const { status, text } = await project.ada.post(NEW_JOB, form);
    expect(status).to.equal(401);
    expect(text).to.contain('may have been processed').and.not.contain('was not processed');
  });

  it('is kept when the API server fails, with the ID that makes it safe to send again (UI2, UI12)', async () => {
    const form = await filled();
    let isAway = true;
    const error = new KubeError('500 InternalError', {
      attempt: 'POST /x',
      code: 'ServerError',
      httpStatus: 500,
    });
    project.objects.fail(error, ({ method }) => isAway && method === 'POST');
    const failed = await project.ada.post(NEW_JOB, form);
    expect([failed.status, Number(failed.headers.get('retry-after')) > 0]).to.deep.equal([503, true]);
    expect(failed.text).to.contain('The cluster is not responding').and.contain('may have been processed');
    isAway = false;
    const { headers } = await resend(failed, NEW_JOB);
    expect(headers.get('location')).to.equal(`${HOME}/jobs/zip-${form.get('uuid')}`);
  });

  it('shows a token that is shown only once although the menu around it cannot be read (UI10)', async () => {
    const path = `${HOME}/new-token`;
    // A page outside of the project, so that no review of its menu is known.
    const csrf = await project.ada.csrf('/projects');
    project.server.respondWith((request) => {
      const response = project.objects.respond(request);
      // From now on, the API server rejects the token of the user.
      if (request.method === 'POST' && request.path === COLLECTIONS.tokens) project.server.tokens.delete(ADA);
      return response;
    });
    const { status, text } = await project.ada.post(path, { csrf, name: 'ci', permissions: 'read' });
    expect(status).to.equal(200);
    expect(text).to.contain('Your new access token').and.contain('class="once"');
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
