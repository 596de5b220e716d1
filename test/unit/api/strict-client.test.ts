/** A client that accepts exactly the fields of the interface and fails on any other. */
import { Ajv } from 'ajv';
import { expect } from 'chai';
import type { JobWebhookState, Phase, ZipJobStatus } from '#crds/zip-job.ts';
import { aResult, aSourceCheck, finishedAs, progressOf } from '#test/support/builders/zip-job-statuses.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const TEXT = { type: 'string' };

/** An object with exactly these fields. */
function exactly(properties: Readonly<Record<string, object>>) {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
}

const RENAMED = { total: 1, files: [{ fileIndex: 1, name: 'a (2).txt' }] };
const WEBHOOK: JobWebhookState = { state: 'Delivered', endpoints: [{ name: 'audit', state: 'Pending' }] };

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const isZip = ajv.compile(
  exactly({
    data: exactly({
      uuid: TEXT,
      status: { enum: ['none', 'processing', 'succeeded', 'failed'] },
      metadata: { type: 'object' },
    }),
  }),
);
const isError = ajv.compile(
  exactly({ error: exactly({ type: TEXT, code: TEXT, message: TEXT, param: { type: ['string', 'null'] } }) }),
);

function accept(validate: typeof isZip, body: unknown): void {
  expect(validate(body), JSON.stringify([body, validate.errors])).to.equal(true);
}

describe('a strict client', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('accepts the response to a request with and without the optional fields', async () => {
    const more = {
      service: 's3',
      metadata: { order: 1 },
      on_conflict: 'fail',
      sha256: true,
      duplicate_names: 'rename',
      urls: A_REQUEST.urls.flatMap((file) => [{ ...file, size: 3, crc32: '8c736521' }, file]),
    };
    for (const body of [A_REQUEST, { ...A_REQUEST, ...more }]) {
      const { status, body: created } = await api.post(body, { path: '/api/v1/zips' });
      expect(status).to.equal(201);
      accept(isZip, created);
    }
  });

  it('accepts a job in every state, also if many of its files fail (C4)', async () => {
    const uuid = (await api.post(A_REQUEST)).body.data?.uuid ?? '';
    const [job] = api.jobs.all();
    const failed = finishedAs('Failed', {
      failure: { code: 'SourceNotFound', fileIndex: 0, httpStatus: 404, retriable: false },
      sourceCheck: aSourceCheck(137),
    });
    function inPhase(phase: Phase): ZipJobStatus {
      return { phase, progress: progressOf('pod') };
    }
    const statuses: readonly (readonly [string, ZipJobStatus])[] = [
      ['none', {}],
      ['none', inPhase('Queued')],
      ['processing', inPhase('Running')],
      ['processing', inPhase('Finalizing')],
      ['failed', inPhase('Cancelled')],
      ['failed', failed],
      ['succeeded', finishedAs('Succeeded', { result: aResult({ skipped: [0] }) })],
      ['succeeded', finishedAs('Succeeded', { result: aResult({ renamed: RENAMED }), webhook: WEBHOOK })],
    ];
    for (const [expected, status] of statuses) {
      if (job) api.jobs.put({ ...job, status });
      const { body } = await api.ask({ path: `/api/v1/zips/${uuid}` });
      accept(isZip, body);
      expect(body.data?.status).to.equal(expected);
    }
  });

  it('accepts every error, also of a request with many invalid entries (C4)', async () => {
    const bad = { url: 'http://10.0.0.1/', filename: '..' };
    const path = '/api/v1/zips';
    const responses = [
      [422, await api.post({ ...A_REQUEST, urls: [bad, {}, bad, null] }, { path })],
      [422, await api.post({ ...A_REQUEST, urls: [bad, bad] }, { path })],
      [422, await api.post({ ...A_REQUEST, urls: [] }, { path })],
      [422, await api.post({}, { path })],
      [404, await api.post({ ...A_REQUEST, bucket_name: 'unknown' }, { path })],
      [404, await api.ask({ path: `${path}/6f1c1f0e-0000-4000-8000-000000000000` })],
      [401, await askApi(api.url, { path: `${path}/x` })],
      [401, await api.ask({ path: `${path}/x`, token: 'x' })],
      [400, await api.post('{', { path })],
    ] as const;
    for (const [status, response] of responses) {
      expect(response.status, response.text).to.equal(status);
      accept(isError, response.body);
    }
  });
});
