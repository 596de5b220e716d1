import { expect } from 'chai';
import { createFakeHistory, type FakeHistory, HISTORY_AWAY } from '#test/support/builders/fake-history.ts';
import { A_REQUEST, type ApiServer, aProject, startApiServer } from '#test/support/servers/api-server.ts';

const KEY = { headers: { 'idempotency-key': 'order-7' } };
/** Outer white space is not part of metadata; everything else is returned as sent. */
const BODY = `{"metadata": {"n":12345678901234567890,"2":"b","1":"\\u0000"}, ${JSON.stringify(A_REQUEST).slice(1)}`;
const EXPANDED = '/v1/zips?expand=job,bucket,webhook,error,archive,progress';

describe('POST /zips with an Idempotency-Key and a history', () => {
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
  /** What the controller does with finished jobs: it archives them, and deletes them later. */
  function archiveAll(): void {
    for (const job of api.jobs.all()) {
      history.add(projectUid(), {
        ...job,
        status: { phase: 'Succeeded', acceptedAt: '2026-05-04T12:00:00Z' },
      });
      api.jobs.remove('team-a', job.metadata.name);
    }
    for (const { metadata } of api.secrets.all()) api.secrets.remove('team-a', metadata.name);
  }
  async function responseOf(body: unknown, path = '/v1/zips') {
    const { status, text, headers } = await api.post(body, { ...KEY, path });
    return { status, text, isReplay: headers.get('idempotent-replayed'), location: headers.get('location') };
  }

  for (const path of ['/v1/zips', EXPANDED])
    it(`repeats the first response after the ZipJob was archived and deleted: ${path} (T10)`, async () => {
      const first = await responseOf(BODY, path);
      expect(first.status, first.text).to.equal(201);
      archiveAll();
      expect(await responseOf(BODY, path)).to.deep.equal({ ...first, isReplay: 'true' });
      expect(api.jobs.all(), 'one archive').to.deep.equal([]);
      expect(api.secrets.all()).to.deep.equal([]);
      expect(await api.registry.metrics()).to.contain('zip_api_idempotent_replays_total 1');
    });

  it('refuses a different request for the key of an archived job (T10)', async () => {
    await responseOf(A_REQUEST);
    archiveAll();
    const { status, body } = await api.post({ ...A_REQUEST, key: 'other.zip' }, KEY);
    expect([status, body.error?.code]).to.deep.equal([422, 'idempotency_key_reused']);
    expect(api.jobs.all()).to.deep.equal([]);
  });

  it('repeats the first response after the bucket was deleted too', async () => {
    const first = await responseOf(A_REQUEST);
    archiveAll();
    for (const { metadata } of api.buckets.all()) api.buckets.remove('team-a', metadata.name);
    expect(await responseOf(A_REQUEST)).to.deep.equal({ ...first, isReplay: 'true' });
    const other = await api.post(A_REQUEST, { headers: { 'idempotency-key': 'order-8' } });
    expect(other.status).to.equal(404);
  });

  it('counts a repeated response as no stored job of the project (N2)', async () => {
    api.projects.put(aProject('team-a', { limits: { storedJobs: 1 } }));
    await responseOf(A_REQUEST);
    archiveAll();
    expect((await responseOf(A_REQUEST)).isReplay).to.equal('true');
    const other = await api.post(A_REQUEST, { headers: { 'idempotency-key': 'order-8' } });
    expect(other.status, other.text).to.equal(201);
  });

  it('returns 503 and creates nothing while the database is away, and creates the job after that (G8)', async () => {
    history.failure = HISTORY_AWAY;
    const { status, body, headers } = await api.post(A_REQUEST, KEY);
    expect([status, body.error?.code]).to.deep.equal([503, 'service_unavailable']);
    expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    expect(api.jobs.all()).to.deep.equal([]);
    history.failure = undefined;
    expect((await api.post(A_REQUEST, KEY)).status).to.equal(201);
  });

  it('repeats the response for a ZipJob that exists although the database is away (G8)', async () => {
    const first = await responseOf(A_REQUEST);
    history.failure = HISTORY_AWAY;
    expect(await responseOf(A_REQUEST)).to.deep.equal({ ...first, isReplay: 'true' });
  });

  it('does not ask the history without a key, even if the database is away (G8)', async () => {
    history.failure = HISTORY_AWAY;
    expect((await api.post(A_REQUEST)).status).to.equal(201);
    expect(history.asked).to.deep.equal([]);
  });

  it('asks the API server, then the history, then creates, so that no archived job is missed', async () => {
    api.jobs.calls.length = 0;
    const { body } = await api.post(A_REQUEST, KEY);
    const name = `team-a/zip-${body.data?.uuid}`;
    expect(api.jobs.calls).to.deep.equal([`get ${name}`, `create ${name}`]);
    expect(history.asked).to.deep.equal([{ projectUid: projectUid(), id: body.data?.uuid }]);
  });

  it('finds a job that is archived and deleted between the two searches', async () => {
    const first = await responseOf(A_REQUEST);
    const archiving = Promise.withResolvers<void>();
    api.jobs.holdUntil(archiving.promise);
    const again = responseOf(A_REQUEST);
    archiveAll();
    archiving.resolve();
    expect(await again).to.deep.equal({ ...first, isReplay: 'true' });
    expect(api.jobs.all()).to.deep.equal([]);
  });

  it('creates one job for 100 concurrent requests (T11)', async () => {
    await using small = await startApiServer({ readJob: history.readJob, inFlight: { maxActive: 32 } });
    const responses = await Promise.all(Array.from({ length: 100 }, () => small.post(A_REQUEST, KEY)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(responses[0]?.status).to.equal(201);
    const first = responses.filter(({ headers }) => !headers.has('idempotent-replayed'));
    expect(first).to.have.length(1);
    expect(small.jobs.all()).to.have.length(1);
  });
});
