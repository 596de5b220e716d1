import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, aBucket, aProject, aToken, startApiServer } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

describe('limits of requests in flight', () => {
  it('return 503 with Retry-After while the API server is slow, and accept requests afterwards', async () => {
    await using api = await startApiServer({ inFlight: { maxCreates: 4 } });
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const first = [api.post(A_REQUEST), api.post(A_REQUEST)];
    await until('two creates to wait', () => api.jobs.calls.length === 2);
    const refused = await Promise.all(Array.from({ length: 20 }, () => api.post(A_REQUEST)));
    for (const response of refused) {
      expect(response.status).to.equal(503);
      expect(response.body.error).to.include({ type: 'api_error', code: 'service_unavailable', param: null });
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
    const other = generateToken();
    api.projects.put(aProject('team-b'));
    api.buckets.put(aBucket('team-b', 's3', A_REQUEST.bucket_name));
    api.tokens.put(aToken('team-b', other));
    const slow = Promise.withResolvers<void>();
    api.jobs.holdUntil(slow.promise);
    const held = [api.post(A_REQUEST), api.post(A_REQUEST)];
    await until('two creates to wait', () => api.jobs.calls.length === 2);
    expect((await api.post(A_REQUEST)).status).to.equal(503);
    const theirs = api.post(A_REQUEST, { token: other });
    await until('the create of the other project', () => api.jobs.calls.length === 3);
    slow.resolve();
    for (const response of await Promise.all([...held, theirs])) expect(response.status).to.equal(201);
  });

  it('count the declared length of a body before it is read', async () => {
    await using api = await startApiServer({ maxBodyBytes: 10_000, inFlight: { maxBodyBytes: 20_000 } });
    const head = (length: string): string =>
      `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\nContent-Type: application/json\r\nConnection: close\r\n${length}\r\n\r\n`;
    const stalled = rawHttp(api.port, [head('Content-Length: 9000'), '{'], 700);
    const inFlight = async (): Promise<boolean> =>
      (await api.registry.metrics()).includes('zip_api_requests_in_flight 1');
    await until('the first request to be in flight', inFlight);
    expect(await rawHttp(api.port, [head('Content-Length: 2000')])).to.match(/^HTTP\/1.1 503 /);
    expect(await rawHttp(api.port, [head('Transfer-Encoding: chunked')])).to.match(/^HTTP\/1.1 503 /);
    expect((await api.post(A_REQUEST)).status).to.equal(201);
    await stalled;
    await until('the first request to end', async () => !(await inFlight()));
    expect((await api.post({ ...A_REQUEST, metadata: { a: 'x'.repeat(5_000) } })).status).to.equal(201);
  });
});
