import { expect } from 'chai';
import type { HistoryList } from '#administration/projects/history-interface.ts';
import { aFinishedJob, daysAgo, idOf } from '#test/support/builders/archived-jobs.ts';
import { ADA, createVisitor, type Response } from '#test/support/servers/dashboard-server.ts';
import { useDashboardHistory } from '#test/support/worlds/use-dashboard-history.ts';

const LIST = '/history/projects/team-a/jobs';
const VIEW = 'view-token';

describe('the history for programs', function () {
  this.timeout(60_000);
  const world = useDashboardHistory({ DASHBOARD_HISTORY_REQUESTS_PER_MINUTE: '30' });

  function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return createVisitor(world.dashboard.server.url).get(path, {
      authorization: `Bearer ${ADA}`,
      ...headers,
    });
  }
  async function list(query = ''): Promise<HistoryList> {
    return JSON.parse((await get(LIST + query)).text) as HistoryList;
  }
  async function keys(query: string): Promise<readonly string[]> {
    return (await list(query)).jobs.map(({ key }) => key);
  }
  function errorOf({ text }: Response): unknown {
    return (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code;
  }

  it('lists jobs without internal fields', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    const { jobs, next } = await list();
    expect(next).to.equal(undefined);
    expect(jobs[0]).to.include({
      project: 'team-a',
      id: idOf(1),
      phase: 'Succeeded',
      bytes: 2_048,
      createdBy: 'ci',
    });
    expect(jobs[0]).to.not.have.any.keys('projectUid', 'clusterUid', 'uid', 'requestSha256');
  });

  it('filters, and continues at a cursor', async () => {
    await world.dashboard.archive(
      ...[1, 2, 3].map((n) => aFinishedJob(n)),
      aFinishedJob(4, { key: 'old.zip', bucket: 'r2-cold', finishedAt: daysAgo(10) }),
    );
    const first = await list('?limit=2');
    expect(first.jobs.length).to.equal(2);
    expect(await keys(`?limit=2&cursor=${first.next}`)).to.deep.equal(['reports/3.zip', 'old.zip']);
    expect(await keys('?service=r2&bucket=cold')).to.deep.equal(['old.zip']);
    expect(await keys('?key=reports/*')).to.have.length(3);
    expect(await keys(`?finishedBefore=${daysAgo(5)}`)).to.deep.equal(['old.zip']);
    expect(await keys(`?finishedAfter=${daysAgo(5)}`)).to.have.length(3);
    expect(await keys('?phase=Failed,Cancelled')).to.deep.equal([]);
  });

  it('filters by reason and by the token that created the job', async () => {
    function failed(reason: 'SourceNotFound' | 'OutOfMemory') {
      return {
        status: { phase: 'Failed', reason } as const,
      };
    }
    await world.dashboard.archive(
      aFinishedJob(1, { token: 'ci-k7x2mq' }),
      aFinishedJob(2, failed('SourceNotFound')),
      aFinishedJob(3, { ...failed('OutOfMemory'), token: 'ci-k7x2mq' }),
    );
    expect(await keys('?reason=SourceNotFound')).to.deep.equal(['reports/2.zip']);
    expect(await keys('?reason=SourceNotFound,OutOfMemory')).to.have.length(2);
    expect(await keys('?token=ci-k7x2mq')).to.deep.equal(['reports/1.zip', 'reports/3.zip']);
    expect(await keys('?token=ci-k7x2mq&reason=OutOfMemory')).to.deep.equal(['reports/3.zip']);
  });

  it('refuses unknown, repeated and invalid parameters', async () => {
    const invalid = [
      'tokens=a',
      'reason=a%20b',
      'key=a&key=b',
      'phase=Running',
      'service=gcs&bucket=a',
      'limit=0',
      'limit=501',
    ];
    for (const query of [...invalid, 'limit=x', 'finishedAfter=yesterday', 'cursor=x', 'key=%00']) {
      const response = await get(`${LIST}?${query}`);
      expect([response.status, errorOf(response)], query).to.deep.equal([400, 'invalid_request']);
    }
  });

  it('returns the archived form of one job', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    const { status, text } = await get(`${LIST}/${idOf(1)}`);
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.have.nested.property('status.phase', 'Succeeded');
    for (const id of [idOf(2), 'not-an-id']) expect((await get(`${LIST}/${id}`)).status).to.equal(404);
  });

  it('reviews the access of the token on each request', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    const { tokens } = world.dashboard.server;
    function asViewer() {
      return get(LIST, { authorization: `Bearer ${VIEW}` });
    }
    expect((await asViewer()).status).to.equal(200);
    for (const allowed of [['get zipprojects team-a'], ['list zipjobs team-a'], []]) {
      tokens.set(VIEW, { name: 'vera', allowed });
      const response = await asViewer();
      expect([response.status, errorOf(response)]).to.deep.equal([403, 'forbidden']);
      expect(response.text).to.not.contain('reports/1.zip');
    }
    tokens.delete(VIEW);
    expect((await asViewer()).status).to.equal(401);
  });

  it('shows nothing of a namespace that was created again', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    world.dashboard.recreateProject();
    expect(await keys('')).to.deep.equal([]);
    expect((await get(`${LIST}/${idOf(1)}`)).status).to.equal(404);
  });

  it('needs a token: a session cookie does not count', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer a b' }]) {
      const response = await world.dashboard.ada.get(LIST, headers as Record<string, string>);
      expect([response.status, errorOf(response)]).to.deep.equal([401, 'unauthorized']);
      expect(response.headers.get('www-authenticate')).to.equal('Bearer realm="zipjobs"');
    }
    expect((await createVisitor(world.dashboard.server.url).get(LIST)).status).to.equal(401);
  });

  it('counts requests by client address before the token is checked', async () => {
    const statuses: number[] = [];
    const before = world.dashboard.server.requests.length;
    for (let n = 0; n < 32; n += 1)
      statuses.push((await get(LIST, { authorization: 'Bearer guess' })).status);
    expect(new Set(statuses.slice(0, 30))).to.deep.equal(new Set([401]));
    expect(statuses.slice(30)).to.deep.equal([429, 429]);
    expect((await get(LIST)).headers.get('retry-after')).to.match(/^\d+$/);
    expect(world.dashboard.server.requests.length - before).to.be.at.most(60);
  });

  it('counts no request that a page of another site can cause (N32)', async () => {
    const visitor = createVisitor(world.dashboard.server.url);
    const image = { 'sec-fetch-dest': 'image' };
    for (let n = 0; n < 40; n += 1) {
      expect((await visitor.get(LIST, image)).status).to.equal(403);
      expect((await visitor.get(LIST, { authorization: 'Bearer guess', ...image })).status).to.equal(403);
      expect((await visitor.get(LIST, { 'sec-fetch-dest': 'document' })).status).to.equal(401);
      expect((await visitor.get(LIST)).status).to.equal(401);
    }
    expect((await get(LIST)).status).to.equal(200);
  });

  it('refuses a token that came over plain HTTP, instead of redirecting it', async () => {
    await world.restart({
      TRUSTED_PROXIES: '127.0.0.0/8',
      DASHBOARD_URL: 'https://dashboard.example',
    });
    const { status, text } = await get(LIST, { 'x-forwarded-proto': 'http' });
    expect(status).to.equal(400);
    expect(text).to.contain('may be compromised');
  });

  it('responds 503 while the database is away, and logs no token (G8)', async () => {
    await world.dashboard.archive(aFinishedJob(1));
    await world.postgres.kill();
    try {
      for (const path of [LIST, `${LIST}/${idOf(1)}`, `${LIST}/${idOf(2)}`]) {
        const response = await get(path);
        expect([response.status, errorOf(response)], path).to.deep.equal([503, 'history_unavailable']);
        expect(response.headers.get('retry-after')).to.equal('5');
      }
    } finally {
      await world.postgres.start();
    }
    expect(world.dashboard.server.logLines.join('')).to.not.contain(ADA);
  });
});
