/** Every row of the table of errors, sent to the real control plane. */
import { expect } from 'chai';
import { type ApiRequest, type ApiResponse, askApi } from '#test/support/clients/api-client.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const UNKNOWN_UUID = '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11';

describe('error responses of the API', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let baseUrl: string;
  let project: Project;
  let other: Project;

  before(async () => {
    cluster = await sharedCluster();
    baseUrl = await (await sharedInstallation()).apiUrl();
    project = await createProject(cluster, { namespace: 'api-errors' });
    other = await createProject(cluster, { namespace: 'api-errors-other' });
    await untilTokenKnown(baseUrl, project.token);
    await untilTokenKnown(baseUrl, other.token);
  });

  after(() => {
    project[Symbol.dispose]();
    other[Symbol.dispose]();
  });

  function ask(request: ApiRequest): Promise<ApiResponse> {
    return askApi(baseUrl, { token: project.token, ...request });
  }
  function get(uuid: string, token = project.token): Promise<ApiResponse> {
    return askApi(baseUrl, { path: `/v1/zips/${uuid}`, token });
  }
  function valid(): Record<string, unknown> {
    return {
      bucket_name: project.bucketName,
      key: 'a.zip',
      urls: [{ url: 'http://127.0.0.1:8099/x', filename: 'x' }],
    };
  }
  function post(body: unknown, token = project.token): Promise<ApiResponse> {
    return askApi(baseUrl, { method: 'POST', path: '/api/v1/zips', token, body: JSON.stringify(body) });
  }

  function expectError(response: ApiResponse, status: number, error: Record<string, unknown>): void {
    expect(response.status, response.text).to.equal(status);
    expect(response.body.error).to.include(error);
    expect(Object.keys(response.body.error ?? {})).to.have.members(['type', 'code', 'message', 'param']);
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
  }

  it('refuses a request without an Authorization header (T4)', async () => {
    const response = await askApi(baseUrl, { path: `/v1/zips/${UNKNOWN_UUID}` });
    expectError(response, 401, {
      type: 'authentication_error',
      code: 'authentication_required',
      param: null,
    });
    expect(response.headers.get('www-authenticate')).to.match(/^Bearer realm="[^"]+"$/);
  });

  for (const [name, authorization] of Object.entries({
    'a token of the wrong form': 'Bearer nonsense',
    'a token with a wrong checksum': `Bearer zj_${'a'.repeat(36)}`,
    'another scheme': 'Basic dXNlcjpwdw==',
    'an empty token': 'Bearer ',
  }))
    it(`refuses ${name} (T3)`, async () => {
      const response = await askApi(baseUrl, {
        path: `/v1/zips/${UNKNOWN_UUID}`,
        headers: { authorization },
      });
      expectError(response, 401, { type: 'authentication_error', code: 'invalid_api_key', param: null });
      expect(response.headers.get('www-authenticate')).to.contain('error="invalid_token"');
    });

  it('refuses to create a job with a read-only token', async () => {
    const token = await project.addToken(['read']);
    await untilTokenKnown(baseUrl, token);
    expectError(await post(valid(), token), 403, {
      type: 'permission_error',
      code: 'insufficient_permissions',
      param: null,
    });
  });

  it('refuses to read a job with a create-only token', async () => {
    const token = await project.addToken(['create']);
    await untilTokenKnown(baseUrl, token);
    const response = await get(UNKNOWN_UUID, token);
    expectError(response, 403, { type: 'permission_error', code: 'insufficient_permissions', param: null });
  });

  it('refuses a bucket that the project does not have, even if another project has it (T7)', async () => {
    for (const bucketName of ['nowhere', other.bucketName])
      expectError(await post({ ...valid(), bucket_name: bucketName }), 404, {
        type: 'invalid_request_error',
        code: 'resource_not_found',
        param: 'bucket_name',
      });
  });

  it('refuses a bucket of the other service and names its service', async () => {
    const response = await post({ ...valid(), service: 'r2' });
    expectError(response, 404, { code: 'resource_not_found', param: 'bucket_name' });
    expect(response.body.error?.message).to.contain('s3');
  });

  it('returns the same response for an unknown ID, an ID of another project and a malformed ID (T7)', async () => {
    const theirs = await askApi(baseUrl, {
      method: 'POST',
      path: '/v1/zips',
      token: other.token,
      body: JSON.stringify({ ...valid(), bucket_name: other.bucketName }),
    });
    expect(theirs.status, theirs.text).to.equal(201);
    const responses = await Promise.all(
      [UNKNOWN_UUID, theirs.body.data?.uuid ?? '', 'x%2e%2e'].map((uuid) => get(uuid)),
    );
    for (const response of responses)
      expectError(response, 404, { type: 'invalid_request_error', code: 'resource_not_found', param: null });
    expect(responses[1]?.body.error?.message.replace(theirs.body.data?.uuid ?? '', 'ID')).to.equal(
      responses[0]?.body.error?.message.replace(UNKNOWN_UUID, 'ID'),
    );
  });

  for (const field of ['bucket_name', 'key', 'urls'])
    it(`refuses a body without ${field}`, async () => {
      const { [field]: _left, ...body } = valid();
      expectError(await post(body), 422, {
        type: 'invalid_request_error',
        code: 'parameter_missing',
        param: field,
        message: `Missing required parameter: ${field}`,
      });
    });

  it('reports the first of several missing fields before it looks up the bucket', async () => {
    expectError(await post({}), 422, { code: 'parameter_missing', param: 'bucket_name' });
    expectError(await post({ bucket_name: 'nowhere' }), 422, { code: 'parameter_missing', param: 'key' });
    expectError(await post({ bucket_name: 'nowhere', key: 'k' }), 422, {
      code: 'parameter_missing',
      param: 'urls',
    });
  });

  const invalid: readonly [string, string, Record<string, unknown>][] = [
    ['urls that are not an array', 'urls', { urls: {} }],
    ['empty urls', 'urls', { urls: [] }],
    ['urls that are null', 'urls', { urls: null }],
    ['an entry without a filename', 'urls', { urls: [{ url: 'https://example.com/' }] }],
    ['an entry whose url is not a string', 'urls', { urls: [{ url: 1, filename: 'a' }] }],
    ['a url of an invalid format', 'urls', { urls: [{ url: 'not a url', filename: 'a' }] }],
    ['a url of another scheme', 'urls', { urls: [{ url: 'file:///etc/passwd', filename: 'a' }] }],
    ['a url to a private address (S50)', 'urls', { urls: [{ url: 'http://10.0.0.1/', filename: 'a' }] }],
    ['an unsafe filename (Z12)', 'urls', { urls: [{ url: 'https://example.com/', filename: '../a' }] }],
    ['a bucket_name that is not a string', 'bucket_name', { bucket_name: 7 }],
    ['a key that is not a string', 'key', { key: ['a'] }],
    ['an empty key', 'key', { key: '' }],
    ['a key with a dot segment (T23)', 'key', { key: 'a/../b' }],
    ['an unknown service', 'service', { service: 'gcs' }],
    ['metadata that is not an object', 'metadata', { metadata: [1] }],
    ['metadata that is null', 'metadata', { metadata: null }],
  ];
  for (const [name, param, change] of invalid)
    it(name, async () => {
      expectError(await post({ ...valid(), ...change }), 422, {
        type: 'invalid_request_error',
        code: 'parameter_invalid',
        param,
      });
    });

  it('refuses a body that is not JSON, another media type and an encoded body (T16)', async () => {
    function send(headers: Record<string, string>, body: string): Promise<ApiResponse> {
      return ask({ method: 'POST', path: '/v1/zips', headers, body });
    }
    expectError(await send({}, '{"urls": '), 400, { type: 'invalid_request_error', param: null });
    expectError(await send({ 'content-type': 'text/plain' }, '{}'), 415, { type: 'invalid_request_error' });
    expectError(await send({ 'content-encoding': 'gzip' }, '{}'), 415, { type: 'invalid_request_error' });
  });

  it('returns errors of the same form for other methods and paths (T25)', async () => {
    expectError(await ask({ path: '/v1/nothing' }), 404, { type: 'invalid_request_error' });
    expectError(await ask({ method: 'DELETE', path: '/v1/zips' }), 405, { type: 'invalid_request_error' });
  });
});
