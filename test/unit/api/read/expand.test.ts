import { expect } from 'chai';
import { EXPANSIONS, readExpand } from '#api/read/read-expand.ts';
import { CONDITION_TYPES } from '#crds/conditions.ts';
import type { ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aSourceCheck } from '#test/support/builders/zip-job-statuses.ts';
import { A_REQUEST, type ApiServer, aProject, startApiServer } from '#test/support/servers/api-server.ts';

const ACCEPTED_AT = '2026-05-04T11:59:58Z';
const SUCCEEDED: ZipJobStatus = {
  phase: 'Succeeded',
  acceptedAt: '2026-05-04T12:00:00Z',
  startedAt: '2026-05-04T12:00:05Z',
  finishedAt: '2026-05-04T12:00:09Z',
  result: {
    bytes: 4_096,
    etag: '"x"',
    entries: 3,
    seconds: 3.5,
    peakMemory: 1,
    retries: 0,
    contractVersion: 1,
    sha256: 'a'.repeat(64),
  },
  webhook: { state: 'NotConfigured' },
};
const FAILED: ZipJobStatus = {
  phase: 'Failed',
  reason: 'SourceNotFound',
  message: 'file 2 at https://files.example.com/b.txt?X-Amz-Signature=SECRET responded with 404',
  failure: { code: 'SourceNotFound', fileIndex: 2, httpStatus: 404, retriable: false },
};

describe('readExpand', () => {
  it('accepts a comma-separated list, repeated parameters and other parameters', () => {
    expect(readExpand('expand=webhook,progress')).to.deep.equal(['progress', 'webhook']);
    expect(readExpand('a=b&expand=error&expand=bucket%2Cerror')).to.deep.equal(['error', 'bucket']);
    expect(readExpand('')).to.deep.equal([]);
  });

  for (const query of [
    'expand=',
    'expand=all',
    'expand=progress,',
    'expand=Progress',
    'expand=progress;error',
  ])
    it(`refuses ${query}`, () => {
      expect(() => readExpand(query))
        .to.throw('progress, error, archive, bucket, webhook, job')
        .that.includes({ status: 422, code: 'parameter_invalid', param: 'expand' });
    });
});

describe('?expand=', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({ clock: createManualClock(new Date(ACCEPTED_AT)) });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  async function create(): Promise<string> {
    return (await api.post(A_REQUEST)).body.data?.uuid ?? '';
  }
  function put(status: ZipJobStatus, spec: Partial<ZipJobSpec> = {}): void {
    const [job] = api.jobs.all();
    if (job) api.jobs.put({ ...job, spec: { ...job.spec, ...spec }, status });
  }
  async function read(uuid: string, expand: string): Promise<Record<string, unknown>> {
    const response = await api.ask({ path: `/v1/zips/${uuid}?expand=${expand}` });
    expect(response.status, response.text).to.equal(200);
    const { uuid: _uuid, status: _status, metadata: _metadata, ...more } = { ...response.body.data };
    return more;
  }
  const all = EXPANSIONS.join(',');

  it('returns null for missing values', async () => {
    expect(await read(await create(), all)).to.deep.equal({
      progress: null,
      error: null,
      archive: null,
      bucket: { service: 's3', name: 'archive', key: 'out/archive.zip' },
      webhook: null,
      job: { accepted_at: ACCEPTED_AT, started_at: null, finished_at: null },
    });
  });

  it('returns the times of a job in any state', async () => {
    const created = await api.post(A_REQUEST, { path: '/v1/zips?expand=job' });
    expect(created.text).to.contain(
      `"metadata":{},"job":{"accepted_at":"${ACCEPTED_AT}","started_at":null,"finished_at":null}}}`,
    );
    const { uuid = '' } = created.body.data ?? {};
    const { result: _result, finishedAt: _finishedAt, ...running } = SUCCEEDED;
    put({ ...running, phase: 'Running' });
    const [accepted_at, started_at, finished_at] = ['12:00:00', '12:00:05', '12:00:09'].map(
      (time) => `2026-05-04T${time}Z`,
    );
    expect(await read(uuid, 'job')).to.deep.equal({ job: { accepted_at, started_at, finished_at: null } });
    put({ ...SUCCEEDED, ...FAILED });
    expect(await read(uuid, 'job')).to.deep.equal({ job: { accepted_at, started_at, finished_at } });
  });

  it('returns the progress of a job', async () => {
    const uuid = await create();
    put({
      phase: 'Running',
      progress: {
        podUid: 'p',
        filesTotal: 3,
        filesDone: 1,
        bytesRead: 10,
        bytesUploaded: 5,
        display: '1/3',
        updatedAt: '2026-05-04T12:00:07Z',
      },
    });
    expect(await read(uuid, 'progress')).to.deep.equal({
      progress: {
        files_total: 3,
        files_done: 1,
        current_file: null,
        bytes_read: 10,
        bytes_uploaded: 5,
        bytes_total: null,
        bytes_per_second: null,
        estimated_end_at: null,
        updated_at: '2026-05-04T12:00:07Z',
      },
    });
  });

  it('returns the archive and its times, also for a job that is cached as finished', async () => {
    const uuid = await create();
    put(SUCCEEDED);
    await read(uuid, 'bucket');
    expect(await read(uuid, 'archive,webhook,error')).to.deep.equal({
      error: null,
      archive: {
        size: 4_096,
        files: 3,
        skipped: [],
        renamed: [],
        renamed_total: 0,
        sha256: 'a'.repeat(64),
        seconds: 3.5,
        accepted_at: '2026-05-04T12:00:00Z',
        started_at: '2026-05-04T12:00:05Z',
        finished_at: '2026-05-04T12:00:09Z',
      },
      webhook: {
        state: 'not_configured',
        attempts: 0,
        last_status: null,
        next_attempt_at: null,
        delivered_at: null,
        endpoints: [],
      },
    });
  });

  it('returns the delivery to each endpoint of the project', async () => {
    const uuid = await create();
    const endpoints = ['audit', 'billing'].map((name) => ({ name, events: ['COMPLETED'] as const }));
    put(
      {
        ...SUCCEEDED,
        webhook: {
          state: 'NotConfigured',
          endpoints: [{ name: 'audit', state: 'Delivered', attempts: 2, lastStatus: 204 }],
        },
      },
      { webhook: { events: [], endpoints } },
    );
    const none = { attempts: 0, last_status: null, next_attempt_at: null, delivered_at: null };
    expect(await read(uuid, 'webhook')).to.deep.equal({
      webhook: {
        ...none,
        state: 'not_configured',
        endpoints: [
          { ...none, name: 'audit', state: 'delivered', attempts: 2, last_status: 204 },
          { ...none, name: 'billing', state: 'not_configured' },
        ],
      },
    });
  });

  it('reports the delivery of a running job as pending at each endpoint', async () => {
    const uuid = await create();
    const endpoints = [{ name: 'audit', events: ['COMPLETED'] as const }];
    put({ phase: 'Running' }, { webhook: { events: ['COMPLETED'], endpoints } });
    const pending = {
      state: 'pending',
      attempts: 0,
      last_status: null,
      next_attempt_at: null,
      delivered_at: null,
    };
    expect(await read(uuid, 'webhook')).to.deep.equal({
      webhook: { ...pending, endpoints: [{ ...pending, name: 'audit' }] },
    });
    put({ phase: 'Running' }, { webhook: { events: [], endpoints } });
    expect(await read(uuid, 'webhook')).to.deep.equal({
      webhook: { ...pending, state: 'not_configured', endpoints: [{ ...pending, name: 'audit' }] },
    });
  });

  it('returns the failed file and the reason, without the query of its URL', async () => {
    const uuid = await create();
    put(FAILED);
    const { error } = await read(uuid, 'error');
    expect(error).to.deep.equal({
      code: 'SourceNotFound',
      message: 'file 2 at https://files.example.com/b.txt?[redacted] responded with 404',
      file_index: 2,
      http_status: 404,
      retriable: false,
      help: '/docs#SourceNotFound',
      files: [{ file_index: 2, code: 'SourceNotFound', http_status: 404 }],
      files_total: 1,
      files_checked: null,
      predicted_size: null,
      predicted_files: 0,
    });
  });

  it('lists the first hundred files that fail, their number and the predicted size (C4)', async () => {
    const uuid = await create();
    put({ ...FAILED, sourceCheck: aSourceCheck(137) });
    const { error } = (await read(uuid, 'error')) as { error: { files: unknown[] } };
    expect(error).to.deep.include({
      file_index: 2,
      files_total: 137,
      files_checked: 10_000,
      predicted_size: 1_024,
      predicted_files: 2,
    });
    expect(error.files).to.have.length(100);
    expect(error.files.slice(0, 2)).to.deep.equal([
      { file_index: 0, code: 'SourceNotFound', http_status: 404 },
      { file_index: 73, code: 'SourceUnreachable', http_status: null },
    ]);
  });

  it('predicts no size if no source declared a length', async () => {
    const uuid = await create();
    put({ ...FAILED, sourceCheck: { ...aSourceCheck(1), bytes: 0, lengths: 0 } });
    const { error } = await read(uuid, 'error');
    expect(error).to.include({ files_checked: 10_000, predicted_size: null, predicted_files: 0 });
  });

  it('omits the file index if another error ended the job', async () => {
    const uuid = await create();
    put({ ...FAILED, reason: 'StartDeadlineExceeded', message: 'no zipper started in time' });
    const { error } = await read(uuid, 'error');
    expect(error).to.include({ code: 'StartDeadlineExceeded', file_index: null, retriable: true });
    expect(error).to.deep.include({ files: [], files_total: 0, files_checked: null });
  });

  it('works with POST', async () => {
    const response = await api.post(A_REQUEST, { path: '/v1/zips?expand=bucket,progress' });
    const { uuid } = response.body.data ?? {};
    expect(response.status).to.equal(201);
    expect(response.text).to.equal(
      `{"data":{"uuid":"${uuid}","status":"none","metadata":{},"progress":null,"bucket":{"service":"s3","name":"archive","key":"out/archive.zip"}}}`,
    );
    expect(response.headers.get('location')).to.equal(`/v1/zips/${uuid}`);
  });

  it('refuses unknown values in both operations', async () => {
    const uuid = await create();
    for (const response of [
      await api.post(A_REQUEST, { path: '/v1/zips?expand=x' }),
      await api.ask({ path: `/v1/zips/${uuid}?expand=x` }),
    ])
      expect([response.status, response.body.error?.param]).to.deep.equal([422, 'expand']);
    expect(api.jobs.all()).to.have.length(1);
  });

  it('adds nothing by default', async () => {
    const uuid = await create();
    put(SUCCEEDED);
    const response = await api.ask({ path: `/v1/zips/${uuid}` });
    expect(response.text).to.equal(`{"data":{"uuid":"${uuid}","status":"succeeded","metadata":{}}}`);
    expect(Object.keys(CONDITION_TYPES).some((type) => response.text.includes(type))).to.equal(false);
  });
});

describe('GET of a job created with kubectl', () => {
  it('finds the job by the ID that its webhook contains, only in its own project', async () => {
    await using api = await startApiServer();
    const job = aZipJob();
    const uid = '11111111-2222-4333-8444-555555555555';
    const metadata = { ...job.metadata, name: 'nightly', uid };
    api.jobs.put({ ...job, metadata });
    const response = await api.ask({ path: `/v1/zips/${uid}?expand=bucket` });
    expect(response.status, response.text).to.equal(200);
    expect(response.body.data?.uuid).to.equal(uid);
    api.projects.put(aProject('team-b'));
    api.jobs.put({ ...job, metadata: { ...metadata, namespace: 'team-b', uid: UNKNOWN_ID } });
    expect((await api.ask({ path: `/v1/zips/${UNKNOWN_ID}` })).status).to.equal(404);
    api.jobs.fail(unreachable());
    expect((await api.ask({ path: `/v1/zips/${uid}` })).status).to.equal(503);
  });
});

const UNKNOWN_ID = '11111111-2222-4333-8444-666666666666';
