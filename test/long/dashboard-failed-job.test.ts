import { expect } from 'chai';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  type DashboardDesk,
  type OpenPage,
  seriousIssues,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import type { DashboardUser } from '#test/support/worlds/dashboard-users.ts';

const NAMESPACE = 'dashboard-failed-job';
const JOBS = `/projects/${NAMESPACE}/jobs`;

describe('the page of a failed job', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let admin: DashboardUser;
  let viewer: DashboardUser;
  let failed: string;
  let host: string;
  before(async function () {
    await requireBrowser(this);
    desk = life.use(await startDashboardDesk(NAMESPACE));
    admin = await desk.addUser('ada', 'admin');
    viewer = await desk.addUser('vera', 'view');
    const { flow } = desk;
    host = new URL(flow.origin.url('/')).host;
    failed = await flow.post([
      { url: flow.origin.url('/gen/10/1'), filename: 'there.txt' },
      { url: flow.origin.url('/status/404'), filename: 'invoices/48448.pdf' },
    ]);
    await flow.project.untilPhase(failed, ['Failed'], 200_000);
  });
  after(() => life.disposeAsync());

  const openAs = async (user: DashboardUser, options = {}): Promise<OpenPage> => {
    const open = await desk.open(options);
    await open.signIn(user.token);
    await open.page.goto(`${JOBS}/${failed}`);
    return open;
  };
  const panelOf = async ({ page }: OpenPage): Promise<string> =>
    (await page.getByRole('region', { name: 'Why this job failed' }).innerText()).replaceAll(/\s+/g, ' ');
  /** The sections of the page, first to last. */
  const sectionsOf = ({ page }: OpenPage): Promise<readonly string[]> =>
    page.locator('main h2').allInnerTexts();

  it('starts with reason, file, host and remedy, reruns the job and links both ways, without JavaScript', async () => {
    await using open = await openAs(admin, { javaScriptEnabled: false });
    const { page } = open;
    expect(await page.title()).to.match(/^Failed · posted-1\.zip · /);
    expect((await sectionsOf(open)).slice(0, 3)).to.deep.equal([
      'Why this job failed',
      'Failing files',
      'Stages',
    ]);
    expect(await panelOf(open))
      .to.contain('A source does not have the file, or refused to send it.')
      .and.to.contain('index 1, invoices/48448.pdf')
      .and.to.contain(host)
      .and.to.contain('HTTP 404')
      .and.to.contain('Next step Check the response of the URL')
      .and.to.contain('it helps only after the cause is fixed.');
    expect(await page.getByRole('button', { name: 'Run again' }).getAttribute('class')).to.equal(null);
    expect(await page.locator('.stages .name').allInnerTexts()).to.include.members([
      'Queued',
      'Starting',
      'Attempt 1',
      'Reading',
      'Uploading',
      'Webhook',
    ]);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText(`New job created with the files of zip-${failed}`).waitFor();
    const rerun = page.url();
    await page.getByRole('link', { name: `zip-${failed}` }).click();
    await page.getByRole('list', { name: 'Reruns of this job' }).getByRole('link').click();
    expect(page.url()).to.equal(rerun);
    await page.goto(`${JOBS}/${failed}`);
    await page.getByText('Show events and conditions').click();
    await page.getByText('JobCreated').first().waitFor();
    expect(open.complaints).to.deep.equal([]);
  });

  it('shows a user who can only view the index of the file, and which permission is missing', async () => {
    await using open = await openAs(viewer);
    expect(await panelOf(open))
      .to.contain('index 1 ')
      .and.to.contain('not allowed to get secrets')
      .and.to.not.contain('48448.pdf')
      .and.to.not.contain(host);
    await open.page.getByRole('button', { name: 'Run again (locked)' }).press('Enter');
    await open.page.getByText('is not allowed to create zipjobs').waitFor();
    expect(open.complaints).to.deep.equal([]);
  });

  it('has no serious issue in axe, in both colour schemes, and fits a phone', async () => {
    for (const user of [admin, viewer]) {
      await using open = await openAs(user, { viewport: { width: 360, height: 800 } });
      const { page } = open;
      await page.getByText('Show events and conditions').click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await seriousIssues(page), colorScheme).to.deep.equal([]);
      }
      const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      const [content = 0, window = 0] = widths as readonly number[];
      expect(content).to.be.at.most(window);
      expect(open.complaints).to.deep.equal([]);
    }
  });
});
