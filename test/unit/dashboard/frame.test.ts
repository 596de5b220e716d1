import { expect } from 'chai';
import { bannerOf } from '#dashboard/frame/banner.ts';
import type { Question } from '#dashboard/user/access.ts';
import {
  ADA,
  type DashboardServer,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

describe('the frame', () => {
  describe('banner', () => {
    const namespace = 'team-a';
    const userWith = (...allowed: readonly string[]) => ({
      seemsToBeAllowed: (_: string, { verb, resource }: Question) =>
        Promise.resolve({ allowed: allowed.includes(`${verb} ${resource}`), reason: '' }),
    });

    it('names the role edit to a user who can only view', async () => {
      const banner = await bannerOf(userWith('list zipjobs'), { namespace }, 'jobs');
      expect(banner?.title).to.equal('View only.');
      expect(banner?.text).to.contain('you need the role edit in the namespace team-a');
    });

    it('names the role admin on pages that only admins can change', async () => {
      const editor = userWith('create zipjobs');
      expect((await bannerOf(editor, { namespace }, 'tokens'))?.text).to.contain('the role admin');
      expect(await bannerOf(editor, { namespace }, 'jobs')).to.equal(undefined);
    });

    it('is not shown to admins', async () => {
      const admin = userWith('create zipjobs', 'create ziptokens');
      expect(await bannerOf(admin, { namespace }, 'webhook')).to.equal(undefined);
    });
  });

  describe('around a page', () => {
    let server: DashboardServer;
    before(async () => {
      server = await startStaffedDashboard();
      server.tokens.set('viewer', {
        name: 'vera',
        allowed: ['get zipprojects team-a', 'list zipjobs team-a', 'list zipbuckets team-a'],
      });
    });
    after(() => server[Symbol.asyncDispose]());

    it('the title of the document names the page and the project', async () => {
      const { text } = await (await visitAs(server, ADA)).get('/projects/team-a/jobs');
      expect(text).to.contain('<title>Jobs · Team A · zipjobs</title>');
    });

    it('the banner appears once, above the page', async () => {
      const { text } = await (await visitAs(server, 'viewer')).get('/projects/team-a/jobs');
      expect(text.match(/View only\./g)).to.have.lengthOf(1);
      expect((await (await visitAs(server, ADA)).get('/projects/team-a/jobs')).text).to.not.contain(
        'View only',
      );
    });
  });
});
