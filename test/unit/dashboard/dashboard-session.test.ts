import { expect } from 'chai';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { ADA, startDashboardServer } from '#test/support/servers/dashboard-server.ts';

describe('a dashboard session', () => {
  it('checks the permissions of the tabs at most every 3 s, and those of the project menu every 30 s', async () => {
    const clock = createManualClock();
    await using server = await startDashboardServer({ clock });
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject('team-a'));
    server.zipJobs.put(aZipJob({ metadata: { namespace: 'team-a' } }));
    const visitor = server.visit();
    await visitor.signIn(ADA);
    async function asked(): Promise<number> {
      const before = server.requests.length;
      await visitor.get('/projects/team-a');
      return server.requests.length - before;
    }
    const first = await asked();
    expect(await asked())
      .to.equal(2)
      .and.to.be.below(first);
    clock.jump(3_001);
    expect(await asked()).to.equal(first - 1);
    clock.jump(30_001);
    expect(await asked()).to.equal(first);
  });
});
