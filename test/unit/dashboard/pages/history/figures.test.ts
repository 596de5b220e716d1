import { expect } from 'chai';
import { aFinishedJob, daysAgo } from '#test/support/builders/archived-jobs.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres-server.ts';
import { forgetJobs } from '#test/support/worlds/archived-jobs.ts';
import { type DashboardHistory, startDashboardHistory } from '#test/support/worlds/dashboard-history.ts';
import { HOME, TEAM } from '#test/support/worlds/dashboard-project.ts';

const HISTORY = `${HOME}/history`;

const keysIn = (html: string): readonly string[] =>
  [...html.matchAll(/<bdi>([^<]+)<\/bdi>/g)].map(([, key = '']) => key);
const linkIn = (html: string, text: string): string =>
  (new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(html)?.[1] ?? `no link ${text}`).replaceAll('&amp;', '&');

describe('the figures of the history', function () {
  this.timeout(60_000);
  const life = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let dashboard: DashboardHistory;
  before(async function () {
    await requirePostgres(this);
    postgres = life.use(await startPostgres());
  });
  after(() => life.disposeAsync());
  beforeEach(async () => {
    dashboard = await startDashboardHistory(postgres);
  });
  afterEach(async () => {
    await dashboard[Symbol.asyncDispose]();
    await forgetJobs(postgres);
  });

  const keysAt = async (path: string): Promise<readonly string[]> =>
    keysIn((await dashboard.ada.get(path)).text);

  it('are on the overview for 24 hours, 7 days and 30 days', async () => {
    await dashboard.archive(
      aFinishedJob(1, { finishedAt: daysAgo(0, 60) }),
      aFinishedJob(2, { finishedAt: daysAgo(3) }),
      aFinishedJob(3, { finishedAt: daysAgo(20) }),
      aFinishedJob(4, { finishedAt: daysAgo(40) }),
    );
    const { status, text } = await dashboard.ada.get(HOME);
    expect(status).to.equal(200);
    const row = (label: string) =>
      new RegExp(
        `<th scope="row">${label}</th><td class="num">(\\d+)</td>.*?<td class="num">([^<]* KiB)<`,
      ).exec(text);
    expect(row('24 hours')?.slice(1)).to.deep.equal(['1', '2.0 KiB']);
    expect(row('7 days')?.slice(1)).to.deep.equal(['2', '4.0 KiB']);
    expect(row('30 days')?.slice(1)).to.deep.equal(['3', '6.0 KiB']);
  });

  it('are on the usage page per day, with a link to the jobs of the day', async () => {
    await dashboard.archive(
      ...[1, 2].map((n) => aFinishedJob(n, { finishedAt: daysAgo(3) })),
      aFinishedJob(3, { finishedAt: daysAgo(40) }),
    );
    const { text } = await dashboard.ada.get(`${HOME}/usage`);
    const day = daysAgo(3).slice(0, 10);
    const href = linkIn(text, day);
    expect(href).to.equal(`${HISTORY}?from=${day}&to=${day}`);
    expect((await keysAt(href)).length).to.equal(2);
    expect(text)
      .to.contain(`${day}</a></th><td class="num">2</td>`)
      .and.not.contain(daysAgo(40).slice(0, 10));
    expect((await dashboard.ada.get(`${HOME}/usage?days=90`)).text).to.contain(daysAgo(40).slice(0, 10));
  });

  it('say what is missing while the database is away', async () => {
    await postgres.kill();
    try {
      const overview = await dashboard.ada.get(HOME);
      expect(overview.status).to.equal(200);
      expect(overview.text).to.contain('The history database does not respond').and.contain('Jobs by state');
      const usage = await dashboard.ada.get(`${HOME}/usage`);
      expect(usage.status).to.equal(503);
      expect(usage.text).to.contain('history database does not respond');
    } finally {
      await postgres.start();
    }
  });

  it('are denied to a user who cannot list jobs, and empty in a recreated namespace', async () => {
    await dashboard.archive(aFinishedJob(1));
    dashboard.server.tokens.set('view-token', { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    expect((await dashboard.viewer.get(`${HOME}/usage`)).status).to.equal(403);
    expect((await dashboard.ada.get(HOME)).text).to.contain('2.0 KiB');
    dashboard.recreateProject();
    for (const path of [`${HOME}/usage`, HOME])
      expect((await dashboard.ada.get(path)).text, path).to.not.contain('2.0 KiB');
  });
});
