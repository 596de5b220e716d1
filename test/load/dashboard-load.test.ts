/** Cost of ten thousand ZipJobs and fifty open pages for the dashboard and the API server. */
import { expect } from 'chai';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { untilNoNamespaceTerminates } from '#test/support/until-no-namespace-terminates.ts';
import { createDashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { resetInstallation, sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const MIB = 1024 * 1024;
const PAGE_JOBS = 25;
const [MANY, FEW] = ['many-jobs', 'few-jobs'] as const;
const JOBS: Readonly<Record<string, number>> = { [MANY]: 10_000, [FEW]: PAGE_JOBS };
const DASHBOARDS = 50;
const ROUNDS = 10;
const BAR_BYTES = 100 * MIB;
const SAMPLES = 20;

const pathOf = (namespace: string): string => `/projects/${namespace}/jobs`;

const liveOf = (html: string): string =>
  /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'no live part';

/** Open watches of ZipJobs at the API server, of all clients. */
const watchesIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter(
      (line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('resource="zipjobs"'),
    )
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

describe('the dashboard with 10,000 ZipJobs', function () {
  this.timeout(600_000);
  let cluster: Cluster;
  let admin: KubeApi & AsyncDisposable;
  const projects: Project[] = [];
  const tokens = new Map<string, string>();
  let dashboard: ServerProcess | undefined;

  const prepare = async (namespace: string): Promise<void> => {
    projects.push(await createProject(cluster, { namespace }));
    const { token } = await createDashboardUser(cluster, namespace, { account: 'vera', role: 'view' });
    tokens.set(namespace, token);
  };

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    admin = await adminApi(cluster);
    for (const namespace of Object.keys(JOBS)) await prepare(namespace);
    await installChart(cluster, { controller: { replicas: 0 } });
    for (const { namespace, bucketName } of projects)
      await createStoredJobs(admin, { namespace, bucketName, count: JOBS[namespace] ?? 0 });
    dashboard = await startDashboardProcess(cluster, { env: { DASHBOARD_SIGN_INS_PER_MINUTE: '0' } });
  });
  after(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await cluster.kubectl(['delete', 'namespace', MANY, FEW, '--wait=false']);
    for (const project of projects) project[Symbol.dispose]();
    await admin[Symbol.asyncDispose]();
    await resetInstallation();
    await untilNoNamespaceTerminates(cluster);
  });

  const running = (): ServerProcess => dashboard ?? expect.fail('the dashboard did not start');
  const watches = async (): Promise<number> =>
    watchesIn((await cluster.kubectl(['get', '--raw', '/metrics'])).stdout);
  const residentBytes = async (): Promise<number> => (await memoryOf(running().pid)).resident;
  const open = async (namespace: string): Promise<{ readonly visitor: Visitor; readonly live: string }> => {
    const visitor = createVisitor(running().url);
    await visitor.signIn(tokens.get(namespace) ?? '');
    return { visitor, live: liveOf((await visitor.get(pathOf(namespace))).text) };
  };
  const msOf = async (visitor: Visitor, path: string): Promise<number> => {
    const start = performance.now();
    expect((await visitor.get(path)).status).to.equal(200);
    return performance.now() - start;
  };

  // 400 times the jobs; a search reads each of them.
  for (const { what, query, times: most } of [
    { what: 'the first page', query: '', times: 3 },
    { what: 'the last page', query: '?page=400', times: 3 },
    { what: 'a search that finds nothing', query: '?q=no-such-key', times: 20 },
    { what: 'a page of one state', query: '?state=Succeeded&page=100', times: 20 },
  ])
    it(`returns ${what} in at most ${most} times the time for a project with 25 jobs`, async () => {
      const [many, few] = [await open(MANY), await open(FEW)];
      const samples: { readonly many: number; readonly few: number }[] = [];
      for (let n = 0; n < SAMPLES; n += 1)
        samples.push({
          many: await msOf(many.visitor, pathOf(MANY) + query),
          few: await msOf(few.visitor, pathOf(FEW) + query),
        });
      const [ofMany, ofFew] = [
        medianOf(samples.map((one) => one.many)),
        medianOf(samples.map((one) => one.few)),
      ];
      console.log(`      median ${ofMany.toFixed(0)} ms, of 25 jobs ${ofFew.toFixed(0)} ms`);
      expect(ofMany / ofFew).to.be.lessThan(most);
    });

  it('refreshes fifty open pages without additional watches, within 100 MiB', async () => {
    const [watchesBefore, bytesBefore] = [await watches(), await residentBytes()];
    const opened = await Promise.all(Array.from({ length: DASHBOARDS }, () => open(MANY)));
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(
        opened.map(async ({ visitor, live }) => {
          const { status, text } = await visitor.get(live, { 'x-live': '1' });
          expect(status).to.equal(200);
          expect(text.split('Succeeded')).to.have.lengthOf(PAGE_JOBS + 1);
        }),
      );
    const more = (await residentBytes()) - bytesBefore;
    console.log(`      ${(more / MIB).toFixed(0)} MiB more; ${watchesBefore} watches of ZipJobs`);
    expect(watchesBefore).to.be.greaterThan(0);
    expect(await watches()).to.equal(watchesBefore);
    expect(more).to.be.lessThan(BAR_BYTES);
  });
});
