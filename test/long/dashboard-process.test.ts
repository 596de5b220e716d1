import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { median } from '#test/bench/bench-result.ts';
import { quantile } from '#test/bench/rates.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import { duringBusyLoop, inspectedAt } from '#test/support/processes/busy-loop.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import { createDashboardUser, type DashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const NAMESPACE = 'dashboard-process';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const LOOP_MS = 4_000;
const MEASURED_MS = 1_000;
/** In one process, a request would take as long as the loop, hundreds of times longer than without it. */
const LARGEST_RATIO = 10;
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

  let inspectors: { readonly api: number; readonly dashboard: number };
  beforeEach(async () => {
    const [ofApi = 0, ofDashboard = 0] = await freePorts(2);
    inspectors = { api: ofApi, dashboard: ofDashboard };
    [api, dashboard] = await Promise.all([
      startApiProcess(flow.cluster, { env: inspectedAt(ofApi) }),
      startDashboardProcess(flow.cluster, {
        env: { SHUTDOWN_PAUSE_MS: '500', ...inspectedAt(ofDashboard) },
      }),
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

  it('run apart: the dashboard keeps serving after the API is killed (N6)', async () => {
    const visitor = await signedIn();
    expect(await api.end('SIGKILL')).to.equal(null);
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    await until('the job to be listed', async () => (await visitor.get(JOBS)).text.includes(uuid));
    expect(await dashboard.isReady()).to.equal(true);
    const again = createVisitor(dashboard.url);
    expect((await again.signIn(user.token)).status, 'signs in').to.equal(303);
  });

  it('run apart: the API keeps serving after the dashboard is killed (N6)', async () => {
    await signedIn();
    expect(await dashboard.end('SIGKILL')).to.equal(null);
    expect(await ask()).to.equal(404);
    expect(await api.isReady()).to.equal(true);
  });

  /** The 99th percentile of the times of requests, one after another, for a while. */
  const p99 = async (request: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (const startedAt = performance.now(); performance.now() - startedAt < MEASURED_MS; ) {
      const before = performance.now();
      expect(await request()).to.be.below(500);
      times.push(performance.now() - before);
    }
    return quantile(times, 0.99);
  };
  /** Rounds without and with a busy loop in the process with this inspector, by turns. */
  const compare = async (inspector: number, request: () => Promise<number>): Promise<number> => {
    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const without = await p99(request);
      const during = await duringBusyLoop(inspector, LOOP_MS, () => p99(request));
      ratios.push(during / without);
    }
    return median(ratios);
  };

  it('run apart: an endless loop in one leaves the response times of the other unchanged (N6)', async () => {
    const visitor = await signedIn();
    const list = async (): Promise<number> => (await visitor.get(JOBS)).status;
    const ratios = {
      api: await compare(inspectors.dashboard, ask),
      dashboard: await compare(inspectors.api, list),
    };
    console.log(`      p99 during a loop in the other process: ${JSON.stringify(ratios)} times that without`);
    expect(ratios.api).to.be.below(LARGEST_RATIO);
    expect(ratios.dashboard).to.be.below(LARGEST_RATIO);
    const stuck = await duringBusyLoop(inspectors.dashboard, LOOP_MS, async () => {
      const response = list().then(() => 'responded');
      const other = await p99(ask);
      const outcome = await Promise.race([response, delay(0, 'waiting')]);
      return { outcome, other };
    });
    expect(stuck.outcome, 'the dashboard during its loop').to.equal('waiting');
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
