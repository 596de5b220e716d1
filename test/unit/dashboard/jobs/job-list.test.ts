import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ConfigChange } from '#test/support/builders/changed-config.ts';
import { ago, aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  type DashboardServer,
  filterNames,
  SESSION,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';

const TOKEN = 'ada-token';
const VIEWER = 'vera-token';
const JOBS = `/projects/${NAMESPACE}/jobs`;
const FAILED = { phase: 'Failed', failure: { code: 'SourceNotFound', retriable: false } } as const;

function unescaped(text: string): string {
  return text.replaceAll('&amp;', '&');
}

function liveOf(html: string): string {
  return unescaped(/data-live="([^"]+)"/.exec(html)?.[1] ?? 'none');
}

/** Saved searches with their counts; `*` before the current one. */
function viewsIn(html: string): readonly string[] {
  const [nav = ''] = /<nav class="views".*?<\/nav>/s.exec(html) ?? [];
  return [...nav.matchAll(/<a [^>]*?( aria-current="true")?>(.*?)<\/a>/g)].map(
    ([, current, text = '']) => (current === undefined ? '' : '*') + text.replaceAll(/<[^>]+>/g, ''),
  );
}

function linesOf(csv: string): readonly string[] {
  return csv.trimEnd().split('\r\n');
}

describe('the list of jobs', () => {
  let server: DashboardServer;
  let visitor: Visitor;
  async function open(env: ConfigChange = {}): Promise<void> {
    server = await startDashboardServer({ env });
    server.tokens.set(TOKEN, { name: 'ada', allowed: ['*'] });
    server.tokens.set(VIEWER, {
      name: 'vera',
      allowed: [`get zipprojects ${NAMESPACE}`, `list zipjobs ${NAMESPACE}`],
    });
    server.zipProjects.put(aProject(NAMESPACE));
    visitor = await visitAs(server, TOKEN);
  }
  beforeEach(() => open());
  afterEach(() => server[Symbol.asyncDispose]());

  /** Opens the export without reading its body. */
  async function openUnread({ cookies }: Visitor): Promise<IncomingMessage> {
    const sent = request(`${server.url}${JOBS}.csv`, {
      headers: { cookie: `${SESSION}=${cookies.get(SESSION) ?? ''}` },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  }

  function put(n: number, status = {}, token = 'shop'): void {
    const metadata = {
      name: `job-${n}`,
      creationTimestamp: ago(1_000 - n),
      annotations: { [ANNOTATIONS.createdBy]: token },
    };
    server.zipJobs.put(aZipJob({ metadata, spec: { key: `out/${n}.zip` }, status }));
  }

  describe('filters', () => {
    beforeEach(() => {
      for (let n = 0; n < 60; n += 1) put(n, n % 2 === 0 ? FAILED : { phase: 'Running' });
    });

    it('are chips that show their value, with the reasons, buckets and tokens of the project (Q-U3)', async () => {
      const { text } = await visitor.get(`${JOBS}?reason=SourceNotFound&token=gone`);
      expect(text)
        .to.contain('<input type="radio" name="reason" value="SourceNotFound" checked>')
        .and.to.contain('<input type="radio" name="token" value="gone" checked>')
        .and.to.contain('<input type="radio" name="bucket" value="s3/archive">')
        .and.to.contain('Reason: <bdi>SourceNotFound</bdi>')
        .and.to.contain('<span class="hidden">Remove filter Token: gone</span>')
        .and.to.contain(`href="${JOBS}?reason=SourceNotFound"`)
        .and.to.contain(`href="${JOBS}">Clear filters</a>`)
        .and.to.contain('0 jobs found')
        .and.to.contain('No jobs found');
      const times = ['within', 'from', 'to', 'finished-within', 'finished-from', 'finished-to'];
      expect(filterNames(text)).to.deep.equal(['q', 'state', 'reason', 'bucket', 'token', ...times]);
    });

    it('have saved searches with counts, which stay up to date (Q-U3)', async () => {
      put(60, { phase: 'Queued' });
      put(61, { ...FAILED, finishedAt: new Date().toISOString() });
      const { text } = await visitor.get(`${JOBS}?state=Queued`);
      expect(viewsIn(text)).to.deep.equal(['All 62', 'Running 30', '*Waiting 1', 'Failed today 1']);
      put(62, { phase: 'Queued' });
      expect(viewsIn((await visitor.get(liveOf(text))).text)).to.include('*Waiting 2');
      for (const search of [
        '',
        '?state=Starting,Running,Finalizing',
        '?state=Failed&finished-within=today',
      ]) {
        const shown = (await visitor.get(JOBS + search)).text;
        const current = viewsIn(shown).find((view) => view.startsWith('*')) ?? 'none';
        expect(shown, current).to.match(
          new RegExp(`<span>${/\d+$/.exec(current)?.[0]} jobs?( found)?</span>`),
        );
      }
    });

    it('leave out columns that are the same in all rows, and say what they have in common (Q-U4)', async () => {
      const { text } = await visitor.get(JOBS);
      expect(text).to.contain('· Bucket s3/archive, Token shop').and.not.contain('>Bucket</th>');
      put(60, {}, 'nightly');
      expect((await visitor.get(JOBS)).text)
        .to.contain('<th scope="col" class="drop1">Token</th>')
        .and.not.contain('>Bucket</th>');
    });

    it('are kept by headers that sort the list (Q-U4)', async () => {
      const { text } = await visitor.get(`${JOBS}?state=Failed&page=2`);
      expect(text)
        .to.contain(
          `<th scope="col" class="num" aria-sort="descending"><a href="${JOBS}?state=Failed&amp;sort=created">Created</a>`,
        )
        .and.contain(`<a href="${JOBS}?state=Failed&amp;sort=-size">Size</a>`)
        .and.contain('<th scope="col">State</th>');
      const sorted = (await visitor.get(`${JOBS}?sort=key`)).text;
      expect(sorted)
        .to.contain(`<th scope="col" aria-sort="ascending"><a href="${JOBS}?sort=-key">Key</a>`)
        .and.contain('<input type="hidden" name="sort" value="key">')
        .and.contain('rel="next" href="/projects/team-a/jobs?sort=key&amp;page=2">Next<');
      expect(sorted.indexOf('out/0.zip')).to.be.below(sorted.indexOf('out/1.zip'));
    });

    it('survive pagination, live updates, newer jobs and the export', async () => {
      const text = unescaped((await visitor.get(`${JOBS}?state=Failed&token=shop`)).text);
      expect(text)
        .to.contain('30 jobs found')
        .and.to.contain(`href="${JOBS}?state=Failed&token=shop&page=2"`)
        .and.to.contain(`href="${JOBS}.csv?state=Failed&token=shop"`)
        .and.to.contain('name="query" value="?state=Failed&token=shop"');
      put(60, FAILED);
      put(61, { phase: 'Running' });
      const fragment = unescaped((await visitor.get(liveOf(text), { 'x-live': '1' })).text);
      expect(fragment)
        .to.contain('31 jobs found')
        .and.to.contain(`<a href="${JOBS}?state=Failed&token=shop">Show 1 newer job</a>`);
    });

    it('say how many of the shown jobs no longer match', async () => {
      const { text } = await visitor.get(`${JOBS}?state=Running&page=2`);
      put(1, FAILED);
      const fragment = unescaped((await visitor.get(liveOf(text), { 'x-live': '1' })).text);
      expect(fragment)
        .to.contain('29 jobs found')
        .and.to.contain('1 job of this page no longer matches.')
        .and.to.contain(`href="${JOBS}?state=Running&page=2">Reload`);
    });

    it('that are invalid show an error instead of other jobs', async () => {
      for (const query of ['state=Gone', 'from=yesterday', 'within=1y']) {
        const { status, text } = await visitor.get(`${JOBS}?${query}`);
        expect(status, query).to.equal(422);
        expect(text).to.contain('class="fault"').and.to.not.contain('data-live=').and.not.contain('job-1');
        for (const path of [`${JOBS}.csv`, `/projects/${NAMESPACE}/live/jobs`])
          expect((await visitor.get(`${path}?${query}`)).status, path).to.equal(422);
      }
    });
  });

  it('shows each job on one row, with its state, reason, short ID and times', async () => {
    put(1, { ...FAILED, startedAt: ago(90), finishedAt: ago(30) });
    put(2, {
      phase: 'Running',
      startedAt: ago(10),
      progress: { updatedAt: ago(1), filesDone: 3, filesTotal: 10, bytesRead: 1_024, bytesTotal: 4_096 },
    });
    const { text } = await visitor.get(JOBS);
    expect(text)
      .to.contain(`data-live-status>As of <time datetime="`)
      .and.to.contain('title="A source does not have the file, or refused to send it.">SourceNotFound')
      .and.to.contain('<td class="num wide-only drop1">1 min</td>')
      .and.to.contain('<progress max="100" value="25" aria-label="Progress of out/2.zip">')
      .and.to.contain('data-copy="id-job-1"')
      .and.to.contain(`<time datetime="${ago(999)}" title="`)
      .and.to.contain('aria-label="Select out/1.zip"');
  });

  it('shows why a running job is stuck beside its progress, and finds it by that reason', async () => {
    const progress = {
      updatedAt: ago(600),
      filesDone: 3,
      filesTotal: 10,
      bytesRead: 1_024,
      bytesTotal: 4_096,
    };
    put(1, { phase: 'Running', reason: 'NoProgress', progress });
    put(2, { phase: 'Running', reason: 'Running', progress });
    const { text } = await visitor.get(`${JOBS}?reason=NoProgress`);
    expect(text)
      .to.contain('1 job found')
      .and.to.contain('name="reason" value="NoProgress" checked>')
      .and.to.contain('aria-label="Progress of out/1.zip"')
      .and.to.contain('title="The zipper makes no progress.">NoProgress<')
      .and.to.not.contain('out/2.zip');
  });

  it('locks what the user is not allowed to do, and offers no boxes for it', async () => {
    put(1);
    const { text } = await (await visitAs(server, VIEWER)).get(JOBS);
    expect(text)
      .to.contain('>Your Kubernetes account is not allowed to patch zipjobs in team-a.</span>')
      .and.to.not.contain('type="checkbox"')
      .and.to.not.contain('formaction');
    // New job, cancel and rerun.
    expect(text.match(/class="locked"/g)).to.have.lengthOf(3);
    const fragment = await (await visitAs(server, VIEWER)).get(liveOf(text));
    expect(fragment.text).to.contain('job-1').and.not.contain('type="checkbox"');
  });

  describe('as CSV', () => {
    it('has the matching jobs with the columns of the history', async () => {
      put(1, { ...FAILED, startedAt: ago(90), finishedAt: ago(30) });
      put(2, { phase: 'Running' });
      put(3, { phase: 'Queued' }, '=HYPERLINK("https://evil.example")');
      const { status, headers, text } = await visitor.get(`${JOBS}.csv`);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).to.match(
        /^attachment; filename="zipjobs-team-a-jobs-.*csv"$/,
      );
      const [header = '', ...lines] = linesOf(text);
      expect(header).to.match(/^"id","namespace","name","phase","reason",/);
      expect(lines).to.have.lengthOf(3);
      // A spreadsheet must not run it as a formula.
      expect(lines[0]).to.contain(`"'=HYPERLINK(""https://evil.example"")"`);
      expect(lines[2]).to.contain('"job-1","Failed","SourceNotFound"').and.to.contain('"60000"');
      const found = linesOf((await visitor.get(`${JOBS}.csv?state=Running`)).text);
      expect(found.slice(1).map((line) => line.split(',')[2])).to.deep.equal(['"job-2"']);
    });

    it('is cut at the limit, and says so', async () => {
      await server[Symbol.asyncDispose]();
      await open({ dashboardExportRows: 2 });
      for (let n = 0; n < 3; n += 1) put(n);
      const lines = linesOf((await visitor.get(`${JOBS}.csv`)).text);
      expect(lines).to.have.lengthOf(4);
      expect(lines[3]).to.contain('The export was cut after 2 jobs.');
      put(0, { phase: 'Failed' });
      expect(linesOf((await visitor.get(`${JOBS}.csv?state=Failed`)).text)).to.have.lengthOf(2);
    });

    it('gives every place, at most half of them to one user', async () => {
      await server[Symbol.asyncDispose]();
      await open({ dashboardExportsInFlight: 2 });
      // More than a connection buffers, in several parts, so that an export that nobody reads does not end.
      const key = 'k'.repeat(20_000);
      for (let n = 0; n < 1_500; n += 1)
        server.zipJobs.put(aZipJob({ metadata: { name: `job-${n}` }, spec: { key } }));
      server.tokens.set(VIEWER, { name: 'vera', allowed: ['*'] });
      const viewer = await visitAs(server, VIEWER);
      const opened = [await openUnread(visitor)];
      const refused = await visitor.get(`${JOBS}.csv`);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '60']);
      expect(refused.text).to.contain('Too many exports');
      opened.push(await openUnread(viewer));
      expect(opened.map(({ statusCode }) => statusCode)).to.deep.equal([200, 200]);
      for (const one of opened) one.destroy();
      await until('the places to be free', async () => {
        const next = await openUnread(visitor);
        next.destroy();
        return next.statusCode === 200;
      });
    });

    it('needs the right to list jobs', async () => {
      server.tokens.set(VIEWER, { name: 'vera', allowed: [`get zipprojects ${NAMESPACE}`] });
      expect((await (await visitAs(server, VIEWER)).get(`${JOBS}.csv`)).status).to.equal(403);
    });
  });
});
