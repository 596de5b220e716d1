import { expect } from 'chai';
import { aFinishedJob, daysAgo } from '#test/support/builders/archived-jobs.ts';
import { HOME, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { useDashboardHistory } from '#test/support/worlds/use-dashboard-history.ts';

const HISTORY = `${HOME}/history`;

const keysIn = (html: string): readonly string[] =>
  [...html.matchAll(/<bdi>([^<]+)<\/bdi>/g)].map(([, key = '']) => key);
const linkIn = (html: string, text: string): string =>
  (new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(html)?.[1] ?? `no link ${text}`).replaceAll('&amp;', '&');

describe('the figures of the history', function () {
  this.timeout(60_000);
  const world = useDashboardHistory();

  const keysAt = async (path: string): Promise<readonly string[]> =>
    keysIn((await world.dashboard.ada.get(path)).text);

  it('are on the overview for 24 hours, 7 days and 30 days', async () => {
    await world.dashboard.archive(
      aFinishedJob(1, { finishedAt: daysAgo(0, 60) }),
      aFinishedJob(2, { finishedAt: daysAgo(3) }),
      aFinishedJob(3, { finishedAt: daysAgo(20) }),
      aFinishedJob(4, { finishedAt: daysAgo(40) }),
    );
    const { status, text } = await world.dashboard.ada.get(HOME);
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
    await world.dashboard.archive(
      ...[1, 2].map((n) => aFinishedJob(n, { finishedAt: daysAgo(3) })),
      aFinishedJob(3, { finishedAt: daysAgo(40) }),
    );
    const { text } = await world.dashboard.ada.get(`${HOME}/usage`);
    const day = daysAgo(3).slice(0, 10);
    const href = linkIn(text, day);
    expect(href).to.equal(`${HISTORY}?from=${day}&to=${day}`);
    expect((await keysAt(href)).length).to.equal(2);
    expect(text)
      .to.contain(`${day}</a></th><td class="num">2</td>`)
      .and.not.contain(daysAgo(40).slice(0, 10));
    expect((await world.dashboard.ada.get(`${HOME}/usage?days=90`)).text).to.contain(
      daysAgo(40).slice(0, 10),
    );
  });

  it('say what is missing while the database is away', async () => {
    await world.postgres.kill();
    try {
      const overview = await world.dashboard.ada.get(HOME);
      expect(overview.status).to.equal(200);
      expect(overview.text).to.contain('The history database does not respond').and.contain('Jobs by state');
      const usage = await world.dashboard.ada.get(`${HOME}/usage`);
      expect(usage.status).to.equal(503);
      expect(usage.text).to.contain('history database does not respond');
    } finally {
      await world.postgres.start();
    }
  });

  it('are denied to a user who cannot list jobs, and empty in a recreated namespace', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    world.dashboard.server.tokens.set('view-token', { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    expect((await world.dashboard.viewer.get(`${HOME}/usage`)).status).to.equal(403);
    expect((await world.dashboard.ada.get(HOME)).text).to.contain('2.0 KiB');
    world.dashboard.recreateProject();
    for (const path of [`${HOME}/usage`, HOME])
      expect((await world.dashboard.ada.get(path)).text, path).to.not.contain('2.0 KiB');
  });
});
