import { expect } from 'chai';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import { type DashboardDesk, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-bulk';
const HOME = `/projects/${NAMESPACE}`;

const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('changes of several jobs in the dashboard', function () {
  this.timeout(240_000);
  let desk: DashboardDesk;
  let editor: Visitor;
  let viewer: Visitor;
  const life = new AsyncDisposableStack();
  const signIn = async (account: string, role: 'edit' | 'view'): Promise<Visitor> => {
    const visitor = createVisitor(desk.url);
    await visitor.signIn((await desk.addUser(account, role)).token);
    await until(
      'the permissions to take effect',
      async () => (await visitor.get(`${HOME}/jobs`)).status === 200,
    );
    return visitor;
  };
  before(async () => {
    desk = life.use(await startDashboardDesk(NAMESPACE));
    editor = await signIn('eve', 'edit');
    viewer = await signIn('vera', 'view');
  });
  after(() => life.disposeAsync());

  interface Sent {
    readonly form?: string;
    readonly search?: Readonly<Record<string, string>>;
    readonly jobs?: readonly string[];
  }
  const post = async (visitor: Visitor, path: string, { form = '', search = {}, jobs = [] }: Sent) => {
    const fields = new URLSearchParams({ csrf: await visitor.csrf('/projects'), form, ...search });
    for (const job of jobs) fields.append('job', nameOf(job));
    return visitor.post(`${HOME}/bulk/${path}`, fields);
  };
  const nameOf = (uuid: string): string => `zip-${uuid}`;

  it('cancel the running ones of a selection with the token of the user, and report each outcome', async () => {
    const { flow } = desk;
    const finished = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    const running = await Promise.all(
      [1, 2].map(() => flow.post([{ url: flow.origin.url('/silent'), filename: 'a' }])),
    );
    await flow.project.untilPhase(finished, ['Succeeded']);
    const all = [...running, finished];
    expect((await post(viewer, 'cancel', { jobs: all })).status).to.equal(403);
    const preview = await post(editor, 'cancel', { jobs: all });
    expect(preview.text).to.contain('Cancel 2 jobs').and.to.contain('already finished (Succeeded)');
    const form = hidden(preview.text, 'form');
    expect((await post(viewer, 'cancel/confirm', { form, jobs: all })).status).to.equal(403);
    const { status, text } = await post(editor, 'cancel/confirm', { form, jobs: all });
    expect(status).to.equal(200);
    expect(text).to.contain('2 done, 1 refused').and.to.contain('it is already finished (Succeeded)');
    for (const uuid of running)
      expect((await flow.project.untilPhase(uuid, ['Cancelled'])).status?.phase).to.equal('Cancelled');
  });

  it('rerun all failed jobs of a search once, even if the form is sent twice', async () => {
    const { flow } = desk;
    const failed = await Promise.all(
      [1, 2].map(() => flow.post([{ url: flow.origin.url('/status/404'), filename: 'a' }])),
    );
    for (const uuid of failed) await flow.project.untilPhase(uuid, ['Failed']);
    const search = { scope: 'all', query: '?reason=SourceNotFound' };
    await until('the dashboard to know both failures', async () =>
      (await editor.get(`${HOME}/jobs?reason=SourceNotFound`)).text.includes('2 jobs found'),
    );
    const preview = await post(editor, 'run-again', { search });
    expect(preview.text).to.contain('Run 2 jobs again');
    for (const uuid of failed) expect(preview.text).to.contain(`name="job" value="${nameOf(uuid)}"`);
    const form = hidden(preview.text, 'form');
    const first = await post(editor, 'run-again/confirm', { form, jobs: failed });
    expect(first.text).to.contain('2 done');
    expect((await post(editor, 'run-again/confirm', { form, jobs: failed })).text).to.contain(
      'This form was sent before',
    );
    const again = await flow.kubectl(
      'get',
      'zipjobs',
      '-o',
      'jsonpath={range .items[*]}{.metadata.annotations.zipjobs\\.dev/run-again-of}{"\\n"}{end}',
    );
    expect(again.split('\n').filter((name) => name !== '')).to.have.members(failed.map(nameOf));
  });
});
