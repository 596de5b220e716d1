import { expect } from 'chai';
import { historyShots } from '#test/screenshots/history-states.ts';
import { shotsOf } from '#test/screenshots/shots.ts';
import { stateShots } from '#test/screenshots/states.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { readRefused } from '#test/support/builders/refused-requests.ts';
import { dashboardRoutes, pagePaths } from '#test/support/servers/dashboard-routes.ts';
import { startDashboardServer } from '#test/support/servers/dashboard-server.ts';

const JOB = 'zip-00000000-0000-4000-8000-000000000001';

describe('the screenshots', () => {
  const shots = [
    ...shotsOf('team-a', 'exports', { running: JOB, succeeded: JOB, failed: JOB }),
    ...stateShots,
    ...historyShots,
  ];

  it('include every page of the dashboard', async () => {
    await using server = await startDashboardServer();
    const pages = pagePaths(dashboardRoutes(server, createCountedHistory(), readRefused), {});
    const paths = shots.map(({ path }) => path.replace(/\?.*/, ''));
    const missing = pages.filter((page) => {
      const pattern = new RegExp(`^${page.replaceAll(/:\w+/g, '[^/]+')}$`);
      return !paths.some((path) => pattern.test(path));
    });
    expect(missing).to.deep.equal([]);
  });

  it('have a name of their own', () => {
    const names = shots.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
