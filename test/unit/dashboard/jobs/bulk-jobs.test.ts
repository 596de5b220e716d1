import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { ConfigChange } from '#test/support/builders/changed-config.ts';
import { ago, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  type DashboardServer,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const TOKEN = 'ada-token';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const ZIP_JOBS = `/apis/zipjobs.dev/v1alpha1/namespaces/${NAMESPACE}/zipjobs`;
const CANCEL = `/projects/${NAMESPACE}/bulk/cancel`;
const RUN_AGAIN = `/projects/${NAMESPACE}/bulk/run-again`;
const FORM = '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';
const OTHER_UUID = '0f9d7a52-58a4-4c8e-9a57-1d1a2b3c4d5e';

/** Values of the hidden fields with this name. */
function fieldsIn(html: string, name: string): readonly string[] {
  return [...html.matchAll(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`, 'g'))].map(
    ([, value = '']) => value,
  );
}

function rowsIn(html: string): readonly string[] {
  return (/<tbody>(.*)<\/tbody>/s.exec(html)?.[1] ?? '')
    .split(/<tr(?: [^>]*)?>/)
    .slice(1)
    .map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
}

/** The rows of each table. */
function tablesIn(html: string): readonly (readonly string[])[] {
  return [...html.matchAll(/<tbody>.*?<\/tbody>/gs)].map(([body]) => rowsIn(body));
}

describe('changes of several jobs', () => {
  let server: DashboardServer;
  let visitor: Visitor;
  let csrf: string;
  let objects: Map<string, ZipJob>;
  /** Names of jobs whose change fails. */
  let failing: Map<string, KubeError>;
  async function open(env: ConfigChange = {}): Promise<void> {
    objects = new Map();
    failing = new Map();
    server = await startDashboardServer({ env });
    server.tokens.set(TOKEN, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
    server.respondWith(({ method, path, body }) => {
      const name = path.split('/').at(-1) ?? '';
      const failure = failing.get(`${method} ${name}`);
      if (failure !== undefined) throw failure;
      if (method === 'POST') {
        const sent = body as ZipJob;
        const made = { ...sent, metadata: { ...sent.metadata, uid: randomUUID() } };
        if (objects.has(made.metadata.name))
          throw new KubeError('exists', { attempt: `POST ${path}`, code: 'AlreadyExists', httpStatus: 409 });
        objects.set(made.metadata.name, made);
        return made;
      }
      const object = objects.get(name);
      if (object === undefined)
        throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
      return object;
    });
    visitor = await visitAs(server, TOKEN);
    csrf = await visitor.csrf('/projects');
  }
  beforeEach(() => open());
  afterEach(() => server[Symbol.asyncDispose]());

  function put(name: string, status: ZipJobStatus, change: Partial<ZipJob['metadata']> = {}): void {
    const job = aZipJob({
      metadata: { name, creationTimestamp: ago(objects.size), ...change },
      spec: { key: `out/${name}.zip` },
      status,
    });
    objects.set(name, job);
    server.zipJobs.put(job);
  }
  function post(path: string, fields: Readonly<Record<string, string>>, names: readonly string[] = []) {
    const form = new URLSearchParams({ csrf, ...fields });
    for (const name of names) form.append('job', name);
    return visitor.post(path, form);
  }
  function callsOf(method: string): readonly string[] {
    return server.requests
      .filter((request) => request.method === method && request.path.startsWith(ZIP_JOBS))
      .map(({ bearer, path }) => `${bearer ?? ''} ${path.slice(ZIP_JOBS.length)}`);
  }

  it('are shown before they are made: what will happen to each job, and which are refused and why', async () => {
    put('running', { phase: 'Running' });
    put('finished', { phase: 'Succeeded' });
    const { status, text } = await post(CANCEL, {}, ['running', 'finished', 'gone', 'running']);
    expect(status).to.equal(200);
    expect(text).to.contain('<h1>Cancel 1 job</h1>').and.to.contain('2 jobs will stay as they are.');
    expect(rowsIn(text)).to.deep.equal([
      'out/running.zip running Running Stops',
      'out/finished.zip finished Succeeded Refused: The job has already finished (Succeeded).',
      'gone Refused: The job no longer exists.',
    ]);
    expect(fieldsIn(text, 'job')).to.deep.equal(['running']);
    expect(callsOf('PATCH')).to.deep.equal([]);
    expect(callsOf('GET')).to.have.members([`${TOKEN} /running`, `${TOKEN} /finished`, `${TOKEN} /gone`]);
  });

  it('report the outcome of each job, and continue after a failure', async () => {
    for (const name of ['a', 'b', 'c', 'd']) put(name, { phase: 'Running' });
    put('b', { phase: 'Succeeded' });
    failing.set(
      'PATCH c',
      new KubeError('500: etcd', { attempt: 'PATCH c', code: 'ServerError', httpStatus: 500 }),
    );
    const { text } = await post(`${CANCEL}/confirm`, { form: FORM }, ['a', 'b', 'c', 'd', 'gone']);
    expect(text)
      .to.contain('<h1>Cancelling 2 jobs</h1>')
      .and.contain('2 refused, 1 failed. The table says why.')
      .and.contain('role="alert"');
    expect(tablesIn(text)[0]).to.deep.equal(['out/a.zip Running', 'out/d.zip Running']);
    const [first, second, third, ...others] = tablesIn(text)[1] ?? [];
    expect(first).to.match(/^out\/b\.zip Refused Cannot cancel job .*already finished \(Succeeded\)$/);
    expect(second).to.match(/^out\/c\.zip Failed Cannot patch/);
    expect(third).to.match(/^gone Refused Job .* not found/);
    expect(others).to.deep.equal([]);
    expect(callsOf('PATCH')).to.have.members([`${TOKEN} /a`, `${TOKEN} /c`, `${TOKEN} /d`]);
  });

  it('create each new job once, even if the form is sent twice', async () => {
    put('zip-0b0e9e5e-0f0a-4f5e-9d53-0c9a3a0a1b2c', { phase: 'Failed' });
    put('by-hand', { phase: 'Cancelled' });
    const names = [...objects.keys()];
    const preview = (await post(RUN_AGAIN, {}, names)).text;
    expect(preview).to.contain('<h1>Run 2 jobs again</h1>');
    const [form = ''] = fieldsIn(preview, 'form');
    const first = (await post(`${RUN_AGAIN}/confirm`, { form }, names)).text;
    expect(first).to.contain('<h1>2 jobs created</h1>').and.to.not.contain('role="alert"');
    expect(objects.size).to.equal(4);
    expect([...objects.keys()][2]).to.match(/^zip-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect([...objects.keys()][3]).to.match(/^by-hand-[0-9a-f]{8}$/);
    expect(first).to.contain(`href="${JOBS}/${[...objects.keys()][3]}"`);
    const again = (await post(`${RUN_AGAIN}/confirm`, { form }, names)).text;
    expect(again).to.contain('2 jobs created').and.to.contain('This form was sent before');
    expect(objects.size).to.equal(4);
    // Another form creates other jobs.
    await post(`${RUN_AGAIN}/confirm`, { form: FORM }, names);
    expect(objects.size).to.equal(6);
  });

  it('say what the user should know before a rerun', async () => {
    put('expired', { phase: 'Failed', failure: { code: 'SourceExpired', retriable: false } });
    put('repeated', { phase: 'Failed', failure: { code: 'SourceStalled', retriable: true } });
    put(
      'repeat',
      { phase: 'Running' },
      { creationTimestamp: ago(-5), annotations: { [ANNOTATIONS.runAgainOf]: 'repeated' } },
    );
    expect(rowsIn((await post(RUN_AGAIN, {}, ['expired', 'repeated'])).text)).to.deep.equal([
      'out/expired.zip expired Failed Left out. It would fail in the same way. Send a new request instead.',
      'out/repeated.zip repeated Failed A rerun of this job is in progress.',
    ]);
  });

  it('leave out the jobs that would fail in the same way, and say how many (Q-U17)', async () => {
    const expired = { code: 'SourceExpired', retriable: false };
    for (const name of ['x1', 'x2']) put(name, { phase: 'Failed', failure: expired });
    put('y', { phase: 'Failed', failure: { code: 'SourceStalled', retriable: true } });
    const title = '<h1>Run 1 job again (2 left out)</h1>';
    const selected = (await post(RUN_AGAIN, {}, ['x1', 'x2', 'y'])).text;
    expect(selected).to.contain(title).and.contain('>Run 1 job again</button>').and.not.contain('will stay');
    expect(fieldsIn(selected, 'job')).to.deep.equal(['y']);
    const whole = (await post(RUN_AGAIN, { scope: 'all', query: '' })).text;
    expect(whole).to.contain(title);
    expect(fieldsIn(whole, 'job')).to.deep.equal(['y']);
    const none = (await post(RUN_AGAIN, {}, ['x1'])).text;
    expect(none).to.contain('<h1>No jobs to run again (1 left out)</h1>');
    expect(none).to.not.contain('name="form"');
  });

  it('list the new jobs with their current state, live, and link to the list of them (Q-U35)', async () => {
    put('zip-0b0e9e5e-0f0a-4f5e-9d53-0c9a3a0a1b2c', { phase: 'Failed' });
    put('by-hand', { phase: 'Cancelled' });
    const { text } = await post(`${RUN_AGAIN}/confirm`, { form: FORM }, [...objects.keys()]);
    expect(text).to.contain('<h1>2 jobs created</h1>').and.not.contain('Done');
    const [, , first = '', second = ''] = [...objects.keys()];
    expect(tablesIn(text)).to.deep.equal([
      ['out/zip-0b0e9e5e-0f0a-4f5e-9d53-0c9a3a0a1b2c.zip Queued', 'out/by-hand.zip Queued'],
    ]);
    for (const name of [first, second])
      server.zipJobs.put({ ...objects.get(name)!, status: { phase: 'Running' } });
    server.zipJobs.put({ ...objects.get(second)!, status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
    const live = /data-live="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? 'none';
    const fragment = (await visitor.get(live)).text;
    expect(tablesIn(fragment)[0]?.[1]).to.equal('out/by-hand.zip Failed DeadlineExceeded');
    expect(fragment).to.not.contain('data-live-end');
    server.zipJobs.put({ ...objects.get(first)!, status: { phase: 'Succeeded' } });
    expect((await visitor.get(live)).text).to.contain('data-live-end');
    const list = /href="([^"]+)">List of these jobs/.exec(text)?.[1] ?? 'none';
    const { text: listed } = await visitor.get(list);
    expect(listed).to.contain('2 jobs found').and.contain('Selected: <bdi>2 jobs</bdi>');
    expect((await visitor.get(live.replace('by-hand', '..'))).status).to.equal(422);
  });

  it('refuse a rerun without its file list', async () => {
    put('old', { phase: 'Failed' }, { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } });
    const { text } = await post(RUN_AGAIN, {}, ['old']);
    expect(text)
      .to.contain('its file list was deleted')
      .and.to.not.contain('name="form"')
      // A time that is not in the zone of the user.
      .and.to.not.match(/\dT\d\d:\d\d:\d\dZ, because/);
  });

  it('are for all jobs of a search, of the states that they are for, up to the limit', async () => {
    await server[Symbol.asyncDispose]();
    await open({ dashboardBulkJobsMax: 3 });
    for (let n = 0; n < 5; n += 1) put(`run-${n}`, { phase: 'Running' });
    put('run-done', { phase: 'Succeeded' });
    put('other', { phase: 'Running' });
    const { text } = await post(CANCEL, { scope: 'all', query: '?q=run-' });
    expect(fieldsIn(text, 'job')).to.deep.equal(['run-0', 'run-1', 'run-2']);
    expect(text).to.contain('2 more jobs of this search are left out');
    expect(text).to.contain(`href="${JOBS}?q=run-"`);
    expect((await post(CANCEL, { scope: 'all', query: '?state=Gone' })).status).to.equal(422);
  });

  it('are refused above the limit, with invalid names, and without an ID of the form', async () => {
    await server[Symbol.asyncDispose]();
    await open({ dashboardBulkJobsMax: 1 });
    for (const path of [CANCEL, `${CANCEL}/confirm`]) {
      const { status, text } = await post(path, { form: FORM }, ['a', 'b']);
      expect([path, status]).to.deep.equal([path, 422]);
      expect(text).to.contain('Select at most 1 job at a time.');
      expect((await post(path, { form: FORM }, ['../secrets'])).status).to.equal(422);
    }
    put('a', { phase: 'Running' });
    expect((await post(`${CANCEL}/confirm`, { form: 'x' }, ['a'])).status).to.equal(422);
    expect(callsOf('PATCH')).to.deep.equal([]);
  });

  it('have breadcrumbs to the list with its filters', async () => {
    put('a', { phase: 'Running' });
    for (const [path, fields] of [
      [CANCEL, {}],
      [`${CANCEL}/confirm`, { form: FORM }],
    ] as const) {
      const { text } = await post(path, { ...fields, query: '?q=a' }, ['a']);
      const [trail = ''] = /<nav class="trail".*?<\/nav>/s.exec(text) ?? [];
      expect(trail, path).to.contain(`<a href="${JOBS}?q=a"><bdi>Jobs</bdi></a>`);
    }
  });

  it('never read the whole project for a name that looks like an ID', async () => {
    put(FORM, { phase: 'Running' });
    const { text } = await post(`${CANCEL}/confirm`, { form: FORM }, [FORM, OTHER_UUID]);
    expect(callsOf('GET')).to.have.members([`${TOKEN} /${FORM}`, `${TOKEN} /${OTHER_UUID}`]);
    expect(text).to.contain('<h1>Cancelling 1 job</h1>').and.contain('1 refused');
    await post(`${RUN_AGAIN}/confirm`, { form: FORM }, [OTHER_UUID]);
    expect(callsOf('GET')).to.have.lengthOf(3);
  });

  it('need a selection, the CSRF token and the right for each change', async () => {
    put('a', { phase: 'Running' });
    expect((await post(CANCEL, {})).text).to.contain('No jobs selected');
    expect((await post(`${CANCEL}/confirm`, { csrf: 'another', form: FORM }, ['a'])).status).to.equal(403);
    const allowed = [`get zipprojects ${NAMESPACE}`, `list zipjobs ${NAMESPACE}`];
    server.tokens.set(TOKEN, { name: 'ada', allowed: [...allowed, `patch zipjobs ${NAMESPACE}`] });
    expect((await post(CANCEL, {}, ['a'])).status).to.equal(200);
    for (const path of [RUN_AGAIN, `${RUN_AGAIN}/confirm`])
      expect((await post(path, { form: FORM }, ['a'])).status, path).to.equal(403);
    server.tokens.set(TOKEN, { name: 'ada', allowed });
    expect((await post(`${CANCEL}/confirm`, { form: FORM }, ['a'])).status).to.equal(403);
    expect(callsOf('PATCH')).to.deep.equal([]);
  });

  it('end the session if the API server rejects the token for every job', async () => {
    put('a', { phase: 'Running' });
    failing.set(
      'PATCH a',
      new KubeError('401', { attempt: 'PATCH a', code: 'Unauthorized', httpStatus: 401 }),
    );
    const { status, headers } = await post(`${CANCEL}/confirm`, { form: FORM }, ['a']);
    expect(status).to.equal(303);
    expect(headers.get('location')).to.contain('/sign-in');
  });
});
