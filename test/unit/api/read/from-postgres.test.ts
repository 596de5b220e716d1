import { expect } from 'chai';
import { EXPANSIONS } from '#api/read/read-expand.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createReadJob } from '#runtime/history/read-job.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { aResult, aSourceCheck, finishedAs, progressOf } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';
import { archiveJob } from '#test/support/servers/archive-job.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';

const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';
const NOW = `${new Date().toISOString().slice(0, 19)}Z`;
const METADATA =
  '{ "n":12345678901234567890, "f":1.0,"2":"b","1":"a","u":"\\u0000\\ud800","__proto__":{"a":-0}}';

function finished(status: ZipJobStatus, spec: Partial<ZipJobSpec> = {}): ZipJob {
  return aZipJob({
    metadata: { uid: '44444444-4444-4444-8444-444444444444' },
    spec: {
      metadata: METADATA,
      webhook: { url: 'https://hooks.example.com/a', events: ['COMPLETED'] },
      ...spec,
    },
    status: { ...status, finishedAt: NOW },
  });
}

const CASES: Readonly<Record<string, ZipJob>> = {
  'a job that succeeded': finished(
    finishedAs('Succeeded', {
      progress: progressOf('uid-p1', 3),
      result: aResult({ bytes: 4_900_000_000_000, sha256: 'ab'.repeat(32), seconds: 3.5, skipped: [0, 7] }),
      webhook: { state: 'Delivered', attempts: 2, lastStatus: 200, deliveredAt: NOW },
    }),
  ),
  'a job that failed because of its sources': finished(
    finishedAs('Failed', {
      message: 'file 1: the source responded with status 404',
      failure: {
        code: 'SourceNotFound',
        message: 'file 1: the source responded with status 404',
        fileIndex: 1,
        httpStatus: 404,
        retriable: false,
      },
      sourceCheck: aSourceCheck(250),
      webhook: { state: 'Exhausted', attempts: 10, lastStatus: 500 },
    }),
  ),
  'a job that was cancelled in the queue': finished(
    finishedAs('Cancelled', { startedAt: undefined as never }),
  ),
  'a job without metadata and webhook, with inline files': finished(
    finishedAs('Succeeded', { result: aResult() }),
    {
      metadata: '{}',
      webhook: undefined as never,
      filesFrom: undefined as never,
      files: [{ url: 'https://files.example.com/a?sig=x', filename: 'a' }],
    },
  ),
};

describe('the API with a history in PostgreSQL', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let writer: HistoryDatabase;
  let api: ApiServer;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
    writer = resources.use(server.connect('writer'));
  });
  beforeEach(async () => {
    const reader = server.connect('reader', { historyConnectTimeoutMs: 3000 });
    const readJob = createReadJob(reader);
    // Eight connections at once need a second on a busy machine.
    const limits = { historyReadTimeoutMs: 3_000, historyPauseMs: 200 };
    const started = await startApiServer({ readJob, history: limits, inFlight: { maxActive: 8 } });
    api = {
      ...started,
      [Symbol.asyncDispose]: async () => {
        await started[Symbol.asyncDispose]();
        await reader[Symbol.asyncDispose]();
      },
    };
  });
  afterEach(() => api[Symbol.asyncDispose]());
  after(() => resources.disposeAsync());

  function projectUid(): string {
    return api.projects.all()[0]?.metadata.uid ?? '';
  }
  function get(id: string, query = '') {
    return api.ask({ path: `/v1/zips/${id}${query}` });
  }
  async function archiveAll(): Promise<void> {
    for (const job of api.jobs.all()) {
      const metadata = { ...job.metadata, creationTimestamp: NOW };
      await archiveJob(writer, { ...job, metadata }, projectUid());
      api.jobs.remove('team-a', job.metadata.name);
    }
  }
  function finishAll(): void {
    for (const job of api.jobs.all())
      api.jobs.put({ ...job, status: finishedAs('Succeeded', { result: aResult(), finishedAt: NOW }) });
  }

  for (const [name, job] of Object.entries(CASES))
    it(`returns the same bytes for ${name}, before and after its ZipJob was deleted`, async () => {
      api.jobs.put(job);
      const queries = ['', ...EXPANSIONS, EXPANSIONS.join(',')].map((expand) =>
        expand === '' ? '' : `?expand=${expand}`,
      );
      function readAll() {
        return Promise.all(
          queries.map((query) => get(UUID, query).then(({ status, text }) => ({ status, text }))),
        );
      }
      const before = await readAll();
      expect(before.map(({ status }) => status)).to.deep.equal(queries.map(() => 200));
      expect(before[0]?.text).to.contain(job.spec.metadata);
      await archiveAll();
      expect(await readAll()).to.deep.equal(before);
    });

  it('finds a job that was created with kubectl by its uid', async () => {
    const uid = '55555555-5555-4555-8555-555555555555';
    const job = finished(finishedAs('Succeeded'));
    api.jobs.put({ ...job, metadata: { ...job.metadata, name: 'by-hand', uid } });
    const before = await get(uid);
    await archiveAll();
    const after = await get(uid);
    expect([after.status, after.text]).to.deep.equal([200, before.text]);
  });

  for (const hours of [2, 23])
    it(`returns the first response to a POST that is repeated after ${hours} hours, and creates no second job (T10)`, async () => {
      const headers = { 'idempotency-key': `order-${hours}` };
      const first = await api.post(A_REQUEST, { headers });
      const [created] = api.jobs.all();
      const finishedAt = new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
      if (created) api.jobs.put({ ...created, status: finishedAs('Succeeded', { finishedAt }) });
      await archiveAll();
      const again = await api.post(A_REQUEST, { headers });
      expect([again.status, again.text]).to.deep.equal([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect((await api.post({ ...A_REQUEST, key: 'other' }, { headers })).status).to.equal(422);
      expect(api.jobs.all(), 'jobs of this key').to.deep.equal([]);
    });

  it('stores only the digest of the request for a key', async () => {
    await api.post(A_REQUEST, { headers: { 'idempotency-key': 'customer@example.com' } });
    const digest = api.jobs.all()[0]?.metadata.annotations?.[ANNOTATIONS.requestSha256];
    finishAll();
    await archiveAll();
    const text = `SELECT j.*, d.* FROM zipjobs.jobs AS j JOIN zipjobs.job_details AS d USING (project_uid, finished_at, uid)
      WHERE j.project_uid = $1`;
    const rows = JSON.stringify(await writer.query({ text, values: [projectUid()] }));
    expect(rows).to.contain(digest).and.to.not.contain('customer@');
  });

  it('returns 503 for unknown ids and new keys while PostgreSQL is down, and recovers after that (G8)', async () => {
    await api.post(A_REQUEST);
    const known = api.jobs.all()[0]?.metadata.name.slice('zip-'.length) ?? '';
    expect((await get(UNKNOWN_ID)).status).to.equal(404);
    await server.kill();
    try {
      for (let n = 0; n < 5; n += 1) expect((await get(UNKNOWN_ID)).status).to.equal(503);
      const headers = { 'idempotency-key': 'during-the-outage' };
      expect((await api.post(A_REQUEST, { headers })).status).to.equal(503);
      expect((await api.post(A_REQUEST)).status, 'without a key').to.equal(201);
      expect((await get(known)).status).to.equal(200);
    } finally {
      await server.start();
    }
    await until('the history to be read again', async () => (await get(UNKNOWN_ID)).status === 404);
  });

  it('keeps places for other requests while PostgreSQL does not respond (G8)', async () => {
    await api.post(A_REQUEST);
    const known = api.jobs.all()[0]?.metadata.name.slice('zip-'.length) ?? '';
    expect((await get(UNKNOWN_ID)).status).to.equal(404);
    server.freeze();
    try {
      const unknown = Array.from({ length: 20 }, () => get(UNKNOWN_ID));
      expect((await get(known)).status).to.equal(200);
      const statuses = (await Promise.all(unknown)).map(({ status }) => status);
      expect(new Set(statuses)).to.be.a('set').and.to.not.include(404).and.to.not.include(200);
      expect((await get(UNKNOWN_ID)).status, 'in the pause').to.equal(503);
    } finally {
      server.thaw();
    }
    await until('the history to be read again', async () => (await get(UNKNOWN_ID)).status === 404);
  });
});
