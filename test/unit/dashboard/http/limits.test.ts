import { expect } from 'chai';
import { limitMeters } from '#dashboard/projects/project-limits.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

describe('limits in the dashboard', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startStaffedDashboard();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('have no meter while the controller has not reported them (Q-U24)', () => {
    const meters = limitMeters(aProject('team-a'), { activeJobs: 1, storedJobs: 3 });
    expect(meters.map(({ name, text, most }) => [name, text, most])).to.deep.equal([
      ['Active jobs', '1', undefined],
      ['Stored jobs', '3', undefined],
    ]);
  });

  it('of a project are on its overview with their usage, and with its class (N8, Q-U24)', async () => {
    const { name, limits } = projectClasses({ large: { activeJobs: 200 } }, { 'team-a': 'large' }).of(
      'team-a',
    );
    server.zipProjects.put({
      ...aProject('team-a', { limits: { storedJobs: 500 } }),
      status: { class: { name, limits } },
    });
    for (const [n, phase] of (['Queued', 'Starting', 'Running'] as const).entries())
      server.zipJobs.put(aZipJob({ metadata: { namespace: 'team-a', name: `job-${n}` }, status: { phase } }));
    const { text } = await (await visitAs(server, ADA)).get('/projects/team-a');
    for (const fact of [
      'of the class large',
      '<dt>Active jobs</dt><dd>2 of 200</dd>',
      'max="200" value="2"',
      '<dt>Stored jobs</dt><dd>3 of 500 (of the class: 40,000)</dd>',
      'max="500" value="3"',
      'href="/projects/team-a/settings#limits"',
    ])
      expect(text).to.contain(fact);
    expect(text).to.not.contain('Stored bytes');
  });

  it('end the polling of a session that sends too many requests', async () => {
    await using limited = await startStaffedDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '2' });
    const [visitor, other] = [await visitAs(limited, ADA), await visitAs(limited, ADA)];
    const path = '/projects/team-a/live/overview';
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await visitor.get(path, { 'x-live': '1' })).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    const refused = await visitor.get('/projects');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(refused.text).to.contain('This session sent more than 2 requests in a minute.');
    expect((await other.get('/projects')).status).to.equal(200);
  });

  it('count sign-outs with a wrong CSRF token, but never refuse a valid one', async () => {
    await using limited = await startStaffedDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '3' });
    for (const path of ['/sign-out', '/sign-out-everywhere']) {
      const visitor = await visitAs(limited, ADA);
      const csrf = await visitor.csrf('/projects');
      const statuses: number[] = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await visitor.post(path, { csrf: 'wrong' })).status);
      expect(statuses, path).to.deep.equal([403, 403, 429]);
      expect((await visitor.post(path, { csrf })).headers.get('location')).to.match(/^\/sign-in\?why=/);
    }
  });

  it('count requests for paths that do not exist, whose page has the navigation too', async () => {
    await using limited = await startStaffedDashboard({ DASHBOARD_REQUESTS_PER_MINUTE: '2' });
    const visitor = await visitAs(limited, ADA);
    const statuses: number[] = [];
    for (const path of ['/absent', '/projects/team-a/absent', '/absent'])
      statuses.push((await visitor.get(path)).status);
    expect(statuses).to.deep.equal([404, 404, 429]);
  });
});
