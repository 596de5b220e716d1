import { expect } from 'chai';
import { bannerOf } from '#dashboard/ui/banner.ts';
import { switcherOf } from '#dashboard/ui/switcher.ts';
import type { Question } from '#dashboard/user/access.ts';
import { toVisible } from '#dashboard/user/visible-projects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

describe('the frame', () => {
  describe('banner', () => {
    const namespace = 'team-a';
    function userWith(...allowed: readonly string[]) {
      return {
        seemsToBeAllowed: (_: string, { verb, resource }: Question) =>
          Promise.resolve({ allowed: allowed.includes(`${verb} ${resource}`), reason: '' }),
      };
    }

    it('names the role edit to a user who can only view', async () => {
      const banner = await bannerOf(userWith('list zipjobs'), { namespace }, 'jobs');
      expect(banner?.title).to.equal('View only.');
      expect(banner?.text).to.contain('you need the role edit in team-a');
    });

    it('names the role admin on pages that only admins can change', async () => {
      const editor = userWith('create zipjobs');
      expect((await bannerOf(editor, { namespace }, 'tokens'))?.text).to.contain(
        'need the role admin in team-a',
      );
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

    it('the breadcrumbs lead from the project to the pages above', async () => {
      const ada = await visitAs(server, ADA);
      const { text } = await ada.get('/projects/team-a/new-token');
      const [trail = ''] = /<nav class="trail".*?<\/nav>/s.exec(text) ?? [];
      expect(
        [...trail.matchAll(/href="([^"]+)"><bdi>([^<]+)/g)].map(([, href, label]) => [href, label]),
      ).to.deep.equal([
        ['/projects/team-a', 'Team A'],
        ['/projects/team-a/tokens', 'Access tokens'],
      ]);
      expect((await ada.get('/projects/team-a/jobs')).text).to.not.contain('class="trail"');
    });

    it('the project menu keeps the section', async () => {
      const ada = await visitAs(server, ADA);
      expect((await ada.get('/projects/team-a/jobs')).text).to.contain('href="/projects/team-b/jobs"');
      expect((await ada.get('/projects/team-a/jobs/Not%20A%20Name')).text).to.contain(
        'href="/projects/team-b/jobs"',
      );
      expect((await ada.get('/projects')).text).to.contain('<li><a href="/projects/team-b"');
    });

    it('the project menu is limited, and names how many are missing', async () => {
      const names = Array.from({ length: 120 }, (_, index) => aProject(`many-${index}`));
      const { projects, more } = switcherOf(names.map(toVisible), 'many-1', 'jobs');
      expect([projects.length, more]).to.deep.equal([50, 70]);
      expect(projects[1]).to.deep.include({ isCurrent: true, href: '/projects/many-1/jobs' });
    });
  });

  describe('of an error page', () => {
    let server: DashboardServer;
    before(async () => {
      server = await startStaffedDashboard();
      server.tokens.set('viewer', {
        name: 'vera',
        allowed: ['get zipprojects team-a', 'list zipjobs team-a'],
      });
    });
    after(() => server[Symbol.asyncDispose]());
    const TABS = '<nav class="tabs" aria-label="Project">';

    it('has the project menu and the tabs when a page does not exist', async () => {
      const ada = await visitAs(server, ADA);
      const { status, text } = await ada.get('/projects/team-a/nowhere');
      expect(status).to.equal(404);
      expect(text).to.contain(TABS).and.contain('id="switcher"').and.contain('Not found · Team A');
      const outside = await ada.get('/nowhere');
      expect(outside.text).to.contain('id="switcher"').and.not.contain(TABS);
    });

    it('names the missing role when a page is not allowed', async () => {
      const vera = await visitAs(server, 'viewer');
      const { status, text } = await vera.get('/projects/team-a/tokens');
      expect(status).to.equal(403);
      expect(text).to.contain(TABS).and.contain('View only.').and.contain('the role admin');
      expect((await vera.get('/projects/team-a/nowhere')).text).to.not.contain('View only.');
    });

    it('names the role view to a user who cannot see the project', async () => {
      const vera = await visitAs(server, 'viewer');
      const { text } = await vera.get('/projects/team-b');
      expect(text).to.contain('Ask for the role view in the namespace team-b').and.not.contain(TABS);
    });

    it('has no navigation without a session, in a live part, and while the cluster does not respond', async () => {
      expect((await server.visit().get('/nowhere')).text).to.not.contain('id="switcher"');
      const ada = await visitAs(server, ADA);
      expect((await ada.get('/projects/team-a/nowhere', { 'x-live': '1' })).text).to.not.contain(TABS);
      server.tokens.delete(ADA);
      const { status, text } = await ada.get('/projects/team-a/nowhere');
      expect(status).to.equal(404);
      expect(text).to.contain('Not found').and.not.contain(TABS);
    });
  });

  describe('preferences', () => {
    it('are kept in cookies of this host, one at a time, and default when unknown', async () => {
      await using server = await startStaffedDashboard();
      const visitor = server.visit();
      const next = '/sign-in?next=%2Fprojects';
      const { headers } = await visitor.post('/preferences', { times: 'local', next });
      expect(headers.get('location')).to.equal(next);
      expect(headers.getSetCookie()).to.have.lengthOf(1);
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="auto" data-times="local"');
      await visitor.post('/preferences', { times: 'mars', theme: 'dark', next });
      expect((await visitor.get('/sign-in')).text).to.contain('data-theme="dark" data-times="utc"');
    });

    it('return to the page of the section from the response to a form, which no link can open again (Q-U26)', async () => {
      await using server = await startStaffedDashboard();
      const ada = await visitAs(server, ADA);
      const csrf = await ada.csrf('/projects');
      for (const path of ['/projects/team-a/bulk/cancel', '/projects/team-a/new-token']) {
        const { status, text } = await ada.post(path, { csrf, name: 'x'.repeat(200) });
        expect(status, path).to.be.oneOf([200, 422]);
        expect(text, path).to.match(
          /action="\/preferences"[^>]*>\s*<input type="hidden" name="next" value="\/projects\/team-a[^"]*">/,
        );
      }
    });

    it('return to the page with its query', async () => {
      await using server = await startStaffedDashboard();
      const { text } = await (await visitAs(server, ADA)).get('/projects/team-a/jobs?state=Failed');
      expect(text).to.contain('name="next" value="/projects/team-a/jobs?state=Failed"');
    });
  });

  it('the list of projects can be filtered by name or namespace', async () => {
    await using server = await startStaffedDashboard();
    const ada = await visitAs(server, ADA);
    async function rows(q: string): Promise<readonly string[]> {
      const { text } = await ada.get(`/projects?q=${q}`);
      return [...text.matchAll(/<th scope="row">\s*<a class="row" href="([^"]+)"/g)].map(
        ([, href = '']) => href,
      );
    }
    expect(await rows('TEAM+A')).to.deep.equal(['/projects/team-a']);
    expect(await rows('team-')).to.deep.equal(['/projects/team-b', '/projects/team-a'].toSorted());
    expect((await ada.get('/projects?q=nothing')).text).to.contain('No projects found');
  });
});
