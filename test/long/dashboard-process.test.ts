import { expect } from 'chai';
import { median } from '#test/bench/bench-result.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
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
const ROUNDS = 3;
const REQUESTS = 30;
/** In one process, a request would take as long as the loop, which ends only after the requests. */
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

  const inspectors = { api: 0, dashboard: 0 };
  async function startApi(): Promise<ServerProcess> {
    const started = await startApiProcess(flow.cluster, { env: inspectedAt(inspectors.api) });
    await untilTokenKnown(started.url, flow.project.token);
    return started;
  }
  function startDashboard(): Promise<ServerProcess> {
    const env = { ...unsupported({ SHUTDOWN_PAUSE_MS: 3_000 }), ...inspectedAt(inspectors.dashboard) };
    return startDashboardProcess(flow.cluster, { env });
  }
  async function orAnother(server: ServerProcess, start: () => Promise<ServerProcess>) {
    if (!server.hasEnded()) return server;
    await server[Symbol.asyncDispose]();
    return start();
  }
  before(async () => {
    [inspectors.api = 0, inspectors.dashboard = 0] = await freePorts(2);
    [api, dashboard] = await Promise.all([startApi(), startDashboard()]);
  });
  // A test may have ended one of them.
  beforeEach(async () => {
    [api, dashboard] = await Promise.all([orAnother(api, startApi), orAnother(dashboard, startDashboard)]);
  });
  after(() => Promise.all([api[Symbol.asyncDispose](), dashboard[Symbol.asyncDispose]()]));

  async function signedIn(): Promise<Visitor> {
    const visitor = createVisitor(dashboard.url);
    await visitor.signIn(user.token);
    return visitor;
  }
  async function ask(): Promise<number> {
    return (await askApi(api.url, { path: UNKNOWN_JOB, token: flow.project.token })).status;
  }

  type Ask = () => Promise<number>;
  /** The median of the times of requests, one after another. */
  async function timeOf(request: Ask): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < REQUESTS; n += 1) {
      const before = performance.now();
      expect(await request()).to.be.below(500);
      times.push(performance.now() - before);
    }
    return median(times);
  }
  /**
   * The time of a request during an endless loop in another process, as a multiple of that without: the median of rounds by
   * turns. Requests to the other process get no response during the loop.
   */
  async function compare(inspector: number, { busy, other }: Readonly<Record<'busy' | 'other', Ask>>) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const without = await timeOf(other);
      let hasResponded = false;
      let response: Promise<void> | undefined;
      const during = await duringBusyLoop(inspector, async () => {
        response = busy().then(() => void (hasResponded = true));
        const time = await timeOf(other);
        expect(hasResponded, 'a response of the busy process').to.equal(false);
        return time;
      });
      await response;
      ratios.push(during / without);
    }
    return median(ratios);
  }

  it('run apart: an endless loop in one leaves the response times of the other unchanged (N6)', async () => {
    const visitor = await signedIn();
    async function list(): Promise<number> {
      return (await visitor.get(JOBS)).status;
    }
    const ratios = {
      api: await compare(inspectors.dashboard, { busy: list, other: ask }),
      dashboard: await compare(inspectors.api, { busy: ask, other: list }),
    };
    console.log(
      `      median time during a loop in the other process: ${JSON.stringify(ratios)} times that without`,
    );
    expect(ratios.api).to.be.below(LARGEST_RATIO);
    expect(ratios.dashboard).to.be.below(LARGEST_RATIO);
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

  it('stop apart: after SIGTERM the dashboard is not ready, still responds, and ends with code 0', async () => {
    const visitor = await signedIn();
    const ended = dashboard.end('SIGTERM');
    await until('it to be unready', async () => !(await dashboard.isReady()), { intervalMs: 20 });
    expect((await visitor.get(JOBS)).status).to.equal(200);
    expect(await ended).to.equal(0);
    expect(await ask()).to.equal(404);
  });
});
