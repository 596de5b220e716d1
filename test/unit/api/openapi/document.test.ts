import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { request } from 'undici';
import type { OpenApiDocument, Operation } from '#api/openapi/document-types.ts';
import { EXPANSIONS } from '#api/read/read-expand.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import { MOST_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import { aSourceCheck } from '#test/support/builders/zip-job-statuses.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { type ApiServer, aBucket, startApiServer } from '#test/support/servers/api-server.ts';

const UNKNOWN = '6f1c1f0e-0000-4000-8000-000000000000';

/** Compiles a schema of the document together with the schemas that it references. */
function validatorOf(document: OpenApiDocument) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { uuid: true, 'date-time': true, int64: true },
  });
  ajv.addSchema({ $id: 'openapi', ...document });
  return (schema: Readonly<Record<string, unknown>>) => {
    const absolute = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components');
    return ajv.compile(JSON.parse(absolute) as object);
  };
}

function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((item) =>
    Object.values(item),
  );
}

describe('GET /openapi.json', () => {
  let api: ApiServer;
  let document: OpenApiDocument;
  // fetch sends Cache-Control: no-cache with an If-None-Match, so this uses undici's request.
  function ask(headers: Record<string, string> = {}) {
    return request(`${api.url}/openapi.json`, { headers });
  }

  before(async () => {
    api = await startApiServer({
      maxFiles: 7,
      maxUrlLength: 300,
      rateLimits: { requestsPerMinutePerToken: 9e4 },
    });
    api.buckets.put(aBucket('team-a', 's3', 'reports'));
    document = (await (await ask()).body.json()) as OpenApiDocument;
  });
  after(() => api[Symbol.asyncDispose]());

  it('needs no token and returns 304 for its current ETag', async () => {
    const first = await ask();
    expect(first.statusCode).to.equal(200);
    expect(first.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
    await first.body.dump();
    const etag = String(first.headers['etag']);
    const second = await ask({ 'if-none-match': etag });
    expect(second.statusCode).to.equal(304);
    expect(second.headers).to.include({ etag });
    expect(await second.body.text()).to.equal('');
    const third = await ask({ 'if-none-match': '"other"' });
    expect(third.statusCode).to.equal(200);
    await third.body.dump();
  });

  it('contains the active limits', () => {
    expect(document.components.schemas['ZipRequest']).to.have.nested.property('properties.urls.maxItems', 7);
    expect(document.components.schemas['FileEntry'])
      .to.have.nested.property('properties.url.description')
      .that.includes('300');
    expect(document.components.schemas['FileEntry']).to.have.nested.property(
      'properties.size.maximum',
      MOST_ARCHIVE_BYTES,
    );
  });

  it('lists both operations under both base paths, and the API serves them there', async () => {
    expect(document.servers.map(({ url }) => url)).to.deep.equal(['/api', '/']);
    expect(Object.entries(document.paths).map(([path, item]) => [path, ...Object.keys(item)])).to.deep.equal([
      ['/v1/zips', 'post'],
      ['/v1/zips/{id}', 'get'],
    ]);
    for (const { url } of document.servers)
      for (const [path, item] of Object.entries(document.paths)) {
        const called = `${url.replace(/\/$/, '')}${path.replace('{id}', UNKNOWN)}`;
        const method = (Object.keys(item)[0] ?? '').toUpperCase();
        expect((await askApi(api.url, { path: called, method })).status, called).to.equal(401);
      }
  });

  it('contains examples that match its schemas', () => {
    const validate = validatorOf(document);
    let seen = 0;
    for (const operation of operationsOf(document))
      for (const { content } of [operation.requestBody, ...Object.values(operation.responses)].filter(
        (part) => part !== undefined,
      )) {
        const { schema, examples = {} } = content?.['application/json'] ?? { schema: {} };
        for (const { value } of Object.values(examples)) {
          const isValid = validate(schema);
          expect(isValid(value), JSON.stringify([value, isValid.errors])).to.equal(true);
          seen += 1;
        }
      }
    expect(seen).to.be.greaterThan(25);
  });

  it('refers to one named schema for every error, body and field with fields, so that generators keep them', () => {
    const { schemas } = document.components;
    const errors = operationsOf(document).flatMap(({ responses }) =>
      Object.entries(responses).filter(([status]) => /^[45]/.test(status) && status !== '410'),
    );
    expect(errors.length).to.be.greaterThan(15);
    for (const [status, { content }] of errors)
      expect(content?.['application/json'].schema, status).to.deep.equal({
        $ref: '#/components/schemas/ErrorResponse',
      });
    expect(schemas['Error']).to.have.deep.property('required', ['type', 'code', 'message', 'param']);
    expect(schemas['WebhookEvent']).to.have.nested.property('discriminator.propertyName', 'type');
    for (const [name, schema] of Object.entries(schemas))
      for (const [field, value] of Object.entries((schema['properties'] ?? {}) as Record<string, object>))
        if (!['urls', 'metadata'].includes(field))
          expect(value, `${name}.${field}`).not.to.have.property('properties');
  });

  it('permits any field in metadata, and 64-bit sizes', () => {
    const { Zip, ZipRequest, ZipCompletedEvent, ZipFailedEvent, Archive } = document.components.schemas;
    for (const schema of [Zip, ZipRequest, ZipCompletedEvent, ZipFailedEvent])
      expect(schema).to.have.nested.property('properties.metadata.additionalProperties', true);
    expect(Archive).to.have.nested.property('properties.size.format', 'int64');
  });

  it('explains every failure code to callers', () => {
    const { FailureCode } = document.components.schemas;
    expect(FailureCode?.['enum']).to.have.members([...FAILURE_FAULTS.keys()]);
    const texts = FailureCode?.['x-enum-descriptions'] as string[];
    expect(texts).to.have.lengthOf(FAILURE_FAULTS.size);
    for (const text of texts)
      expect(text)
        .to.match(/^[A-Z].{20,}\.$/)
        .and.not.to.match(/zipper|\bpod\b|spec\./i);
  });

  it('contains request examples that create jobs, with the real response', async () => {
    function examplesOf(name: string): unknown[] {
      return operationsOf(document)
        .filter(({ operationId }) => operationId === 'createZip')
        .flatMap(({ requestBody, responses }) => (name === 'request' ? requestBody : responses[name]) ?? [])
        .flatMap(({ content }) => Object.values(content?.['application/json'].examples ?? {}))
        .map(({ value }) => value);
    }
    const requests = examplesOf('request') as { metadata?: unknown }[];
    const [created] = examplesOf('201') as { data: { uuid: string } }[];
    expect(requests).to.have.lengthOf(3);
    for (const body of requests) {
      const reply = await api.post(body);
      expect(reply.status, reply.text).to.equal(201);
      const { metadata = {} } = body;
      const uuid = reply.body.data?.uuid;
      expect(reply.body).to.deep.equal({ data: { ...created?.data, uuid, metadata } });
    }
  });

  it('describes exactly the fields that expand adds', async () => {
    const reply = await api.post(
      { urls: [{ url: 'https://files.example.com/a', filename: 'a' }], bucket_name: 'reports', key: 'a.zip' },
      { path: `/v1/zips?expand=${EXPANSIONS.join(',')}` },
    );
    const schema = validatorOf(document)({ $ref: '#/components/schemas/ZipResponse' });
    expect(schema(reply.body), JSON.stringify(schema.errors)).to.equal(true);
    expect(document.components.schemas['Zip'])
      .to.have.property('properties')
      .that.has.all.keys(...Object.keys(reply.body.data ?? {}));
  });

  it('describes the list of invalid entries (C4)', async () => {
    const urls = ['x', null, { url: 'https://a.example.com/', filename: 'a', headers: { host: 'b' } }];
    const body = { urls, bucket_name: 'reports', key: 'a.zip' };
    const reply = await api.post(body, { path: '/v1/zips?expand=error' });
    expect(reply.body.error).to.include({ files_total: 3 });
    const schema = validatorOf(document)({ $ref: '#/components/schemas/ErrorResponse' });
    expect(schema(reply.body), JSON.stringify(schema.errors)).to.equal(true);
    expect(document.components.schemas['Error'])
      .to.have.property('properties')
      .that.has.all.keys(...Object.keys(reply.body.error ?? {}));
  });

  it('describes the files of a failed job (C4)', async () => {
    const urls = [{ url: 'https://files.example.com/a', filename: 'a' }];
    const { body } = await api.post({ urls, bucket_name: 'reports', key: 'failed.zip' });
    const uuid = body.data?.uuid ?? '';
    const job = api.jobs.all().find(({ metadata }) => metadata.name.endsWith(uuid));
    if (job) api.jobs.put({ ...job, status: { phase: 'Failed', sourceCheck: aSourceCheck(137) } });
    const reply = await api.ask({ path: `/v1/zips/${uuid}?expand=error` });
    const schema = validatorOf(document)({ $ref: '#/components/schemas/ZipResponse' });
    expect(schema(reply.body), JSON.stringify(schema.errors)).to.equal(true);
    expect(document.components.schemas['JobError'])
      .to.have.property('properties')
      .that.has.all.keys(...Object.keys((reply.body.data as { error?: object }).error ?? {}));
  });

  it('describes every header of a response', async () => {
    const transport = ['connection', 'keep-alive', 'content-type', 'content-length', 'date', 'cache-control'];
    const { post, get } = { ...document.paths['/v1/zips'], ...document.paths['/v1/zips/{id}'] };
    function named(operation: Operation | undefined, status: number): string[] {
      return Object.keys(operation?.responses[status]?.headers ?? {}).map((name) => name.toLowerCase());
    }
    const body = {
      urls: [{ url: 'https://a.example.com/', filename: 'a' }],
      bucket_name: 'reports',
      key: 'k',
    };
    const headers = { 'idempotency-key': 'headers' };
    await api.post(body, { headers });
    const replies = [
      [post, await api.post(body, { headers })],
      [post, await api.post({})],
      [get, await api.ask({ path: `/v1/zips/${UNKNOWN}` })],
      [get, await askApi(api.url, { path: `/v1/zips/${UNKNOWN}` })],
    ] as const;
    for (const [operation, reply] of replies) {
      const sent = [...reply.headers.keys()].filter((name) => !transport.includes(name));
      expect(named(operation, reply.status)).to.include.members(sent);
    }
  });
});
