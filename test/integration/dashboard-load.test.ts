import { expect } from 'chai';
import { type DashboardDesk, startDashboardDesk } from '../support/dashboard-desk.ts';
import { createVisitor, type Visitor } from '../support/dashboard-server.ts';
import { memoryOf } from '../support/process-memory.ts';

const NAMESPACE = 'dashboard-load';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const DASHBOARDS = 50;
const ROUNDS = 5;
const BAR_BYTES = 100 * 1024 * 1024;

const liveOf = (html: string): string =>
  /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'no live part';

/** Watches of ZipJobs that are open at the API server, whoever holds them. */
const watchesIn = (metrics: string): number =>
  metrics
    .split('\n')
    .filter(
      (line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('resource="zipjobs"'),
    )
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

describe('fifty dashboards that stay open', function () {
  this.timeout(120_000);
  let desk: DashboardDesk;
  before(async () => {
    desk = await startDashboardDesk(NAMESPACE, { DASHBOARD_SIGN_INS_PER_MINUTE: '0' });
  });
  after(() => desk[Symbol.asyncDispose]());

  const watches = async (): Promise<number> =>
    watchesIn((await desk.flow.cluster.kubectl(['get', '--raw', '/metrics'])).stdout);
  const residentBytes = async (): Promise<number> => (await memoryOf(desk.api.pid)).resident;
  const open = async (token: string): Promise<{ readonly visitor: Visitor; readonly live: string }> => {
    const visitor = createVisitor(desk.url);
    await visitor.signIn(token);
    return { visitor, live: liveOf((await visitor.get(JOBS)).text) };
  };

  it('are kept fresh without a watch of their own, within 100 MiB', async () => {
    const { origin, project, post } = desk.flow;
    const uuids = await Promise.all(
      Array.from({ length: 5 }, (_, n) => post([{ url: origin.url(`/gen/1000/${n}`), filename: 'a' }])),
    );
    await Promise.all(uuids.map((uuid) => project.untilPhase(uuid, ['Succeeded'])));
    const { token } = await desk.addUser('vera', 'view');
    const [watchesBefore, bytesBefore] = [await watches(), await residentBytes()];
    const opened = await Promise.all(Array.from({ length: DASHBOARDS }, () => open(token)));
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all(
        opened.map(async ({ visitor, live }) => {
          const { status, text } = await visitor.get(live, { 'x-live': '1' });
          expect(status).to.equal(200);
          expect(text.split('Succeeded')).to.have.lengthOf(uuids.length + 1);
        }),
      );
    expect(watchesBefore).to.be.greaterThan(0);
    expect(await watches()).to.equal(watchesBefore);
    expect((await residentBytes()) - bytesBefore).to.be.lessThan(BAR_BYTES);
  });
});
