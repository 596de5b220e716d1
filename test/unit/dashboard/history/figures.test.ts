import { expect } from 'chai';
import { aFinishedJob, daysAgo, idOf } from '#test/support/builders/archived-jobs.ts';
import { HOME, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { useDashboardHistory } from '#test/support/worlds/use-dashboard-history.ts';

const HISTORY = `${HOME}/history`;

function keysIn(html: string): readonly string[] {
  return [...html.matchAll(/\/jobs\/[^"]+"(?: title="[^"]*")?><bdi>([^<]+)<\/bdi>/g)].map(
    ([, key = '']) => key,
  );
}

/** A number of the overview and the path of its list. */
function figureIn(html: string, name: string): { readonly value: string; readonly href: string } {
  const [, href = '', value = ''] =
    new RegExp(`<dt>${name}</dt><dd[^>]*>(?:<a href="([^"]+)">)?([^<]*)<`).exec(html) ?? [];
  return { value, href: href.replaceAll('&amp;', '&') };
}

function linkIn(html: string, text: string): string {
  return (new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(html)?.[1] ?? `no link ${text}`).replaceAll(
    '&amp;',
    '&',
  );
}

describe('the figures of the history', function () {
  this.timeout(60_000);
  // A busy machine would otherwise show the overview without them.
  const world = useDashboardHistory({ dashboardStatisticsTimeoutMs: 30_000 });

  async function keysAt(path: string): Promise<readonly string[]> {
    return keysIn((await world.dashboard.ada.get(path)).text);
  }

  it('are on the overview for 24 hours, 7 days and 30 days', async () => {
    await world.dashboard.archive(
      aFinishedJob(1, { finishedAt: daysAgo(0, 60) }),
      aFinishedJob(2, { finishedAt: daysAgo(3) }),
      aFinishedJob(3, { finishedAt: daysAgo(20) }),
      aFinishedJob(4, { finishedAt: daysAgo(40) }),
    );
    async function succeededIn(period: string) {
      const { text } = await world.dashboard.ada.get(`${HOME}?period=${period}`);
      return { value: text.match(/(\d+) succeeded</)?.[1], href: linkIn(text, '\\d+ succeeded') };
    }
    const all: unknown[] = [];
    for (const period of ['24h', '7d', '30d']) {
      const { value, href } = await succeededIn(period);
      all.push([value, (await keysAt(href)).length]);
    }
    expect(all).to.deep.equal([
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ]);
  });

  it('have the duration, the reasons and the newest failures of the period, each with its list', async () => {
    const failed = { phase: 'Failed', failure: { code: 'SourceNotFound', retriable: false } } as const;
    await world.dashboard.archive(
      aFinishedJob(1, { finishedAt: daysAgo(3, 90), status: { startedAt: daysAgo(3, 105) } }),
      ...[2, 3].map((n) => aFinishedJob(n, { finishedAt: daysAgo(3, 90), status: failed })),
    );
    const { text } = await world.dashboard.ada.get(`${HOME}?period=7d`);
    expect(figureIn(text, 'Median duration').value).to.equal('≈ 14s');
    expect(figureIn(text, 'Success rate').value).to.equal('33.3 %');
    const sentence = 'A source does not have the file, or refused to send it.';
    expect(text.split(sentence).length - 1).to.equal(3);
    expect((await keysAt(linkIn(text, sentence))).toSorted()).to.deep.equal([
      'reports/2.zip',
      'reports/3.zip',
    ]);
    expect(linkIn(text, '<bdi>reports/2.zip</bdi>')).to.equal(`${HOME}/jobs/${idOf(2)}`);
    expect((await world.dashboard.ada.get(HOME)).text).to.not.contain(sentence);
  });

  it('name a failed job once that is in the cluster and in the history, and one that is not archived yet', async () => {
    const failed = { phase: 'Failed', failure: { code: 'SourceNotFound', retriable: false } } as const;
    const jobs = [1, 2].map((n) => aFinishedJob(n, { finishedAt: daysAgo(0, 60 * n), status: failed }));
    await world.dashboard.archive(...jobs.slice(0, 1));
    for (const job of jobs) world.dashboard.server.zipJobs.put(job);
    const { text } = await world.dashboard.ada.get(HOME);
    expect(keysIn(text)).to.deep.equal(['reports/1.zip', 'reports/2.zip']);
    // The figures count the job of the history only, and say so.
    expect(text).to.contain('>1 failed<').and.contain('do not count 1 of these jobs yet');
    expect(text.split('not counted yet')).to.have.length(2);
    expect(text).to.contain('2 of 2 jobs failed in the last hour, all with SourceNotFound.');
  });

  it('are refreshed in the open page', async () => {
    await world.dashboard.archive(aFinishedJob(1, { finishedAt: daysAgo(20) }));
    const live = `${HOME}/live/overview?period=30d`;
    expect((await world.dashboard.ada.get(`${HOME}?period=30d`)).text).to.contain(
      `data-live="${live}" data-every="10000"`,
    );
    const { text } = await world.dashboard.ada.get(live);
    expect(text).to.contain('>1 succeeded<');
    expect(text).to.not.contain('<html');
  });

  it('are on the usage page per day, with a link to the jobs of the day', async () => {
    await world.dashboard.archive(
      ...[1, 2].map((n) => aFinishedJob(n, { finishedAt: daysAgo(3) })),
      aFinishedJob(3, { finishedAt: daysAgo(40) }),
    );
    const { text } = await world.dashboard.ada.get(`${HOME}/usage`);
    const day = daysAgo(3).slice(0, 10);
    const href = linkIn(text, day);
    expect(href).to.match(new RegExp(`^${HISTORY}\\?from=${day}T00%3A00&to=`));
    expect((await keysAt(href)).length).to.equal(2);
    expect(text)
      .to.contain('Jobs per day')
      .and.contain(`<title>${day} UTC: 2 succeeded, 0 failed, 0 cancelled</title>`)
      .and.not.contain(daysAgo(40).slice(0, 10));
    expect((await world.dashboard.ada.get(`${HOME}/usage?days=90`)).text).to.contain(
      daysAgo(40).slice(0, 10),
    );
  });

  it('say what is missing while the database is away', async () => {
    world.dashboard.server.zipJobs.put(aFinishedJob(1, { finishedAt: daysAgo(0, 60) }));
    await world.postgres.kill();
    try {
      const overview = await world.dashboard.ada.get(HOME);
      expect(overview.status).to.equal(200);
      expect(overview.text).to.contain('The history database does not respond').and.contain('Now');
      expect(overview.text).to.contain('count only the jobs that are still in the cluster');
      expect(figureIn(overview.text, 'Success rate').href).to.contain(`${HOME}/jobs?state=Failed`);
      const month = await world.dashboard.ada.get(`${HOME}?period=30d`);
      expect(month.text).to.contain('not available now');
      expect(figureIn(month.text, 'Queued').value).to.equal('0');
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
    const week = `${HOME}?period=7d`;
    expect((await world.dashboard.ada.get(week)).text).to.contain('2.0 KiB');
    world.dashboard.recreateProject();
    for (const path of [`${HOME}/usage`, week])
      expect((await world.dashboard.ada.get(path)).text, path).to.not.contain('2.0 KiB');
  });
});
