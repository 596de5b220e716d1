import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createFakeHistory, type FakeHistory, HISTORY_AWAY } from '#test/support/builders/fake-history.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import {
  A_REQUEST,
  type ApiServer,
  aProject,
  aToken,
  startApiServer,
} from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

/** For how long the server trusts a verification of a token and its project. */
const TOKEN_FRESH_MS = 1_000;
const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';
describe('GET /zips/:id with a history', () => {
  let api: ApiServer;
  let history: FakeHistory;
  beforeEach(async () => {
    history = createFakeHistory();
    api = await startApiServer({ readJob: history.readJob });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  function projectUid(): string {
    return api.projects.all()[0]?.metadata.uid ?? '';
  }
  function read(uuid: string, query = '') {
    return api.ask({ path: `/v1/zips/${uuid}${query}` });
  }
  /** Creates a job that succeeds at once. */
  async function createFinished(): Promise<string> {
    const { body } = await api.post(A_REQUEST);
    const [job] = api.jobs.all();
    if (job) api.jobs.put({ ...job, status: { phase: 'Succeeded' } });
    return body.data?.uuid ?? '';
  }
  function archive(uuid: string): void {
    const job = api.jobs.all().find(({ metadata }) => metadata.name === `zip-${uuid}`);
    if (job) history.add(projectUid(), job);
  }

  it('asks the history only for a job that neither cache nor API server have', async () => {
    const uuid = await createFinished();
    const before = await read(uuid);
    expect(history.asked).to.deep.equal([]);
    archive(uuid);
    api.jobs.remove('team-a', `zip-${uuid}`);
    const after = await read(uuid);
    expect([after.status, after.text]).to.deep.equal([200, before.text]);
    expect(history.asked).to.deep.equal([{ projectUid: projectUid(), id: uuid }]);
  });

  it('never returns 404 between the archiving of a job and the deletion of its ZipJob (G8)', async () => {
    const uuid = await createFinished();
    const steps = {
      archive: () => archive(uuid),
      delete: () => {
        api.jobs.lagging = true;
        api.jobs.remove('team-a', `zip-${uuid}`);
      },
      'catch up': () => api.jobs.catchUp(),
    };
    for (const [name, step] of Object.entries(steps)) {
      step();
      for (const query of ['', '?expand=job,archive'])
        expect((await read(uuid, query)).status, `${name} ${query}`).to.equal(200);
    }
  });

  it('returns 404 for an id that the history does not have, and asks it for no malformed id', async () => {
    expect((await read(UNKNOWN_ID)).status).to.equal(404);
    expect(history.asked).to.have.length(1);
    for (const id of ['abc', '%2e%2e', UNKNOWN_ID.toUpperCase()])
      expect((await read(id)).status, id).to.equal(404);
    expect(history.asked).to.have.length(1);
  });

  it('returns 503 with Retry-After for unknown ids while the database is away, never 404 (G8)', async () => {
    history.failure = HISTORY_AWAY;
    // The last ones come in the pause after three failures.
    for (let n = 0; n < 5; n += 1) {
      const { status, body, headers } = await read(UNKNOWN_ID);
      expect(status).to.equal(503);
      expect(body.error).to.include({ type: 'api_error', code: 'service_unavailable', param: null });
      expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    }
    expect(history.asked).to.have.length(3);
    expect(api.logLines.join('')).to.contain('ECONNREFUSED');
    const metrics = await api.registry.metrics();
    expect(metrics)
      .to.contain('zip_api_history_reads_total{outcome="failed"} 3')
      .and.to.contain('zip_api_history_reads_total{outcome="paused"} 2');
  });

  it('reads jobs in the cache and at the API server while the database is away (G8)', async () => {
    history.failure = HISTORY_AWAY;
    const uuid = await createFinished();
    for (let n = 0; n < 5; n += 1) await read(UNKNOWN_ID);
    expect((await read(uuid)).status).to.equal(200);
    expect((await read(uuid, '?expand=job')).status).to.equal(200);
  });

  it('returns 503, not 404, when the API server does not respond, without asking the history', async () => {
    api.jobs.fail(unreachable());
    expect((await read(UNKNOWN_ID)).status).to.equal(503);
    expect(history.asked).to.deep.equal([]);
  });

  it('asks for the jobs of the present project only, not of its predecessor in the namespace', async () => {
    let later = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + later };
    await using recreated = await startApiServer({ readJob: history.readJob, clock });
    const old = recreated.projects.all()[0]?.metadata.uid ?? '';
    history.add(old, aZipJob({ status: { phase: 'Succeeded' } }));
    expect((await recreated.ask({ path: `/v1/zips/${UUID}` })).status).to.equal(200);
    recreated.projects.remove('team-a', 'project');
    recreated.projects.put(aProject('team-a'));
    later = TOKEN_FRESH_MS + 1;
    expect((await recreated.ask({ path: `/v1/zips/${UUID}` })).status).to.equal(404);
    expect(history.asked.map((id) => id.projectUid === old)).to.deep.equal([true, false]);
  });

  it('returns 404 to another project', async () => {
    const uuid = await createFinished();
    archive(uuid);
    api.jobs.remove('team-a', `zip-${uuid}`);
    const token = generateToken();
    api.projects.put(aProject('team-b'));
    api.tokens.put(aToken('team-b', token));
    expect((await api.ask({ path: `/v1/zips/${uuid}`, token })).status).to.equal(404);
    expect((await read(uuid)).status).to.equal(200);
  });

  it('returns 503 within the time limit of a read when the database does not respond', async () => {
    const held = Promise.withResolvers<void>();
    await using slow = await startApiServer({
      readJob: history.readJob,
      history: { historyReadTimeoutMs: 30 },
    });
    history.gate = held.promise;
    const { status } = await slow.ask({ path: `/v1/zips/${UNKNOWN_ID}` });
    held.resolve();
    expect(status).to.equal(503);
    expect(slow.logLines.join('')).to.contain('did not respond within 30 ms');
  });

  it('limits concurrent reads per project and in all, so that other requests have places (G8)', async () => {
    const held = Promise.withResolvers<void>();
    await using small = await startApiServer({
      readJob: history.readJob,
      history: { historyMaxReads: 100, maxActiveRequests: 6 },
    });
    const token = generateToken();
    small.projects.put(aProject('team-b'));
    small.tokens.put(aToken('team-b', token));
    history.gate = held.promise;
    const path = `/v1/zips/${UNKNOWN_ID}`;
    const own = Array.from({ length: 6 }, () => small.ask({ path }));
    const refused = await until('the requests above the limit to be refused', async () => {
      const overloads = /zip_api_overloads_total\{limit="history"\} (\d+)/.exec(
        await small.registry.metrics(),
      );
      return Number(overloads?.[1]) === 4;
    });
    expect(refused).to.equal(true);
    expect(history.asked, 'half of the four places').to.have.length(2);
    const others = small.ask({ path, token });
    await until('the read of another project', () => history.asked.length === 3);
    held.resolve();
    expect((await others).status).to.equal(404);
    const statuses = (await Promise.all(own)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).to.have.length(2);
    expect(statuses.filter((status) => status === 429)).to.have.length(4);
  });
});
