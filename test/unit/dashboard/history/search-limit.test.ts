import { expect } from 'chai';
import type { History } from '#dashboard/history/history-reader.ts';
import { visitAs } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';

const PAGE = `${HOME}/history`;
const FIND = '/find?id=00000000-0000-4000-8000-00000000000a';

function unused(): never {
  throw new Error('not used by a search');
}

describe('the limit of concurrent searches of the history', () => {
  let project: DashboardProject | undefined;
  afterEach(() => project?.[Symbol.asyncDispose]());

  it('gives one user at most half of the places, and gives them back', async () => {
    const searching: (() => void)[] = [];
    const history: History = {
      listJobs: () =>
        new Promise((resolve) => {
          searching.push(() => resolve({ jobs: [] }));
        }),
      readJob: unused,
      streamJobs: unused,
      statistics: unused,
      usageByDay: unused,
    };
    project = await startDashboardProject({ dashboardSearchesInFlight: 2 }, { history });
    const { server, ada } = project;
    server.tokens.set('other', { name: 'other', allowed: ['*'] });
    const other = await visitAs(server, 'other');
    const first = ada.get(PAGE);
    await until('the search to run', () => searching.length === 1);
    const refused = await ada.get(PAGE);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect(refused.text).to.contain('Too many searches');
    const second = other.get(PAGE);
    await until('the search of another user to run', () => searching.length === 2);
    for (const finish of searching) finish();
    expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
    const again = ada.get(PAGE);
    await until('the next search to run', () => searching.length === 3);
    searching[2]?.();
    expect((await again).status).to.equal(200);
  });

  it('includes the search for a job by its ID, which asks the history of every project', async () => {
    const reading: (() => void)[] = [];
    const history: History = {
      readJob: () =>
        new Promise((resolve) => {
          reading.push(() => resolve(undefined));
        }),
      listJobs: unused,
      streamJobs: unused,
      statistics: unused,
      usageByDay: unused,
    };
    project = await startDashboardProject({ dashboardSearchesInFlight: 2 }, { history });
    project.putProject({}, { metadata: { uid: 'project-uid' } });
    const { ada } = project;
    const first = ada.get(FIND);
    await until('the search to run', () => reading.length === 1);
    const refused = ada.get(FIND);
    await Promise.race([refused, until('no other search to run', () => reading.length === 2)]);
    for (const finish of reading) finish();
    expect([(await first).status, (await refused).status]).to.deep.equal([404, 503]);
    const again = ada.get(FIND);
    await until('the next search to run', () => reading.length === 2);
    reading[1]?.();
    expect((await again).status).to.equal(404);
  });
});
