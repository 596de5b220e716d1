/** Cost of many open pages of a project with many ZipJobs, for the dashboard and the API server. */
import { expect } from 'chai';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { sized } from '#test/support/sized.ts';
import { createDashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation, sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const MIB = 1024 * 1024;
const NAMESPACE = 'many-jobs';
const PATH = `/projects/${NAMESPACE}/jobs`;
const PAGE_JOBS = 25;
const JOBS = sized(1_000, 10_000);
const PAGES = 50;
const ROUNDS = 10;
/** A copy of the jobs for each page would need more: 50 KiB for each job. */
const BAR_BYTES = sized(35, 100) * MIB;

function liveOf(html: string): string {
  return /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'no live part';
}

/** Open watches of ZipJobs at the API server, of all clients. */
function watchesIn(metrics: string): number {
  return metrics
    .split('\n')
    .filter(
      (line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('resource="zipjobs"'),
    )
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe(`${PAGES} open pages of a project with ${JOBS} ZipJobs`, function () {
  this.timeout(600_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let dashboard: ServerProcess;
  let token: string;

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    const admin = life.use(await adminApi(cluster));
    const { bucketName } = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    ({ token } = await createDashboardUser(cluster, NAMESPACE, { account: 'vera', role: 'view' }));
    // They would write to each of the jobs.
    life.defer(forgetInstallation);
    await installChart(cluster, { controller: { replicas: 0 } });
    await createStoredJobs(admin, { namespace: NAMESPACE, bucketName, count: JOBS });
    dashboard = life.use(
      await startDashboardProcess(cluster, { env: { DASHBOARD_SIGN_INS_PER_MINUTE: '0' } }),
    );
  });
  after(() => life.disposeAsync());

  async function watches(): Promise<number> {
    return watchesIn((await cluster.kubectl(['get', '--raw', '/metrics'])).stdout);
  }
  async function residentBytes(): Promise<number> {
    return (await memoryOf(dashboard.pid)).resident;
  }
  async function open(): Promise<{ readonly visitor: Visitor; readonly live: string }> {
    const visitor = createVisitor(dashboard.url);
    await visitor.signIn(token);
    return { visitor, live: liveOf((await visitor.get(PATH)).text) };
  }

  it('are refreshed without a watch for each, and without a copy of the jobs for each', async () => {
    await open();
    const [watchesBefore, bytesBefore] = [await watches(), await residentBytes()];
    const opened = await Promise.all(Array.from({ length: PAGES }, () => open()));
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(
        opened.map(async ({ visitor, live }) => {
          const { status, text } = await visitor.get(live, { 'x-live': '1' });
          expect(status).to.equal(200);
          expect(text.split('Succeeded')).to.have.lengthOf(PAGE_JOBS + 1);
        }),
      );
    const more = (await residentBytes()) - bytesBefore;
    const watchesAfter = await watches();
    console.log(
      `      ${(more / MIB).toFixed(0)} MiB more; ${watchesBefore} watches of ZipJobs before, ${watchesAfter} after`,
    );
    expect(watchesBefore).to.be.greaterThan(0);
    // The other processes may replace theirs meanwhile.
    expect(watchesAfter).to.be.lessThan(watchesBefore + PAGES / 2);
    expect(more).to.be.lessThan(BAR_BYTES);
  });
});
