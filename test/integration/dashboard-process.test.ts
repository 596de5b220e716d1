import { expect } from 'chai';
import { askApi } from '#test/support/clients/api-client.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import { createDashboardUser, type DashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';

const NAMESPACE = 'dashboard-process';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const UNKNOWN_JOB = '/v1/zips/00000000-0000-4000-8000-000000000000';

describe('the dashboard and the API', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let user: DashboardUser;
  let api: ServerProcess;
  let dashboard: ServerProcess;
  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
    user = await createDashboardUser(flow.cluster, NAMESPACE, { account: 'ada', role: 'view' });
  });
  after(() => life.disposeAsync());

  beforeEach(async () => {
    [api, dashboard] = await Promise.all([
      startApiProcess(flow.cluster),
      startDashboardProcess(flow.cluster, { env: { SHUTDOWN_PAUSE_MS: '500' } }),
    ]);
    await untilTokenKnown(api.url, flow.project.token);
  });
  afterEach(() => Promise.all([api[Symbol.asyncDispose](), dashboard[Symbol.asyncDispose]()]));

  const signedIn = async (): Promise<Visitor> => {
    const visitor = createVisitor(dashboard.url);
    await visitor.signIn(user.token);
    return visitor;
  };
  const ask = async (): Promise<number> =>
    (await askApi(api.url, { path: UNKNOWN_JOB, token: flow.project.token })).status;

  it('run apart: the dashboard keeps serving after the API is killed', async () => {
    const visitor = await signedIn();
    expect(await api.end('SIGKILL')).to.equal(null);
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    await until('the job to be listed', async () => (await visitor.get(JOBS)).text.includes(uuid));
    expect(await dashboard.isReady()).to.equal(true);
    const again = createVisitor(dashboard.url);
    expect((await again.signIn(user.token)).status, 'signs in').to.equal(303);
  });

  it('run apart: the API keeps serving after the dashboard is killed', async () => {
    await signedIn();
    expect(await dashboard.end('SIGKILL')).to.equal(null);
    expect(await ask()).to.equal(404);
    expect(await api.isReady()).to.equal(true);
  });

  it('stop apart: after SIGTERM the dashboard is not ready, still responds, and ends with code 0', async () => {
    const visitor = await signedIn();
    const ended = dashboard.end('SIGTERM');
    await until('it to be unready', async () => !(await dashboard.isReady()), { intervalMs: 20 });
    expect((await visitor.get(JOBS)).status).to.equal(200);
    expect(await ended).to.equal(0);
    expect(await ask()).to.equal(404);
  });

  it('have metrics of their own', async () => {
    const visitor = await signedIn();
    await visitor.get(JOBS);
    const [ofApi, ofDashboard] = await Promise.all(
      [api, dashboard].map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text()),
    );
    expect(ofApi).to.contain('zip_api_request_duration_seconds_count').and.not.contain('zip_dashboard_');
    expect(ofDashboard)
      .to.contain('zip_dashboard_request_duration_seconds_count{route="/projects/:project/jobs"')
      .and.not.contain('zip_api_');
  });
});
