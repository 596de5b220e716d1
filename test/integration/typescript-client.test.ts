/** The TypeScript client against the API of the local cluster, with a webhook that the controller delivers. */
import { expect } from 'chai';
import { type Client, createClient } from '#clients/typescript/src/client.ts';
import { ApiError, ConnectionError } from '#clients/typescript/src/errors.ts';
import { verifyWebhook, WebhookVerificationError } from '#clients/typescript/src/webhook.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const NO_SUCH_JOB = '00000000-0000-4000-8000-000000000000';

describe('the TypeScript client with the API', function () {
  this.timeout(240_000);
  let flow: Flow;
  let client: Client;
  function clientWith(token: string) {
    return createClient({ baseUrl: `${flow.baseUrl}/api`, token });
  }
  function requestOf(key: string, path: string) {
    return {
      urls: [{ url: flow.origin.url(path), filename: 'a.txt' }],
      bucket_name: flow.project.bucketName,
      key,
      metadata: { order: key },
    };
  }
  async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
    const error: unknown = await promise.catch((reason: unknown) => reason);
    if (error instanceof ApiError) return error;
    throw new Error('expected an ApiError', { cause: error });
  }

  before(async () => {
    flow = await startFlow('typescript-client');
    client = clientWith(flow.project.token);
  });
  after(() => flow[Symbol.asyncDispose]());

  it('creates a job, waits for its archive and verifies its webhook', async () => {
    const created = await client.create(requestOf('one.zip', '/gen/1000/7'));
    expect(created).to.deep.equal({ uuid: created.uuid, status: 'none', metadata: { order: 'one.zip' } });
    const zip = await client.wait(created.uuid, { expand: ['archive', 'error', 'job'] });
    expect(zip).to.include({ uuid: created.uuid, status: 'succeeded', error: null });
    const { length } = await flow.project.bucket.bytes('one.zip');
    expect(zip.archive).to.include({ files: 1, size: length });
    expect(await client.get(created.uuid)).to.deep.equal({ ...created, status: 'succeeded' });

    const delivery = await flow.receiver.next(({ body }) => body.includes(created.uuid), 100_000);
    const received = { body: delivery.body, headers: delivery.headers, secret: flow.project.webhookSecret };
    const { id, event } = verifyWebhook(received);
    expect(id).to.equal(delivery.headers['webhook-id']);
    if (event.type !== 'COMPLETED') throw new Error(`unexpected event ${event.type}`);
    expect(event).to.include({ zip_id: created.uuid, status: 'succeeded', key: 'one.zip' });
    expect(event.metadata).to.deep.equal({ order: 'one.zip' });
    expect(() => verifyWebhook({ ...received, body: `${delivery.body} ` })).to.throw(
      WebhookVerificationError,
    );
  });

  it('creates one job when the response of the first attempt is lost', async () => {
    let attempts = 0;
    const lossy = createClient({
      baseUrl: flow.baseUrl,
      token: flow.project.token,
      fetch: async (...args) => {
        const response = await fetch(...args);
        attempts += 1;
        if (attempts > 1) return response;
        await response.body?.cancel();
        throw new TypeError('fetch failed');
      },
    });
    const { uuid } = await lossy.create(requestOf('lossy.zip', '/gen/1000/7'));
    expect(attempts).to.equal(2);
    expect((await lossy.wait(uuid)).status).to.equal('succeeded');
    const { items } = JSON.parse(await flow.kubectl('get', 'zipjobs', '-o', 'json')) as {
      items: { spec: { key: string } }[];
    };
    expect(items.filter(({ spec }) => spec.key === 'lossy.zip')).to.have.lengthOf(1);
  });

  it('reports the fields that the API does not know, and returns no new field by default (Q-A1)', async () => {
    const reported: string[] = [];
    const curious = createClient({
      baseUrl: flow.baseUrl,
      token: flow.project.token,
      onIgnoredFields: (names) => reported.push(...names),
    });
    const { urls, ...request } = requestOf('ignored.zip', '/gen/1000/7');
    const body = {
      ...request,
      duplicate_names: 'rename',
      comment: 1,
      urls: urls.map((file) => ({ ...file, note: 1 })),
    } as const;
    expect(Object.keys(await curious.create(body))).to.deep.equal(['uuid', 'status', 'metadata']);
    expect(reported).to.deep.equal(['comment', 'urls[].note']);
  });

  it('returns a failed job with the reason', async () => {
    const { uuid } = await client.create(requestOf('missing.zip', '/status/404'));
    const zip = await client.wait(uuid, { expand: ['error'] });
    expect(zip.status).to.equal('failed');
    expect(zip.error).to.include({ code: 'SourceNotFound', file_index: 0, http_status: 404 });
  });

  it('throws the error of the API with every field', async () => {
    const unknown = await errorOf(clientWith('nonsense').get(NO_SUCH_JOB));
    expect(unknown).to.include({ status: 401, type: 'authentication_error', code: 'invalid_api_key' });
    const missing = await errorOf(client.wait(NO_SUCH_JOB));
    expect(missing).to.include({ status: 404, code: 'resource_not_found', param: null });
    const noBucket = await errorOf(client.create({ ...requestOf('a.zip', '/'), bucket_name: 'other' }));
    expect(noBucket).to.include({ status: 404, code: 'resource_not_found', param: 'bucket_name' });
    const invalid = await errorOf(client.create({ ...requestOf('a.zip', '/'), urls: [] }));
    expect(invalid).to.include({
      status: 422,
      type: 'invalid_request_error',
      code: 'parameter_invalid',
      param: 'urls',
      message: 'urls must contain at least one entry.',
    });
    const urls = [{ url: 'https://files.example.com/a', filename: '../a' }];
    const faulty = await errorOf(client.create({ ...requestOf('a.zip', '/'), urls }, { expand: ['error'] }));
    expect(faulty.details.files_total).to.equal(1);
    expect(faulty.details.files?.[0]).to.include({ file_index: 0, param: 'filename' });
    expect(invalid.requestId).to.match(/^[0-9a-f-]{36}$/);
    const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1', token: 't', attempts: 1 });
    const lost: unknown = await unreachable.get(NO_SUCH_JOB).catch((reason: unknown) => reason);
    expect(lost).to.be.instanceOf(ConnectionError);
  });
});
