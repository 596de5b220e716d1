/** The contract with callers, one test per promise, run against the installed release. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { API_STATUSES } from '#crds/zip-job.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { type ApiRequest, type ApiResponse, askApi } from '#test/support/clients/api-client.ts';
import type { Delivery } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';

const UNKNOWN = '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11';
const METADATA = '{"order":7.0,"2":"b","1":"a"}';
const FILES = ['z-first.txt', 'folder/second.txt', 'a-third.txt'];

/** Every byte that etcd has on disk. Other folders of the cluster change while they are read. */
async function etcdFiles(directory: string): Promise<Buffer[]> {
  const entries = await readdir(join(directory, 'etcd'), { recursive: true, withFileTypes: true });
  // Skips the file that etcd is about to rename.
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'));
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
}

describe('the API contract', function () {
  this.timeout(240_000);
  let flow: Flow;
  let other: Project;
  let created: ApiResponse;
  let done: ApiResponse;
  let failed: ApiResponse;
  let delivery: Delivery;
  const seen = new Set<string>();

  function ask(request: ApiRequest): Promise<ApiResponse> {
    return askApi(flow.baseUrl, { token: flow.project.token, ...request });
  }
  function get(uuid: string, token = flow.project.token): Promise<ApiResponse> {
    return ask({ path: `/api/v1/zips/${uuid}`, token });
  }
  function post(body: unknown, request: Partial<ApiRequest> = {}): Promise<ApiResponse> {
    return ask({ method: 'POST', path: '/api/v1/zips', body: JSON.stringify(body), ...request });
  }
  function aBody(change: Record<string, unknown> = {}) {
    return {
      urls: FILES.map((filename, index) => ({ url: flow.origin.url(`/gen/1000/${index}`), filename })),
      bucket_name: flow.project.bucketName,
      key: 'contract/archive.zip',
      ...change,
    };
  }
  function uuidOf({ body }: ApiResponse): string {
    return body.data?.uuid ?? '';
  }
  function untilEnded(uuid: string): Promise<ApiResponse> {
    return until(
      'the job to end',
      async () => {
        const response = await get(uuid);
        seen.add(response.body.data?.status ?? '');
        return ['succeeded', 'failed'].includes(response.body.data?.status ?? '') && response;
      },
      { intervalMs: 100 },
    );
  }
  function expectError(response: ApiResponse, status: number, error: Record<string, unknown>): void {
    expect(response.status, response.text).to.equal(status);
    expect(response.body).to.have.all.keys('error');
    expect(response.body.error).to.have.all.keys('type', 'code', 'message', 'param');
    expect(response.body.error).to.include(error);
  }
  const INVALID = { type: 'invalid_request_error', code: 'parameter_invalid' };

  before(async () => {
    flow = await startFlow('api-contract');
    other = await createProject(flow.cluster, { namespace: 'api-contract-other' });
    await untilTokenKnown(flow.baseUrl, other.token);
    const body = `${JSON.stringify(aBody()).slice(0, -1)},"metadata": ${METADATA} }`;
    created = await ask({ method: 'POST', path: '/api/v1/zips', body });
    const missing = { urls: [{ url: flow.origin.url('/status/404'), filename: 'a' }], key: 'never.zip' };
    const doomed = await post(aBody(missing));
    done = await untilEnded(uuidOf(created));
    failed = await untilEnded(uuidOf(doomed));
    delivery = await flow.receiver.next(({ body: text }) => text.includes(uuidOf(created)));
  });
  after(async () => {
    other[Symbol.dispose]();
    await flow[Symbol.asyncDispose]();
  });

  describe('a job', () => {
    it('is created with 201 and a body that contains only its ID, status and metadata', () => {
      expect(created.status, created.text).to.equal(201);
      expect(created.text).to.equal(
        `{"data":{"uuid":"${uuidOf(created)}","status":"none","metadata":${METADATA}}}`,
      );
    });

    it('runs without further requests and can be read at any time by its ID', () => {
      expect(done.status).to.equal(200);
      expect(done.text).to.equal(created.text.replace('"none"', '"succeeded"'));
    });

    it('only has one of the four documented statuses', () => {
      expect([...API_STATUSES]).to.deep.equal(['none', 'processing', 'succeeded', 'failed']);
      expect([...API_STATUSES]).to.include.members([...seen]);
    });

    it('creates one archive at its key by multipart upload, with its files in order and under their names', async () => {
      const bytes = await flow.project.bucket.bytes('contract/archive.zip');
      expect((await zipEntries(bytes)).map(({ name }) => name)).to.deep.equal(FILES);
      const { status } = await flow.project.zipJob(uuidOf(created));
      expect(status?.result?.etag).to.match(/-\d+"?$/);
    });

    it('fails without an archive when a source is missing', async () => {
      expect(failed.body.data).to.include({ status: 'failed' });
      expect(await flow.project.bucket.bytes('never.zip').catch(() => undefined)).to.equal(undefined);
    });

    it('has metadata {} when the request contains none', () => {
      expect(failed.body.data?.metadata).to.deep.equal({});
    });

    it('is reported to the webhook of its project when it completes', () => {
      expect(JSON.parse(delivery.body)).to.deep.equal({
        type: 'COMPLETED',
        zip_id: uuidOf(created),
        status: 'succeeded',
        bucket: { service: 's3', name: flow.project.bucketName },
        key: 'contract/archive.zip',
        metadata: { order: 7, '2': 'b', '1': 'a' },
      });
      expect(delivery.body).to.contain(METADATA);
    });

    it('belongs to its project: other projects can neither read it nor use its bucket', async () => {
      const theirs = await get(uuidOf(created), other.token);
      const unknown = await get(UNKNOWN, other.token);
      expectError(theirs, 404, { code: 'resource_not_found', param: null });
      expect(theirs.text).to.equal(unknown.text);
      expectError(await post(aBody(), { token: other.token }), 404, {
        code: 'resource_not_found',
        param: 'bucket_name',
      });
    });
  });

  describe('POST /api/v1/zips', () => {
    for (const field of ['bucket_name', 'key', 'urls'])
      it(`requires ${field} and returns the documented message without it`, async () => {
        const { [field]: _left, ...rest } = aBody() as Record<string, unknown>;
        expectError(await post(rest), 422, {
          type: 'invalid_request_error',
          code: 'parameter_missing',
          param: field,
          message: `Missing required parameter: ${field}`,
        });
      });

    const file = { url: 'https://example.com/a', filename: 'a' };
    for (const [what, param, change] of [
      ['a list of at least one entry', 'urls', { urls: [] }],
      ['a list', 'urls', { urls: 'https://example.com/a' }],
      ['a url in each entry', 'urls', { urls: [{ filename: 'a' }] }],
      ['a filename in each entry', 'urls', { urls: [{ url: file.url }] }],
      ['a url that is a string', 'urls', { urls: [{ ...file, url: 1 }] }],
      ['a filename that is a string', 'urls', { urls: [{ ...file, filename: {} }] }],
      ['a valid url', 'urls', { urls: [{ ...file, url: 'nowhere' }] }],
      ['a url that is publicly accessible', 'urls', { urls: [{ ...file, url: 'http://10.1.2.3/' }] }],
      ['a bucket_name that is a string', 'bucket_name', { bucket_name: 1 }],
      ['a key that is a string', 'key', { key: 1 }],
      ['s3 or r2 for a service', 'service', { service: 'azure' }],
      ['an object for metadata', 'metadata', { metadata: 'x' }],
    ] as const)
      it(`requires ${what}`, async () => {
        expectError(await post(aBody(change)), 422, { ...INVALID, param });
      });

    it('finds a bucket of the project by name, with s3 as the default service', async () => {
      expectError(await post(aBody({ bucket_name: 'nowhere' })), 404, { param: 'bucket_name' });
      expectError(await post(aBody({ service: 'r2' })), 404, { param: 'bucket_name' });
      expect((await post(aBody({ service: 's3', key: 'again.zip' }))).status).to.equal(201);
    });

    it('is available under both spellings of its path and returns the Location of the job', async () => {
      const response = await post(aBody({ key: 'other-path.zip' }), { path: '/v1/zips' });
      expect(response.headers.get('location')).to.equal(`/v1/zips/${uuidOf(response)}`);
      expect((await ask({ path: `/v1/zips/${uuidOf(response)}` })).status).to.equal(200);
    });

    it('accepts and returns JSON', async () => {
      const headers = { 'content-type': 'text/plain' };
      expectError(await post(aBody(), { headers }), 415, { type: 'invalid_request_error' });
      expect(created.headers.get('content-type')).to.match(/^application\/json/);
    });
  });

  describe('a request', () => {
    it('requires a token', async () => {
      expectError(await askApi(flow.baseUrl, { path: `/v1/zips/${UNKNOWN}` }), 401, {
        type: 'authentication_error',
        code: 'authentication_required',
        param: null,
      });
    });

    it('requires a token that is well formed and not revoked', async () => {
      for (const token of ['nonsense', `zj_${'0'.repeat(36)}`])
        expectError(await get(UNKNOWN, token), 401, {
          type: 'authentication_error',
          code: 'invalid_api_key',
          param: null,
        });
    });

    it('requires a token with the permission for the request', async () => {
      const reader = await flow.project.addToken(['read']);
      await untilTokenKnown(flow.baseUrl, reader);
      expectError(await post(aBody(), { token: reader }), 403, {
        type: 'permission_error',
        code: 'insufficient_permissions',
        param: null,
      });
      expect((await get(uuidOf(created), reader)).status).to.equal(200);
    });

    it('can use a new token while the old one is still valid', async () => {
      const fresh = await flow.project.addToken(['create', 'read']);
      await untilTokenKnown(flow.baseUrl, fresh);
      for (const token of [fresh, flow.project.token])
        expect((await get(uuidOf(created), token)).status).to.equal(200);
    });

    it('never stores or logs its token (T2)', async () => {
      const { dir } = flow.cluster;
      const { token, namespace } = flow.project;
      const { stdout } = await flow.cluster.kubectl(['get', 'ziptokens', '-n', namespace, '-o', 'yaml']);
      expect(stdout).to.contain(`${token.slice(0, 4)}...${token.slice(-4)}`);
      const files = await etcdFiles(dir);
      function holds(text: string): boolean {
        return files.some((bytes) => bytes.includes(text));
      }
      expect(holds(`...${token.slice(-4)}`), 'the copy of etcd').to.equal(true);
      expect(holds(token), 'a token in etcd').to.equal(false);
    });

    it('returns its rate limits and the remaining requests (T8)', () => {
      expect(created.headers.get('ratelimit-policy')).to.match(/^"token";q=\d+;w=60, "project";q=\d+;w=60$/);
      expect(created.headers.get('ratelimit')).to.match(/^"token";r=\d+;t=\d+, "project";r=\d+;t=\d+$/);
    });

    it('can only create and read jobs, in version 1', async () => {
      expectError(await ask({ path: '/api/v1/zips' }), 405, { param: null });
      expectError(await ask({ path: `/api/v1/zips/${UNKNOWN}`, method: 'DELETE' }), 405, { param: null });
      for (const path of ['/api/v1/buckets', '/api/v2/zips', '/zips'])
        expectError(await ask({ path }), 404, { type: 'invalid_request_error', param: null });
    });
  });
});
