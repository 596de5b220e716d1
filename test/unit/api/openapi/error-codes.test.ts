import { expect } from 'chai';
import { ERROR_CODES, type ErrorCode } from '#api/errors/error-codes.ts';
import type { OpenApiDocument, Operation } from '#api/openapi/document-types.ts';
import { generateToken } from '#crds/api-token.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { refusedByWebhook, unreachable } from '#test/support/builders/fake-objects.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, type ApiServer, aToken, startApiServer } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

interface Seen {
  readonly status: number;
  readonly body: unknown;
}

function ofRaw(text: string): Seen {
  return {
    status: Number(text.split(' ')[1]),
    body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as unknown,
  };
}

function post(api: ApiServer, headers: Record<string, string>, body = JSON.stringify(A_REQUEST)) {
  return api.post(body, { headers });
}

/** A request that causes each code. */
const PROVOKE: Readonly<Record<ErrorCode, (api: ApiServer) => Promise<Seen>>> = {
  malformed_request: async (api) => ofRaw(await rawHttp(api.port, ['nonsense\r\n\r\n'])),
  https_required: (api) => post(api, { 'x-forwarded-proto': 'http' }),
  invalid_json: (api) => post(api, {}, '{"urls": ,}'),
  invalid_idempotency_key: (api) => post(api, { 'idempotency-key': '' }),
  authentication_required: (api) => askApi(api.url, { path: '/v1/zips/x' }),
  invalid_api_key: (api) => api.ask({ path: '/v1/zips/x', token: 'nonsense' }),
  insufficient_permissions: (api) => {
    const token = generateToken();
    api.tokens.put(aToken('team-a', token, { name: 'reader', permissions: ['read'] }));
    return api.post(A_REQUEST, { token });
  },
  resource_not_found: (api) => api.post({ ...A_REQUEST, bucket_name: 'archives' }),
  method_not_allowed: (api) => api.ask({ path: '/v1/zips' }),
  request_timeout: async (api) => ofRaw(await rawHttp(api.port, ['GET / HTTP/1.1\r\n'])),
  body_too_large: (api) => api.post('x'.repeat(70_000)),
  too_many_values: (api) => api.post({ ...A_REQUEST, unknown: Array<number>(10_000).fill(1) }),
  unsupported_media_type: (api) => post(api, { 'content-type': 'text/plain' }),
  parameter_missing: (api) => api.post({}),
  parameter_invalid: (api) => api.post({ ...A_REQUEST, urls: [] }),
  idempotency_key_reused: async (api) => {
    await post(api, { 'idempotency-key': 'k' });
    return api.post({ ...A_REQUEST, key: 'other' }, { headers: { 'idempotency-key': 'k' } });
  },
  rate_limit_exceeded: async () => {
    await using limited = await startApiServer({ rateLimits: { requestsPerMinutePerToken: 1 } });
    await limited.post(A_REQUEST);
    return await limited.post(A_REQUEST);
  },
  concurrency_limit_exceeded: async () => {
    await using busy = await startApiServer({ inFlight: { maxCreates: 2 } });
    const slow = Promise.withResolvers<void>();
    busy.jobs.holdUntil(slow.promise);
    const held = busy.post(A_REQUEST);
    await until('a create to wait', () => busy.jobs.calls.length === 1);
    const refused = await busy.post(A_REQUEST);
    slow.resolve();
    await held;
    return refused;
  },
  file_lists_full: async () => {
    await using full = await startApiServer({ maxFileListBytes: 20 });
    return await full.post(A_REQUEST);
  },
  stored_jobs_full: async () => {
    await using full = await startApiServer({ projectClasses: { default: { storedJobs: 1 } } });
    await full.post(A_REQUEST);
    return await full.post(A_REQUEST);
  },
  stored_bytes_full: async () => {
    await using full = await startApiServer({ projectClasses: { default: { storedBytes: 20 } } });
    return await full.post(A_REQUEST);
  },
  quota_exceeded: async (api) => {
    api.jobs.fail(
      new KubeError('exceeded quota', { attempt: 'POST /', httpStatus: 403, code: 'QuotaExceeded' }),
    );
    return api.post(A_REQUEST);
  },
  refused_by_policy: async (api) => {
    api.jobs.fail(refusedByWebhook());
    return api.post(A_REQUEST);
  },
  headers_too_large: async (api) =>
    ofRaw(await rawHttp(api.port, [`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`])),
  internal_error: async (api) => {
    api.jobs.fail(new TypeError('inner'));
    return api.post(A_REQUEST);
  },
  service_unavailable: async (api) => {
    api.jobs.fail(unreachable());
    return api.post(A_REQUEST);
  },
};

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Durations, sizes and names differ between responses. */
function withoutFigures(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\b\d+\b/g, '0'));
}

describe('ERROR_CODES', () => {
  let api: ApiServer;
  let operations: readonly Operation[];
  beforeEach(async () => {
    api = await startApiServer({
      maxBodyBytes: 64 * 1_024,
      trustedProxies: ['127.0.0.0/8'],
      http: { headersTimeoutMs: 200, timeoutCheckMs: 50 },
    });
    const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApiDocument;
    operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  });
  afterEach(() => api[Symbol.asyncDispose]());

  function examplesOf(code: ErrorCode): unknown[] {
    return operations.flatMap(({ responses }) => {
      const examples = responses[ERROR_CODES[code].status]?.content?.['application/json'].examples ?? {};
      return examples[code] === undefined ? [] : [examples[code].value];
    });
  }

  for (const code of CODES)
    it(`documents ${code} as the API returns it`, async () => {
      const { status, body } = await PROVOKE[code](api);
      const { type, on } = ERROR_CODES[code];
      expect(status).to.equal(ERROR_CODES[code].status);
      expect(body).to.have.nested.include({ 'error.code': code, 'error.type': type });
      const examples = examplesOf(code);
      expect(examples).to.have.lengthOf(on.filter((one) => one !== 'other').length);
      for (const example of examples) expect(withoutFigures(example)).to.deep.equal(withoutFigures(body));
    });
});
