import { expect } from 'chai';
import { aFinishedJob, daysAgo, idOf } from '#test/support/builders/archived-jobs.ts';
import { filterNames, visitAs } from '#test/support/servers/dashboard-server.ts';
import { COLLECTIONS, HOME, startDashboardProject, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { useDashboardHistory } from '#test/support/worlds/use-dashboard-history.ts';

const HISTORY = `${HOME}/history`;
const EVIL = `"'><script>alert(1)</script>`;
const STRANGER = 'stranger-token';

function keysIn(html: string): readonly string[] {
  return [...html.matchAll(/\/jobs\/[^"]+"(?: title="[^"]*")?><bdi>([^<]+)<\/bdi>/g)].map(
    ([, key = '']) => key,
  );
}

function linkIn(html: string, text: string): string {
  return (new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(html)?.[1] ?? `no link ${text}`).replaceAll(
    '&amp;',
    '&',
  );
}

describe('the pages of the history', function () {
  this.timeout(60_000);
  const world = useDashboardHistory();

  async function keysAt(path: string): Promise<readonly string[]> {
    return keysIn((await world.dashboard.ada.get(path)).text);
  }

  describe('the list', () => {
    it('shows finished jobs, most recently finished first, and is in the menu', async () => {
      await world.dashboard.archive(...[1, 2, 3].map((n) => aFinishedJob(n)));
      const { status, text } = await world.dashboard.ada.get(HISTORY);
      expect(status).to.equal(200);
      expect(keysIn(text)).to.deep.equal(['reports/1.zip', 'reports/2.zip', 'reports/3.zip']);
      expect(text)
        .to.contain(`href="${HOME}/jobs/${idOf(1)}"`)
        .and.contain('2.0 KiB')
        .and.contain('s3/reports');
      expect(text).to.contain(`<a href="${HISTORY}" data-key="h" aria-current="page">History</a>`);
    });

    it('has pages that neither skip nor repeat a job when new ones are added', async () => {
      await world.dashboard.archive(...Array.from({ length: 60 }, (_, n) => aFinishedJob(n + 1)));
      const first = await world.dashboard.ada.get(HISTORY);
      const older = linkIn(first.text, 'Older');
      await world.dashboard.archive(aFinishedJob(0, { key: 'new.zip' }));
      const second = await world.dashboard.ada.get(older);
      const third = await world.dashboard.ada.get(linkIn(second.text, 'Older'));
      const all = [first, second, third].flatMap(({ text }) => keysIn(text));
      expect(all).to.deep.equal(Array.from({ length: 60 }, (_, n) => `reports/${n + 1}.zip`));
      expect(third.text).to.not.contain('>Older<');
      expect(keysIn((await world.dashboard.ada.get(linkIn(third.text, 'Newest'))).text)[0]).to.equal(
        'new.zip',
      );
    });

    it('filters by state, reason, bucket, token, days, key and ID, which stay in the links', async () => {
      const failed = {
        phase: 'Failed',
        reason: 'Failed',
        failure: { code: 'SourceNotFound', retriable: false },
      } as const;
      await world.dashboard.archive(
        aFinishedJob(1, { key: 'a.zip', status: failed }),
        aFinishedJob(2, { key: 'b.zip', bucket: 'r2-cold' }),
        aFinishedJob(3, { key: 'c.zip', token: 'nightly' }),
        aFinishedJob(4, { key: 'd/e.zip', finishedAt: daysAgo(40) }),
      );
      const day = daysAgo(40).slice(0, 10);
      expect(await keysAt(`${HISTORY}?state=Failed`)).to.deep.equal(['a.zip']);
      expect(await keysAt(`${HISTORY}?reason=SourceNotFound`)).to.deep.equal(['a.zip']);
      expect(await keysAt(`${HISTORY}?bucket=r2/cold`)).to.deep.equal(['b.zip']);
      expect(await keysAt(`${HISTORY}?token=nightly`)).to.deep.equal(['c.zip']);
      expect(await keysAt(`${HISTORY}?from=${day}&to=${day}`)).to.deep.equal(['d/e.zip']);
      expect(await keysAt(`${HISTORY}?q=d/*`)).to.deep.equal(['d/e.zip']);
      expect(await keysAt(`${HISTORY}?q=${idOf(4)}`)).to.deep.equal(['d/e.zip']);
      expect(await keysAt(`${HISTORY}?state=Cancelled`)).to.deep.equal([]);
      expect(await keysAt(`${HISTORY}?from=${day}T00:00&to=${daysAgo(39).slice(0, 10)}T00:00`)).to.deep.equal(
        ['d/e.zip'],
      );
      const { text } = await world.dashboard.ada.get(`${HISTORY}?state=Failed&q=a*`);
      expect(linkIn(text, 'Export as CSV')).to.equal(`${HISTORY}.csv?q=a*&state=Failed`);
      const times = ['finished-within', 'finished-from', 'finished-to'];
      expect(filterNames(text)).to.deep.equal(['q', 'state', 'reason', 'bucket', 'token', ...times]);
    });

    it('has the chips of the list of jobs, which take any bucket and token (Q-U16)', async () => {
      await world.dashboard.archive(aFinishedJob(1, { key: 'a.zip', token: 'nightly' }));
      const { text } = await world.dashboard.ada.get(`${HISTORY}?state=Failed&token=nightly`);
      expect(text)
        .to.contain(
          `<a href="${HISTORY}?token=nightly"><span class="hidden">Remove filter State: Failed</span>`,
        )
        .and.contain('Token: <bdi>nightly</bdi>')
        .and.contain('name="token" value="nightly" checked>')
        .and.contain('Other token <input name="token" type="text"');
      // What is typed counts, not the chosen option.
      expect(await keysAt(`${HISTORY}?token=&token=nightly`)).to.deep.equal(['a.zip']);
      expect(await keysAt(`${HISTORY}?token=other&token=nightly`)).to.deep.equal(['a.zip']);
    });

    it('goes back and forth through its pages, and says where it is (Q-U16)', async () => {
      await world.dashboard.archive(...Array.from({ length: 60 }, (_, n) => aFinishedJob(n + 1)));
      const first = (await world.dashboard.ada.get(HISTORY)).text;
      expect(first).to.contain('<span>1–25</span>').and.not.contain('>Newer<').and.not.contain('>Newest<');
      const second = (await world.dashboard.ada.get(linkIn(first, 'Older'))).text;
      expect(second).to.contain('<span>26–50</span>');
      const third = (await world.dashboard.ada.get(linkIn(second, 'Older'))).text;
      expect(third).to.contain('<span>51–60 of 60</span>').and.not.contain('>Older<');
      expect(await keysAt(linkIn(third, 'Newer'))).to.deep.equal(keysIn(second));
      expect(await keysAt(linkIn(second, 'Newer'))).to.deep.equal(keysIn(first));
    });

    it('keeps the times and a reason that it does not know in the form', async () => {
      const { text } = await world.dashboard.ada.get(`${HISTORY}?reason=Odd&from=2026-01-30&to=2026-01-31`);
      expect(text).to.contain('name="reason" value="Odd" checked>');
      expect(text).to.match(/name="finished-from" type="datetime-local" value="2026-01-30T00:00"/);
      expect(text).to.match(/name="finished-to" type="datetime-local" value="2026-02-01T00:00"/);
    });

    it('finds a job by the start of its ID (Q-U5)', async () => {
      await world.dashboard.archive(...[1, 2].map((n) => aFinishedJob(n)));
      expect(await keysAt(`${HISTORY}?q=${idOf(2).slice(0, 35)}`)).to.deep.equal(
        [1, 2].filter((n) => idOf(n).startsWith(idOf(2).slice(0, 35))).map((n) => `reports/${n}.zip`),
      );
      expect(await keysAt(`${HISTORY}?q=ffffffff`)).to.deep.equal([]);
    });

    it('finds a job of last month from the list of jobs in the cluster', async () => {
      await world.dashboard.archive(aFinishedJob(1, { key: 'old/report.zip', finishedAt: daysAgo(31) }));
      const { text } = await world.dashboard.ada.get(`${HOME}/jobs?q=report`);
      expect(await keysAt(linkIn(text, 'Search the history'))).to.deep.equal(['old/report.zip']);
      expect(text).to.not.contain('leaves out');
    });

    it('says that its search leaves out the latest creation time of the list of jobs', async () => {
      const { text } = await world.dashboard.ada.get(`${HOME}/jobs?to=2026-01-31T10:00`);
      expect(text)
        .to.contain('Search the history</a>')
        .and.to.contain(
          'It leaves out “Created before”, because the history filters only by the time at which a job finished.',
        );
    });

    it('refuses a wrong filter or cursor instead of ignoring it', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      for (const query of [
        'from=soon',
        'state=Running',
        'after=nonsense',
        `q=${'*a'.repeat(20)}`,
        'q=a%00b',
      ]) {
        const { status, text } = await world.dashboard.ada.get(`${HISTORY}?${query}`);
        expect(status, query).to.equal(422);
        expect(keysIn(text), query).to.deep.equal([]);
      }
    });

    it('escapes hostile values in every column and in the filters', async () => {
      const failure = { code: EVIL, message: EVIL, retriable: false };
      await world.dashboard.archive(
        aFinishedJob(1, {
          key: EVIL,
          token: EVIL,
          bucket: `s3-${EVIL}`,
          spec: { metadata: JSON.stringify({ note: EVIL }) },
          status: {
            phase: 'Failed',
            reason: EVIL,
            message: EVIL,
            failure,
            job: { name: EVIL, uid: EVIL, node: EVIL },
          },
        }),
      );
      const evil = encodeURIComponent(EVIL);
      const pages = [HISTORY, `${HISTORY}?q=${evil}&reason=${evil}&token=${evil}&bucket=${evil}`];
      for (const page of [...pages, `${HOME}/jobs/${idOf(1)}`, `${HISTORY}?from=${evil}&after=${evil}`])
        expect((await world.dashboard.ada.get(page)).text, page).to.not.contain('<script>alert');
      expect((await world.dashboard.ada.get(HISTORY)).text).to.contain('&lt;script&gt;');
    });
  });

  describe('permissions', () => {
    it('are reviewed with the token of each request', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      expect(keysIn((await world.dashboard.viewer.get(HISTORY)).text)).to.deep.equal(['reports/1.zip']);
      const { requests, tokens } = world.dashboard.server;
      const asked = requests.filter(
        ({ bearer, body }) =>
          bearer === 'view-token' &&
          JSON.stringify(body ?? '').includes('"verb":"list","group":"zipjobs.dev","resource":"zipjobs"'),
      );
      expect(asked).to.not.deep.equal([]);
      tokens.set('view-token', { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
      for (const path of [HISTORY, `${HISTORY}.csv`, HOME])
        expect((await world.dashboard.viewer.get(path)).status, path).to.equal(403);
    });

    it('hide a single job from a user who can get jobs, but not list them', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      world.dashboard.server.tokens.set('view-token', {
        name: 'vera',
        allowed: [`get zipprojects ${TEAM}`, `get zipjobs ${TEAM}`],
      });
      const { status, text } = await world.dashboard.viewer.get(`${HOME}/jobs/${idOf(1)}`);
      expect(status).to.equal(403);
      expect(text).to.not.contain('reports/1.zip');
    });

    it('deny everything to a user without any', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      world.dashboard.server.tokens.set(STRANGER, { name: 'stranger', allowed: [] });
      const stranger = await visitAs(world.dashboard.server, STRANGER);
      for (const path of [HISTORY, `${HISTORY}.csv`, `${HOME}/jobs/${idOf(1)}`, HOME]) {
        const { status, text } = await stranger.get(path);
        expect(status, path).to.equal(403);
        expect(text, path).to.not.contain('reports/1.zip');
      }
    });

    it('show nothing of a namespace that was deleted and created again', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      expect((await world.dashboard.ada.get(`${HOME}/jobs/${idOf(1)}`)).status).to.equal(200);
      world.dashboard.recreateProject();
      for (const path of [HISTORY, `${HISTORY}?q=${idOf(1)}`, `${HISTORY}.csv`, `${HOME}?period=7d`]) {
        const { status, text } = await world.dashboard.ada.get(path);
        expect(status, path).to.equal(200);
        expect(text, path).to.not.contain('reports/1.zip').and.not.contain('2.0 KiB');
      }
      expect((await world.dashboard.ada.get(`${HOME}/jobs/${idOf(1)}`)).status).to.equal(404);
    });

    it('use the project as the API server has it, although the cache is behind', async () => {
      await world.dashboard.archive(aFinishedJob(1));
      const project = world.dashboard.objects.get(`${COLLECTIONS.projects}/project`);
      world.dashboard.recreateProject();
      world.dashboard.server.zipProjects.put(project as never);
      expect(keysIn((await world.dashboard.ada.get(HISTORY)).text)).to.deep.equal([]);
    });
  });

  describe('while the database is away (G8)', () => {
    beforeEach(async () => {
      await world.dashboard.archive(aFinishedJob(1));
      await world.postgres.kill();
    });
    afterEach(() => world.postgres.start());

    it('show the jobs of the cluster, and say what is missing', async () => {
      world.dashboard.server.zipJobs.put(aFinishedJob(2, { key: 'in-the-cluster.zip' }));
      const jobs = await world.dashboard.ada.get(`${HOME}/jobs`);
      expect([jobs.status, keysIn(jobs.text)]).to.deep.equal([200, ['in-the-cluster.zip']]);
      expect((await world.dashboard.ada.get(HOME)).status).to.equal(200);
    });

    it('respond 503 for what only the history has, never 404', async () => {
      const paths = [HISTORY, `${HISTORY}.csv`, `${HOME}/jobs/${idOf(1)}`, `${HOME}/jobs/${idOf(5)}`];
      for (const path of paths) {
        const { status, text } = await world.dashboard.ada.get(path);
        expect(status, path).to.equal(503);
        expect(text, path).to.contain('history database does not respond');
      }
    });
  });

  it('do not exist without a history database', async () => {
    await using plain = await startDashboardProject();
    expect((await plain.ada.get(HISTORY)).status).to.equal(404);
    expect((await plain.ada.get(`${HOME}/jobs`)).text).to.not.contain('history');
    expect((await plain.ada.get(`${HOME}/jobs/${idOf(1)}`)).status).to.equal(404);
  });
});
