import { expect } from 'chai';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { statusError } from '#runtime/kube/client/status-error.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import {
  A_REQUEST,
  type ApiServer,
  aBucket,
  aProject,
  startApiServer,
} from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /zips', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({ maxBodyBytes: 64 * 1024 });
  });
  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  describe('job creation', () => {
    for (const path of ['/api/v1/zips', '/v1/zips']) {
      it(`returns 201 at ${path} with the job and its location (T25)`, async () => {
        const response = await api.post(A_REQUEST, { path });
        const { uuid = '' } = response.body.data ?? {};
        expect(response.status).to.equal(201);
        expect(uuid).to.match(UUID);
        expect(response.text).to.equal(`{"data":{"uuid":"${uuid}","status":"none","metadata":{}}}`);
        expect(response.headers.get('location')).to.equal(`${path}/${uuid}`);
        expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
        const read = await api.ask({ path: `${path}/${uuid}` });
        expect(read.status).to.equal(200);
        expect(read.text).to.equal(response.text);
      });
    }

    const corpus = [
      '{"n":12345678901234567890}',
      '{"n":1.0,"m":-0,"o":1e400}',
      '{"2":"b","1":"a"}',
      '{"s":"\\ud800","t":"\\u0000","u":"\u2028"}',
      '{"__proto__":{"a":1}}',
      '{ "a" : [ 1 , 2 ] }',
      `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`,
      `{"a":"${'x'.repeat(16_384 - 8)}"}`,
    ];
    for (const metadata of corpus) {
      it(`returns metadata byte for byte: ${metadata.slice(0, 40)} (T21)`, async () => {
        const body = `{"metadata": ${metadata} , ${JSON.stringify(A_REQUEST).slice(1)}`;
        const created = await api.post(body);
        expect(created.status, created.text).to.equal(201);
        const uuid = created.body.data?.uuid ?? '';
        expect(created.text).to.equal(`{"data":{"uuid":"${uuid}","status":"none","metadata":${metadata}}}`);
        expect((await api.ask({ path: `/v1/zips/${uuid}` })).text).to.equal(created.text);
      });
    }

    it('stores the request ID, the token and the trace in annotations (T15)', async () => {
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
      await api.post(A_REQUEST, { headers: { 'x-request-id': 'caller-1', traceparent } });
      const [job] = api.jobs.all();
      expect(job?.metadata.annotations).to.include({
        'zipjobs.dev/request-id': 'caller-1',
        'zipjobs.dev/created-by': 'token',
        'zipjobs.dev/traceparent': traceparent,
      });
    });

    it('returns 503 and logs the error if the file list cannot be written', async () => {
      api.secrets.fail(unreachable());
      const response = await api.post(A_REQUEST);
      expect(response.status).to.equal(503);
      expect(response.body.error).to.include({ type: 'api_error', code: 'service_unavailable', param: null });
      expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      expect(api.logLines.join('')).to.include('could not store the complete file list');
    });

    it('deletes a job whose file list cannot be written, so that the next job with its key can start', async () => {
      api.secrets.fail(unreachable());
      await api.post(A_REQUEST);
      await until('the job to be deleted', () => api.jobs.all().length === 0);
      api.secrets.fail(undefined);
      expect((await api.post(A_REQUEST)).status).to.equal(201);
    });

    it('deletes a job if it is unknown whether it was created', async () => {
      api.jobs.fail(unreachable(), (call) => call.startsWith('create'));
      await api.post(A_REQUEST);
      await until('the job to be deleted', () => api.jobs.calls.some((call) => call.startsWith('delete')));
    });

    it('returns 429 while the file lists of the project use their whole limit', async () => {
      await using small = await startApiServer({ maxFileListBytes: 150 });
      expect((await small.post(A_REQUEST)).status).to.equal(201);
      const response = await small.post(A_REQUEST);
      expect(response.status).to.equal(429);
      expect(response.body.error).to.include({
        type: 'rate_limit_error',
        code: 'file_lists_full',
        param: null,
      });
      expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      expect(small.jobs.all()).to.have.length(1);
    });

    for (const [httpStatus, body] of [
      [404, { reason: 'NotFound', message: 'the server could not find the requested resource' }],
      [404, undefined],
      [
        403,
        {
          reason: 'Forbidden',
          message:
            'zipjobs.zipjobs.dev "a" is forbidden: create not allowed while custom resource definition is terminating',
        },
      ],
      [
        405,
        {
          reason: 'MethodNotAllowed',
          message: 'create not allowed while custom resource definition is terminating',
        },
      ],
      [
        429,
        {
          reason: 'TooManyRequests',
          message: 'storage is (re)initializing',
          details: { retryAfterSeconds: 1 },
        },
      ],
    ] as const)
      it(`returns 503 with Retry-After while the API server responds ${httpStatus} ${body?.message ?? 'without a reason'} (X57)`, async () => {
        const error = statusError({ attempt: 'POST zipjobs', httpStatus, body });
        for (let attempt = 0; attempt < 3; attempt += 1) api.jobs.fail(error);
        const response = await api.post(A_REQUEST);
        expect([response.status, response.body.error?.code]).to.deep.equal([503, 'service_unavailable']);
        expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      });

    it('returns 503 if the API server is unreachable', async () => {
      api.jobs.fail(unreachable());
      expect((await api.post(A_REQUEST)).status).to.equal(503);
    });

    it('creates one job if the response to the first attempt is lost', async () => {
      api.jobs.loseResponses(1);
      expect((await api.post(A_REQUEST)).status).to.equal(201);
      expect(api.jobs.all()).to.have.length(1);
      expect(api.secrets.all()).to.have.length(1);
    });

    it('returns 500 in the error envelope for an internal error, without its message', async () => {
      api.jobs.fail(new TypeError('inner detail'));
      const response = await api.post(A_REQUEST);
      expect(response.status).to.equal(500);
      expect(response.body.error).to.include({ type: 'api_error', code: 'internal_error', param: null });
      expect(response.text).to.not.include('inner detail');
      expect(api.logLines.join('')).to.include('inner detail');
    });
  });

  describe('buckets', () => {
    it('returns 404 for a bucket of another project', async () => {
      api.projects.put(aProject('team-b'));
      api.buckets.put(aBucket('team-b', 's3', 'theirs'));
      const unknown = await api.post({ ...A_REQUEST, bucket_name: 'unknown' });
      const theirs = await api.post({ ...A_REQUEST, bucket_name: 'theirs' });
      expect(unknown.status).to.equal(404);
      expect(unknown.body.error).to.include({
        type: 'invalid_request_error',
        code: 'resource_not_found',
        param: 'bucket_name',
      });
      expect(theirs.text).to.equal(unknown.text.replace('unknown', 'theirs'));
      expect(api.jobs.all()).to.have.length(0);
    });

    it('suggests the other service if it has a bucket with that name', async () => {
      const response = await api.post({ ...A_REQUEST, bucket_name: 'cold' });
      expect(response.status).to.equal(404);
      expect(response.body.error?.message).to.match(/"service" to "r2"/);
      expect((await api.post({ ...A_REQUEST, bucket_name: 'cold', service: 'r2' })).status).to.equal(201);
    });

    it('refuses to replace objects that the bucket keeps, and keeps objects if asked to (C2)', async () => {
      const keeping = aBucket('team-a', 's3', 'keeping');
      api.buckets.put({ ...keeping, spec: { ...keeping.spec, objectOptions: { onConflict: 'fail' } } });
      const body = { ...A_REQUEST, bucket_name: 'keeping' };
      const refused = await api.post({ ...body, on_conflict: 'replace' });
      expect(refused.status).to.equal(422);
      expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'on_conflict' });
      expect(refused.body.error?.message).to.contain('the bucket requires "fail"');
      expect(api.jobs.all()).to.deep.equal([]);
      for (const request of [body, { ...body, on_conflict: 'fail' }, { ...A_REQUEST, on_conflict: 'fail' }])
        expect((await api.post(request)).status).to.equal(201);
      expect(api.jobs.all().map(({ spec }) => spec.onConflict)).to.have.members([undefined, 'fail', 'fail']);
    });

    it('refuses options of the object that the store does not support (C3)', async () => {
      api.buckets.put(aBucket('team-a', 'r2', 'there'));
      const there = { ...A_REQUEST, bucket_name: 'there', service: 'r2' };
      for (const [request, message] of [
        [{ ...there, object: { tags: { a: '1' } } }, 'object.tags is not supported by R2'],
        [{ ...there, object: { storage_class: 'GLACIER' } }, 'use one of STANDARD, STANDARD_IA'],
        [{ ...A_REQUEST, object: { storage_class: 'COLD' } }, 'object.storage_class is not supported'],
      ] as const) {
        const { status, body } = await api.post(request);
        expect(status).to.equal(422);
        expect(body.error).to.include({ code: 'parameter_invalid', param: 'object' });
        expect(body.error?.message).to.contain(message);
      }
      expect((await api.post({ ...A_REQUEST, object: { tags: { a: '1' } } })).status).to.equal(201);
    });

    it('refuses defaults of the project that the store does not support, and names field and project (C7)', async () => {
      api.buckets.put(aBucket('team-a', 'r2', 'there'));
      const there = { ...A_REQUEST, bucket_name: 'there', service: 'r2' };
      const objectOptions = { storageClass: 'GLACIER', metadata: { team: 'sales' } };
      api.projects.put(aProject('team-a', { jobDefaults: { objectOptions } }));
      const refused = await api.post(there);
      expect(refused.status).to.equal(422);
      expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'object' });
      expect(refused.body.error?.message).to.equal(
        'object.storage_class is not supported by R2; use one of STANDARD, STANDARD_IA. The project sets it (jobDefaults.objectOptions.storageClass). Use a bucket that supports it, or change the project.',
      );
      const object = { storage_class: 'STANDARD', metadata: { stage: 'live' } };
      expect((await api.post({ ...there, object })).status).to.equal(201);
      expect(api.jobs.all().map(({ spec }) => spec.objectOptions)).to.deep.equal([
        { storageClass: 'STANDARD', metadata: { team: 'sales', stage: 'live' } },
      ]);
      expect((await api.post(A_REQUEST)).status).to.equal(201);
    });

    it('refuses more tags than S3 allows together with those of the bucket', async () => {
      const bucket = aBucket('team-a', 's3', 'tagged');
      const tags = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`t${n}`, '1']));
      api.buckets.put({ ...bucket, spec: { ...bucket.spec, objectOptions: { tags } } });
      const body = { ...A_REQUEST, bucket_name: 'tagged' };
      expect((await api.post({ ...body, object: { tags: { t0: '2', a: '1' } } })).status).to.equal(201);
      const refused = await api.post({ ...body, object: { tags: { a: '1', b: '1' } } });
      expect(refused.status).to.equal(422);
      expect(refused.body.error?.message).to.equal(
        'object.tags has more than 10 tags, together with those of the project and the bucket.',
      );
    });

    it('returns the job of an earlier request although the bucket keeps objects since then (C2)', async () => {
      const bucket = aBucket('team-a', 's3', 'later');
      const headers = { 'idempotency-key': 'one' };
      const body = { ...A_REQUEST, bucket_name: 'later', on_conflict: 'replace' };
      api.buckets.put(bucket);
      const first = await api.post(body, { headers });
      api.buckets.put({ ...bucket, spec: { ...bucket.spec, objectOptions: { onConflict: 'fail' } } });
      expect((await api.post(body, { headers })).text).to.equal(first.text);
      const other = await api.post(body, { headers: { 'idempotency-key': 'two' } });
      expect(other.body.error).to.include({ code: 'parameter_invalid', param: 'on_conflict' });
    });

    it('finds a bucket that is not cached yet', async () => {
      api.buckets.lagging = true;
      api.buckets.put(aBucket('team-a', 's3', 'brand-new'));
      expect((await api.post({ ...A_REQUEST, bucket_name: 'brand-new' })).status).to.equal(201);
    });

    for (const isCached of [true, false])
      it(`says that a bucket is being deleted${isCached ? '' : ', if it is not cached yet'} (N28)`, async () => {
        const bucket = aBucket('team-a', 's3', 'going');
        const metadata = { ...bucket.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
        api.buckets.lagging = !isCached;
        api.buckets.put({ ...bucket, metadata });
        const { status, body } = await api.post({ ...A_REQUEST, bucket_name: 'going' });
        expect(status).to.equal(404);
        expect(body.error).to.include({ code: 'resource_not_found', param: 'bucket_name' });
        expect(body.error?.message).to.contain('Bucket "going" (s3) is being deleted.');
        const other = await api.post({ ...A_REQUEST, service: 'r2', bucket_name: 'going' });
        expect(other.body.error?.message).to.contain('not found').and.not.contain('set "service"');
      });

    it('uses a bucket that was deleted and created again, although the cache does not know yet (N28)', async () => {
      const bucket = aBucket('team-a', 's3', 'going');
      const metadata = { ...bucket.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
      api.buckets.put({ ...bucket, metadata });
      api.buckets.lagging = true;
      api.buckets.put(bucket);
      expect((await api.post({ ...A_REQUEST, bucket_name: 'going' })).status).to.equal(201);
    });

    it('returns 503 if the project changed while its defaults were copied (N33)', async () => {
      api.jobs.fail(new KubeError('no', { code: 'Forbidden', mark: POLICY_MARKS.projectChanged }));
      const { status, body, headers } = await api.post(A_REQUEST);
      expect([status, body.error?.code]).to.deep.equal([503, 'service_unavailable']);
      expect(headers.get('retry-after')).to.equal('2');
    });

    it('sends no request for an invalid bucket name', async () => {
      api.buckets.fail(new Error('unexpected request'));
      for (const bucketName of ['a/b', '../x', 'UPPER', 'a'.repeat(64), 'ü'])
        expect((await api.post({ ...A_REQUEST, bucket_name: bucketName })).status, bucketName).to.equal(404);
    });
  });
});
