import { connect } from 'node:net';
import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import {
  A_REQUEST,
  type ApiServer,
  aBucket,
  aProject,
  aToken,
  startApiServer,
} from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

function addOtherProject(api: ApiServer): string {
  const token = generateToken();
  api.projects.put(aProject('team-b'));
  api.buckets.put(aBucket('team-b', 's3', A_REQUEST.bucket_name));
  api.tokens.put(aToken('team-b', token));
  return token;
}

function headOf(api: ApiServer): string {
  return (
    `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\n` +
    'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  );
}

function chunkOf(bytes: number): string {
  return `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
}

function openSockets(api: ApiServer, count: number, text: string): Disposable {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(api.port, '127.0.0.1', () => socket.write(text));
    return socket.on('error', () => undefined).resume();
  });
  return {
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function untilInFlight(api: ApiServer, count: number): Promise<unknown> {
  return until(`${count} requests in flight`, async () =>
    (await api.registry.metrics()).includes(`zip_api_requests_in_flight ${count}\n`),
  );
}

describe('limits of requests in flight', () => {
  it('return 429 with Retry-After to a project that uses its share, and accept requests afterwards (N7)', async () => {
    await using api = await startApiServer({ inFlight: { maxCreates: 4 } });
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const first = [api.post(A_REQUEST), api.post(A_REQUEST)];
    await until('two creates to wait', () => api.jobs.calls.length === 2);
    const refused = await Promise.all(Array.from({ length: 20 }, () => api.post(A_REQUEST)));
    for (const response of refused) {
      expect(response.status).to.equal(429);
      expect(response.body.error).to.include({
        type: 'rate_limit_error',
        code: 'concurrency_limit_exceeded',
        param: null,
      });
      expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
    }
    expect(api.jobs.calls).to.have.length(2);
    expect(await api.registry.metrics()).to.include('zip_api_overloads_total{limit="creates"} 20');
    slow.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).to.deep.equal([201, 201]);
    expect((await api.post(A_REQUEST)).status).to.equal(201);
  });

  it('leave room for other projects if one project uses its share', async () => {
    await using api = await startApiServer({ inFlight: { maxCreates: 4 } });
    const other = addOtherProject(api);
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const held = [api.post(A_REQUEST), api.post(A_REQUEST)];
    await until('two creates to wait', () => api.jobs.calls.length === 2);
    expect((await api.post(A_REQUEST)).status).to.equal(429);
    const theirs = api.post(A_REQUEST, { token: other });
    await until('the create of the other project', () => api.jobs.calls.length === 3);
    slow.resolve();
    for (const response of await Promise.all([...held, theirs])) expect(response.status).to.equal(201);
  });

  it('handle requests of projects round-robin, at most a quarter of them of one project (N7)', async () => {
    await using api = await startApiServer({ inFlight: { maxActive: 2 } });
    const other = addOtherProject(api);
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const held = Array.from({ length: 5 }, () => api.post(A_REQUEST));
    await untilInFlight(api, 5);
    expect(api.jobs.calls).to.have.length(1);
    const theirs = api.post(A_REQUEST, { token: other });
    await until('the create of the other project', () => api.jobs.calls.length === 2);
    slow.resolve();
    for (const response of await Promise.all([...held, theirs])) expect(response.status).to.equal(201);
  });

  it('delay the requests of a project that sends too fast, and no others (N7)', async () => {
    const clock = createManualClock();
    const rateLimits = { requestsPerMinutePerToken: 60, undelayedRequestsPerSecond: 1 };
    await using api = await startApiServer({ clock, rateLimits });
    const other = addOtherProject(api);
    for (let n = 0; n < 2; n += 1) expect((await api.post(A_REQUEST)).status).to.equal(201);
    const third = api.post(A_REQUEST);
    await untilInFlight(api, 1);
    await until('the request to wait', () => clock.pending === 1);
    expect((await api.post(A_REQUEST, { token: other })).status).to.equal(201);
    expect(api.jobs.calls).to.have.length(3);
    await clock.advance(1_000);
    expect((await third).status).to.equal(201);
    expect(await api.registry.metrics()).to.contain('zip_api_delayed_requests_total{limit="second"} 1\n');
    expect(api.logLines.some((line) => line.includes('"delayedMs":1000'))).to.equal(true);
  });

  it('refuse requests of a project that would wait too long (N7)', async () => {
    const clock = createManualClock();
    const rateLimits = { requestsPerMinutePerToken: 60, undelayedRequestsPerSecond: 1 };
    await using api = await startApiServer({ clock, rateLimits });
    const accepted = Array.from({ length: 4 }, () => api.post(A_REQUEST));
    await until('two requests to wait', () => clock.pending === 2);
    const third = api.post(A_REQUEST);
    await until('the refused request to wait', () => clock.pending === 3);
    await clock.advance(2_000);
    const refused = await third;
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('3');
    expect(refused.body.error).to.include({
      code: 'rate_limit_exceeded',
      message: 'Too many requests per second. Send the request again in 3 s.',
    });
    expect(await api.registry.metrics()).to.contain('zip_api_rate_limited_total{limit="second"} 1\n');
    for (const response of await Promise.all(accepted)) expect(response.status).to.equal(201);
  });

  it('read the bodies of a project that sends too many bytes at its rate, and those of others at once (N7)', async () => {
    const clock = createManualClock();
    const rateLimits = { undelayedBodyBytesPerSecond: 10_000 };
    await using api = await startApiServer({ clock, rateLimits });
    const other = addOtherProject(api);
    const large = { ...A_REQUEST, metadata: { a: 'x'.repeat(14_000) } };
    expect((await api.post(large)).status).to.equal(201);
    const second = api.post(large);
    await until('reading to wait', () => clock.pending === 1);
    expect((await api.post(large, { token: other })).status).to.equal(201);
    expect(api.jobs.calls).to.have.length(2);
    await clock.advance(2_000);
    expect((await second).status).to.equal(201);
    expect(await api.registry.metrics()).to.match(/zip_api_body_delay_seconds_total 0\.[89]/);
  });

  it('return 503 to a project whose first request does not fit beside those of others (N7)', async () => {
    await using api = await startApiServer({ inFlight: { maxCreates: 2 } });
    const other = addOtherProject(api);
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const held = api.post(A_REQUEST);
    await until('a create to wait', () => api.jobs.calls.length === 1);
    const refused = await api.post(A_REQUEST, { token: other });
    expect(refused.status).to.equal(503);
    expect(refused.body.error).to.include({ type: 'api_error', code: 'service_unavailable' });
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    slow.resolve();
    expect((await held).status).to.equal(201);
  });

  it('count bytes as they arrive, so that a thousand slow senders refuse nobody (N7)', async () => {
    await using api = await startApiServer({
      inFlight: { maxBodyBytes: 48 * 1024 * 1024, maxRequests: 2_048 },
    });
    const other = addOtherProject(api);
    using _slow = openSockets(api, 1_000, `${headOf(api)}${chunkOf(1)}`);
    await untilInFlight(api, 1_000);
    for (const token of [other, api.token])
      expect((await api.post(A_REQUEST, { token })).status).to.equal(201);
  });

  it('refuse bytes beyond the share of a project while they arrive, and return them afterwards (N7)', async () => {
    await using api = await startApiServer({ maxBodyBytes: 30_000, inFlight: { maxBodyBytes: 40_000 } });
    const other = addOtherProject(api);
    const large = { ...A_REQUEST, metadata: { a: 'x'.repeat(9_000) } };
    {
      using _held = openSockets(api, 1, `${headOf(api)}${chunkOf(15_000)}`);
      await untilInFlight(api, 1);
      await until('the bytes to arrive', async () => (await api.post(large)).status === 429);
      expect((await api.post(large, { token: other })).status).to.equal(201);
      expect((await api.post(A_REQUEST)).status).to.equal(201);
    }
    await untilInFlight(api, 0);
    expect((await api.post(large)).status).to.equal(201);
  });

  it('count the declared length of a body only for a while (N7)', async () => {
    await using api = await startApiServer({ inFlight: { maxBodyBytes: 40_000 }, bodyArrivalMs: 300 });
    const declared = headOf(api).replace('Transfer-Encoding: chunked', 'Content-Length: 15000');
    const large = { ...A_REQUEST, metadata: { a: 'x'.repeat(9_000) } };
    using _held = openSockets(api, 1, declared);
    await untilInFlight(api, 1);
    expect((await api.post(large)).status).to.equal(429);
    expect((await api.post(A_REQUEST)).status).to.equal(201);
    await until('the declared length to be released', async () => (await api.post(large)).status === 201);
  });

  it('let one project hold at most half of the concurrent requests (N7)', async () => {
    await using api = await startApiServer({ inFlight: { maxRequests: 40 } });
    const other = addOtherProject(api);
    using _held = openSockets(api, 20, headOf(api));
    await untilInFlight(api, 20);
    expect((await api.post(A_REQUEST)).status).to.equal(429);
    expect((await api.ask({ path: '/v1/zips/x' })).status).to.equal(429);
    expect((await api.post(A_REQUEST, { token: other })).status).to.equal(201);
    expect(await api.registry.metrics()).to.include('zip_api_overloads_total{limit="requests"} 2');
  });
});
