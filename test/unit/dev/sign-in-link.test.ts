import { expect } from 'chai';
import { type SignInLink, startSignInLink } from '#test/dev/sign-in-link.ts';
import { ADA, type DashboardServer, startStaffedDashboard } from '#test/support/servers/dashboard-server.ts';

const PAGE = '/projects/team-a/jobs';

describe('startSignInLink', () => {
  let stack: AsyncDisposableStack;
  let dashboard: DashboardServer;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    dashboard = stack.use(await startStaffedDashboard());
  });
  afterEach(() => stack.disposeAsync());

  async function startLink(token: string): Promise<SignInLink> {
    return stack.use(await startSignInLink({ dashboardUrl: dashboard.url, token, page: PAGE }));
  }
  async function open(url: string) {
    const response = await fetch(url, { redirect: 'manual', headers: { connection: 'close' } });
    return { response, text: await response.text() };
  }

  it('signs in the browser that opens it, at the page (Q-D1)', async () => {
    const { response } = await open((await startLink(ADA)).url);
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal(dashboard.url + PAGE);
    const cookie = response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const page = await fetch(dashboard.url + PAGE, { redirect: 'manual', headers: { cookie } });
    expect(page.status).to.equal(200);
    expect(await page.text()).to.contain('ada');
  });

  it('contains no token, and no other path signs in', async () => {
    const { url } = await startLink(ADA);
    expect(url)
      .to.match(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/)
      .and.not.contain(ADA);
    for (const path of ['/', '/sign-in', PAGE]) {
      const { response } = await open(new URL(path, url).href);
      expect(response.status).to.equal(404);
      expect(response.headers.getSetCookie()).to.deep.equal([]);
    }
  });

  it('says what the dashboard did if it refuses the token or does not run', async () => {
    const refused = await open((await startLink('other-token')).url);
    expect([refused.response.status, refused.text]).to.deep.equal([
      502,
      'The dashboard refused the sign-in with status 422.\n',
    ]);
    const { url } = await startLink(ADA);
    await dashboard[Symbol.asyncDispose]();
    const away = await open(url);
    expect([away.response.status, away.text]).to.deep.equal([
      503,
      'The dashboard does not respond. Reload.\n',
    ]);
  });
});
