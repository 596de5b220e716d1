import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { A_REQUEST, type ApiServer, aProject, startApiServer } from '#test/support/servers/api-server.ts';

const KEY = { headers: { 'idempotency-key': '"order-7"' } };

describe('POST /zips with an Idempotency-Key', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('repeats the first response to the same request, with Idempotent-Replayed (T10)', async () => {
    const first = await api.post(A_REQUEST, KEY);
    const again = await api.post(A_REQUEST, { headers: { 'idempotency-key': 'order-7' } });
    expect(first.status, first.text).to.equal(201);
    expect(first.headers.has('idempotent-replayed')).to.equal(false);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.headers.get('location')).to.equal(first.headers.get('location'));
    expect(api.jobs.all()).to.have.length(1);
  });

  it('repeats the first response with expand, although time has passed and the project has changed (T10)', async () => {
    let now = new Date('2026-05-04T12:00:00Z');
    await using timed = await startApiServer({ clock: { ...systemClock, date: () => now } });
    const path = '/v1/zips?expand=job,bucket,webhook';
    const first = await timed.post(A_REQUEST, { ...KEY, path });
    now = new Date('2026-05-04T12:30:00Z');
    const [project] = timed.projects.all();
    const webhook = { url: 'https://hooks.example.com/zip' };
    if (project) timed.projects.put({ ...project, spec: { webhook } });
    const again = await timed.post(A_REQUEST, { ...KEY, path });
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(first.text).to.contain('"accepted_at":"2026-05-04T12:00:00Z"');
  });

  it('repeats the first response after the job has started (T10)', async () => {
    const first = await api.post(A_REQUEST, KEY);
    const [job] = api.jobs.all();
    if (job) api.jobs.put({ ...job, status: { phase: 'Running' } });
    expect((await api.post(A_REQUEST, KEY)).text).to.equal(first.text);
  });

  it('repeats the first response after the bucket was deleted, but refuses new requests (T10)', async () => {
    const first = await api.post(A_REQUEST, KEY);
    for (const { metadata } of api.buckets.all()) api.buckets.remove(metadata.namespace, metadata.name);
    const again = await api.post(A_REQUEST, KEY);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    const other = await api.post(A_REQUEST, { headers: { 'idempotency-key': 'order-8' } });
    expect([other.status, other.body.error?.code]).to.deep.equal([404, 'resource_not_found']);
    expect((await api.post(A_REQUEST)).status).to.equal(404);
    expect(api.jobs.all()).to.have.length(1);
  });

  for (const [what, change] of Object.entries({
    'another list': { urls: [{ url: 'https://files.example.com/b.txt', filename: 'a.txt' }] },
    'another object key': { key: 'other.zip' },
    'other metadata': { metadata: { a: 1 } },
  }))
    it(`refuses ${what} for a key that is already used (T10)`, async () => {
      await api.post(A_REQUEST, KEY);
      const response = await api.post({ ...A_REQUEST, ...change }, KEY);
      expect(response.status).to.equal(422);
      expect(response.body.error).to.include({
        type: 'invalid_request_error',
        code: 'idempotency_key_reused',
        param: null,
      });
      expect(api.jobs.all()).to.have.length(1);
    });

  it('creates one job for 100 concurrent requests (T11)', async () => {
    const responses = await Promise.all(Array.from({ length: 100 }, () => api.post(A_REQUEST, KEY)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(api.jobs.all()).to.have.length(1);
    expect(api.secrets.all()).to.have.length(1);
  });

  it('completes a job whose file list was not stored (T11)', async () => {
    api.secrets.fail(unreachable());
    expect((await api.post(A_REQUEST, KEY)).status).to.equal(503);
    expect(api.jobs.all(), 'the job waits for the retry').to.have.length(1);
    api.secrets.fail(undefined);
    expect((await api.post(A_REQUEST, KEY)).status).to.equal(201);
    expect(api.secrets.all()).to.have.length(1);
  });

  it('does not store the file list of a finished job again', async () => {
    await api.post(A_REQUEST, KEY);
    const [job] = api.jobs.all();
    const [secret] = api.secrets.all();
    api.secrets.remove('team-a', secret?.metadata.name ?? '');
    if (job) api.jobs.put({ ...job, status: { phase: 'Succeeded' } });
    expect((await api.post(A_REQUEST, KEY)).status).to.equal(201);
    expect(api.secrets.all()).to.have.length(0);
  });

  it('accepts a key again once its job is deleted', async () => {
    const first = await api.post(A_REQUEST, KEY);
    api.jobs.remove('team-a', `zip-${first.body.data?.uuid}`);
    api.secrets.remove('team-a', `zip-${first.body.data?.uuid}-files-0`);
    const second = await api.post({ ...A_REQUEST, key: 'other.zip' }, KEY);
    expect(second.status).to.equal(201);
    expect(second.headers.has('idempotent-replayed')).to.equal(false);
  });

  it('returns 503 while the job of the key is being deleted', async () => {
    await api.post(A_REQUEST, KEY);
    const [job] = api.jobs.all();
    if (job)
      api.jobs.put({ ...job, metadata: { ...job.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect((await api.post(A_REQUEST, KEY)).status).to.equal(503);
  });

  it('treats the same key in another project as a different key', async () => {
    let later = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + later };
    await using moved = await startApiServer({ clock });
    const first = await moved.post(A_REQUEST, KEY);
    moved.projects.remove('team-a', 'project');
    moved.projects.put(aProject('team-a'));
    later = 1_001;
    const second = await moved.post(A_REQUEST, KEY);
    expect(second.body.data?.uuid).to.be.a('string').and.not.equal(first.body.data?.uuid);
  });

  it('stores and logs no idempotency key', async () => {
    await api.post(A_REQUEST, { headers: { 'idempotency-key': 'customer@example.com' } });
    const [job] = api.jobs.all();
    expect(JSON.stringify(job)).to.not.include('customer@');
    expect(job?.metadata.annotations?.[ANNOTATIONS.requestSha256]).to.match(/^[0-9a-f]{64}$/);
    expect(api.logLines.join('')).to.not.include('customer@');
  });
});
