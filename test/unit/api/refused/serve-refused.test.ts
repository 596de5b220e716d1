import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createRefusedLog } from '#api/refused/refused-log.ts';
import { createReviewReader } from '#api/refused/review-reader.ts';
import { createServeRefused } from '#api/refused/serve-refused.ts';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import type { ListeningServer } from '#runtime/http/server.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { createLogger } from '#runtime/log/log.ts';
import { REFUSED_PATH, type RefusedList } from '#runtime/refused-requests/refused-request.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { until } from '#test/support/until.ts';

const PROJECT = '6f1c1f0e-0000-4000-8000-000000000000';
const READER = 'system:serviceaccount:zipjobs-system:zipjobs-dashboard';
const log = createLogger('api', { level: 'silent' });

interface Reviewed {
  readonly authenticated: boolean;
  readonly audiences?: readonly string[];
  readonly user?: { readonly username: string };
}
const DASHBOARD: Reviewed = { authenticated: true, audiences: ['zipjobs-api'], user: { username: READER } };

describe('the admin port of the API', () => {
  const clock = createManualClock();
  let server: ListeningServer;
  let reviews: string[];
  let reply: (token: string) => Reviewed | Promise<Reviewed>;
  beforeEach(async () => {
    reviews = [];
    reply = () => DASHBOARD;
    const entries = createRefusedLog({ clock, replica: 'a', isShared: false });
    entries.note({
      projectUid: PROJECT,
      requestId: 'request-1',
      token: 'zj_A...wxyz',
      method: 'GET',
      route: '/v1/zips/:id',
      status: 404,
      code: 'resource_not_found',
      param: '',
    });
    const kube = {
      request: async ({ body }: { readonly body?: unknown }) => {
        const { spec } = body as { readonly spec: { readonly token: string; readonly audiences: unknown } };
        expect(spec.audiences).to.deep.equal(['zipjobs-api']);
        reviews.push(spec.token);
        return { status: await reply(spec.token) };
      },
    };
    const serve = createServeRefused({
      entries,
      shared: undefined,
      review: createReviewReader({ kube, clock, reader: READER }),
      startedAt: clock.date(),
      helpUrl: 'https://zips.example.com/docs',
      log,
    });
    const ok = { ok: true } as const;
    server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      registry: new Registry(),
      healthy: () => ok,
      ready: () => ok,
      routes: { [REFUSED_PATH]: serve },
      log,
    });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  function ask(authorization: string, query = `?project=${PROJECT}`) {
    return fetch(`http://127.0.0.1:${server.port}${REFUSED_PATH}${query}`, { headers: { authorization } });
  }

  it('returns the refused requests of a project to the dashboard, and asks for its token once a minute', async () => {
    const list = (await (await ask('Bearer good')).json()) as RefusedList;
    expect(list.entries.map(({ code, requestIds }) => [code, requestIds])).to.deep.equal([
      ['resource_not_found', ['request-1']],
    ]);
    expect(list.sharing).to.equal('none');
    expect(list.meanings['resource_not_found']).to.include('does not exist');
    await ask('Bearer good');
    expect(reviews).to.deep.equal(['good']);
    clock.jump(61_000);
    await ask('Bearer good');
    expect(reviews).to.deep.equal(['good', 'good']);
    const other = (await (
      await ask('Bearer good', `?project=${PROJECT.replace('6', '7')}`)
    ).json()) as RefusedList;
    expect(other.entries).to.deep.equal([]);
    expect((await ask('Bearer good', '?project=team-a')).status).to.equal(400);
  });

  it('refuses every other token', async () => {
    const others: Readonly<Record<string, Reviewed>> = {
      invalid: { authenticated: false },
      'of-another-audience': { ...DASHBOARD, audiences: ['https://kubernetes.default.svc'] },
      'of-another-account': { ...DASHBOARD, user: { username: 'system:serviceaccount:team-a:default' } },
      'without-audience': { authenticated: true, user: { username: READER } },
    };
    reply = (token) => others[token] ?? DASHBOARD;
    for (const token of Object.keys(others))
      expect((await ask(`Bearer ${token}`)).status, token).to.equal(401);
    for (const header of ['', 'Bearer', 'Basic good', 'Bearer good bad'])
      expect((await ask(header)).status, header).to.equal(401);
    expect(reviews).to.deep.equal(Object.keys(others));
  });

  it('returns 503 while the API server does not respond, and while too many tokens are reviewed', async () => {
    reply = () => Promise.reject(new KubeError('no response', { attempt: 'POST', code: 'Timeout' }));
    expect((await ask('Bearer good')).status).to.equal(503);
    const held = Promise.withResolvers<Reviewed>();
    reply = () => held.promise;
    reviews = [];
    const waiting = ['a', 'b', 'c', 'd'].map((token) => ask(`Bearer ${token}`));
    await until('the reviews', () => reviews.length === waiting.length);
    expect((await ask('Bearer e')).status).to.equal(503);
    expect(reviews).to.have.length(waiting.length);
    held.resolve(DASHBOARD);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200, 200, 200]);
  });
});
