import { expect } from 'chai';
import { createClient } from '#clients/typescript/src/client.ts';
import { ApiError, ConnectionError } from '#clients/typescript/src/errors.ts';
import { systemTiming } from '#clients/typescript/src/timing.ts';
import { until } from '#test/support/until.ts';
import { refusal, startScriptedServer, UUID, zip } from './scripted-server.ts';

const REQUEST = { urls: [{ url: 'https://a.example/a', filename: 'a' }], bucket_name: 'b', key: 'k.zip' };
const BUSY = refusal(503, 'service_unavailable');

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

describe('the TypeScript client', () => {
  it('creates a job, and keeps fields that it does not know', async () => {
    await using server = await startScriptedServer([zip('none', { later: 1 })]);
    const headers = { traceparent: '00-1', authorization: 'other' };
    const created = await server.client().create(REQUEST, { headers, expand: ['job', 'bucket'] });
    expect(created).to.deep.equal({ uuid: UUID, status: 'none', metadata: {}, later: 1 });
    const [request] = server.requests;
    expect(request?.line).to.equal('POST /v1/zips?expand=job,bucket');
    expect(JSON.parse(request?.body ?? '')).to.deep.equal(REQUEST);
    expect(request?.headers).to.include({
      authorization: 'Bearer TOKEN',
      'content-type': 'application/json',
      traceparent: '00-1',
    });
  });

  it('reports the fields that the service ignored, once for each create (Q-A1)', async () => {
    const ignored = String.raw`"comment", "urls[].a\"b\\c", "", "x, y"`;
    const headers = { 'ignored-fields': ignored };
    await using server = await startScriptedServer([BUSY, zip('none', {}, headers), zip('none')]);
    const reported: (readonly string[])[] = [];
    const client = server.client({ onIgnoredFields: (names, { uuid }) => reported.push([uuid, ...names]) });
    await client.create(REQUEST);
    await client.create(REQUEST);
    expect(reported).to.deep.equal([[UUID, 'comment', 'urls[].a"b\\c', '', 'x, y']]);
  });

  it('reads a job below the path of the base URL, and encodes its id', async () => {
    await using server = await startScriptedServer([zip('processing')]);
    for (const baseUrl of [`${server.url}/archives/api`, `${server.url}/archives/api/`])
      expect((await server.client({ baseUrl }).get('a/b')).status).to.equal('processing');
    const line = 'GET /archives/api/v1/zips/a%2Fb';
    expect(server.requests.map((request) => request.line)).to.deep.equal([line, line]);
  });

  it('repeats a create with the same key and body after a busy or lost response', async () => {
    await using server = await startScriptedServer(['reset', BUSY, refusal(429, 'rate'), zip('none')]);
    await server.client().create(REQUEST);
    const sent = server.requests.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`);
    expect(sent).to.have.lengthOf(4);
    expect(new Set(sent)).to.have.lengthOf(1);
    expect(sent[0]).to.match(/^[0-9a-f]{8}-[0-9a-f-]{27} \{/);
    expect(server.delays).to.deep.equal([375, 750, 1_500]);
  });

  it('uses a new Idempotency-Key for each create, or that of the caller', async () => {
    await using server = await startScriptedServer([zip('none')]);
    const client = server.client();
    await client.create(REQUEST);
    await client.create(REQUEST);
    await client.create(REQUEST, { idempotencyKey: 'order-1', headers: { 'Idempotency-Key': 'other' } });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys)).to.have.lengthOf(3);
    expect(keys[2]).to.equal('order-1');
  });

  it('waits as long as Retry-After demands, in seconds or until a date', async () => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    const responses = [7, date].map((value) => refusal(429, 'rate', { 'retry-after': value }));
    await using server = await startScriptedServer([BUSY, ...responses, zip('none')]);
    await server.client().create(REQUEST);
    expect(server.delays.slice(0, 2)).to.deep.equal([375, 7_250]);
    expect(server.delays[2]).to.be.within(15_000, 20_250);
  });

  it('waits for a growing time if Retry-After demands no time in the future', async () => {
    const values = ['0', '-1', '1.5', '2, 2', new Date(0).toUTCString(), 'soon'];
    const responses = values.map((value) => refusal(503, 'busy', { 'retry-after': value }));
    await using server = await startScriptedServer([BUSY, ...responses, zip('none')]);
    await server.client({ attempts: 9 }).create(REQUEST);
    expect(server.delays).to.deep.equal([375, 750, 1_500, 3_000, 6_000, 7_500, 7_500]);
  });

  it('accepts time limits that are not whole milliseconds', async () => {
    await using server = await startScriptedServer([zip('none')]);
    const client = server.client({ attemptTimeoutMs: 10_000.5 });
    expect((await client.get(UUID)).status).to.equal('none');
  });

  it('fails with the last response when attempts or time are used up', async () => {
    await using server = await startScriptedServer([refusal(429, 'full', { 'retry-after': '50' })]);
    const late = await failureOf(server.client().get(UUID));
    expect(late).to.be.instanceOf(ApiError).and.to.include({ status: 429, code: 'full', isRetriable: true });
    expect(server.requests).to.have.lengthOf(2);
    const tired = await failureOf(server.client({ attempts: 4, timeoutMs: 1e9 }).get(UUID));
    expect(tired).to.be.instanceOf(ApiError);
    expect(server.requests).to.have.lengthOf(6);
  });

  it('does not repeat what a retry cannot solve, and reports every field of the error', async () => {
    const error = {
      type: 'invalid_request_error',
      code: 'parameter_invalid',
      message: 'Wrong.',
      param: 'urls',
    };
    const files = [{ file_index: 1, param: 'url', code: 'parameter_invalid', message: 'Wrong.', later: 1 }];
    const details = { ...error, files, files_total: 1 };
    const headers = { 'x-request-id': 'id-1' };
    await using server = await startScriptedServer([
      { status: 422, body: JSON.stringify({ error: details }), headers },
    ]);
    const failure = await failureOf(server.client().create(REQUEST));
    expect(failure).to.be.instanceOf(ApiError);
    expect(failure).to.have.deep.property('details', details);
    expect(failure).to.include({
      ...error,
      name: 'ApiError',
      status: 422,
      requestId: 'id-1',
      isRetriable: false,
    });
    expect(server.requests).to.have.lengthOf(1);
  });

  it('reports responses that are not from the API by their status', async () => {
    for (const body of [
      '<h1>Forbidden</h1>',
      '',
      'null',
      '7',
      '{"error":null}',
      '{"data":{}}',
      '{"data":"a"}',
    ])
      for (const status of [200, 308, 403]) {
        await using server = await startScriptedServer([{ status, body, headers: { location: '/' } }]);
        const failure = await failureOf(server.client().get(UUID));
        expect(failure, body).to.be.instanceOf(ApiError);
        expect(failure).to.include({ status, type: undefined, code: undefined, param: null });
        expect(String(failure)).to.equal(`ApiError: The service responded with status ${status}.`);
      }
  });

  it('has no details of an error that a proxy sent in a form of its own (UI44)', async () => {
    for (const error of [
      'no route',
      ['no route'],
      404,
      { code: 404, message: 'no route' },
      { message: {} },
    ]) {
      await using server = await startScriptedServer([{ status: 404, body: JSON.stringify({ error }) }]);
      const failure = await failureOf(server.client().get(UUID));
      expect(failure).to.be.instanceOf(ApiError).and.to.have.deep.property('details', {});
      expect(failure).to.include({ status: 404, type: undefined, code: undefined, param: null });
      expect(String(failure)).to.equal('ApiError: The service responded with status 404.');
    }
  });

  it('reports a lost connection and an attempt without a response', async () => {
    for (const [response, cause] of [
      ['reset', 'TypeError'],
      ['stall', 'TimeoutError'],
    ] as const) {
      await using server = await startScriptedServer([response]);
      const failure = await failureOf(server.client({ attempts: 2, attemptTimeoutMs: 100 }).get(UUID));
      expect(failure).to.be.instanceOf(ConnectionError);
      expect(failure).to.have.nested.property('cause.name', cause);
      expect(String(failure)).to.equal(`ConnectionError: No response from ${new URL(server.url).host}.`);
      expect(server.requests).to.have.lengthOf(2);
    }
  });

  it('ends with the reason of the signal, before, during and between requests', async () => {
    const reason = new Error('enough');
    await using server = await startScriptedServer(['stall']);
    expect(await failureOf(server.client().get(UUID, { signal: AbortSignal.abort(reason) }))).to.equal(
      reason,
    );
    expect(server.requests).to.have.lengthOf(0);
    const during = new AbortController();
    const stalled = failureOf(server.client().create(REQUEST, { signal: during.signal }));
    await until('the request', () => server.requests.length === 1);
    during.abort(reason);
    expect(await stalled).to.equal(reason);
    await using busy = await startScriptedServer([refusal(503, 'busy', { 'retry-after': '3000' })]);
    const between = new AbortController();
    const options = { timing: systemTiming, timeoutMs: 1e9 };
    const sleeping = failureOf(busy.client(options).get(UUID, { signal: between.signal }));
    await until('the response', () => busy.requests.length === 1);
    between.abort(reason);
    expect(await sleeping).to.equal(reason);
  });

  it('refuses options that cannot work, without the token in the message', () => {
    const valid = { baseUrl: 'https://zips.example.com', token: 'TOKEN' };
    expect(() => createClient({ ...valid, baseUrl: 'zips' })).to.throw(TypeError, /url/i);
    for (const part of [
      'ftp://a.example',
      'https://u:SECRET@a.example',
      'https://a.example/?a',
      'https://a.example/#a',
    ])
      expect(() => createClient({ ...valid, baseUrl: part })).to.throw(
        TypeError,
        /^baseUrl must be [a-zURL, ]+\.$/,
      );
    for (const token of ['', 'a b', 'SECRET\n'])
      expect(() => createClient({ ...valid, token })).to.throw(TypeError, /^token must be [a-zA-Z ]+\.$/);
    for (const limit of ['attempts', 'attemptTimeoutMs', 'timeoutMs'] as const)
      for (const value of [0, -1, Number.NaN, 2 ** 31])
        expect(() => createClient({ ...valid, [limit]: value })).to.throw(RangeError, `${limit} must be`);
  });
});
