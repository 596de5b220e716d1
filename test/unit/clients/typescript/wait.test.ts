import { expect } from 'chai';
import { ApiError, ConnectionError, WaitTimeoutError } from '#clients/typescript/src/errors.ts';
import { refusal, startScriptedServer, UUID, zip } from './scripted-server.ts';

const BUSY = refusal(503, 'service_unavailable');

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
}

describe('wait of the TypeScript client', () => {
  it('returns the job that succeeded or failed, after growing delays', async () => {
    for (const status of ['succeeded', 'failed'] as const) {
      const pending = [zip('none'), zip('processing'), zip('processing'), zip('a later status')] as const;
      await using server = await startScriptedServer([...pending, zip(status)]);
      const done = await server.client().wait(UUID, { expand: ['error'], maxPollMs: 2_000 });
      expect(done.status).to.equal(status);
      expect(server.delays).to.deep.equal([750, 1_125, 1_500, 1_500]);
      expect(new Set(server.requests.map(({ line }) => line))).to.deep.equal(
        new Set([`GET /v1/zips/${UUID}?expand=error`]),
      );
    }
  });

  it('continues after more errors than other requests tolerate', async () => {
    const errors = Array.from({ length: 7 }, (_, index) => (index % 2 === 0 ? BUSY : 'reset'));
    await using server = await startScriptedServer([BUSY, ...errors, zip('succeeded')]);
    expect((await server.client().wait(UUID)).status).to.equal('succeeded');
  });

  it('waits for a spent quota before the next request', async () => {
    function quota(header: string) {
      return zip('processing', {}, { ratelimit: header });
    }
    await using server = await startScriptedServer([
      quota('"token";r=0;t=40, "project";r=0;t=50'),
      quota('"token";r=10;t=40, "project";r=20;t=50'),
      zip('succeeded'),
    ]);
    await server.client().wait(UUID);
    expect(server.delays).to.deep.equal([50_000, 1_125]);
  });

  it('ends at its time limit with the last state of the job', async () => {
    await using server = await startScriptedServer([zip('processing')]);
    const failure = await failureOf(server.client().wait(UUID, { timeoutMs: 60_000 }));
    expect(failure).to.be.instanceOf(WaitTimeoutError).and.to.have.nested.property('zip.uuid', UUID);
    expect(String(failure)).to.equal(
      `WaitTimeoutError: Zip ${UUID} did not finish within 60000 ms. Its status is "processing".`,
    );
    expect(failure).not.to.have.property('cause');
    expect(server.delays.reduce((sum, delay) => sum + delay)).to.equal(60_000);
    expect(server.requests).to.have.lengthOf(server.delays.length + 1);
  });

  it('returns a job that finishes between the last delay and the time limit (UI21)', async () => {
    const pending = Array.from({ length: 3 }, () => zip('processing'));
    await using server = await startScriptedServer([zip('none'), ...pending, zip('succeeded')]);
    expect((await server.client().wait(UUID, { timeoutMs: 4_000 })).status).to.equal('succeeded');
    expect(server.delays).to.deep.equal([750, 1_125, 1_687.5, 437.5]);
  });

  it('reads the job once more if the request before was cut off at the time limit (UI21)', async () => {
    for (const status of ['succeeded', 'processing']) {
      await using server = await startScriptedServer(['reset', zip(status)]);
      const timing = {
        nowMs: () => (server.requests.length === 0 ? 0 : 20_000),
        random: () => 0.5,
        sleep: () => Promise.resolve(),
      };
      const outcome = await server
        .client({ timing })
        .wait(UUID, { timeoutMs: 20_000 })
        .catch((error: unknown) => error);
      const isDone = status === 'succeeded';
      expect(outcome instanceof WaitTimeoutError).to.equal(!isDone);
      expect(outcome).to.have.nested.property(isDone ? 'status' : 'zip.status', status);
      expect(server.requests).to.have.lengthOf(2);
    }
  });

  it('ends at its time limit with the last state and the last error, whatever the last requests do (UI21)', async () => {
    for (const [response, type] of [
      [BUSY, ApiError],
      [refusal(429, 'rate', { 'retry-after': '3000' }), ApiError],
      ['reset', ConnectionError],
    ] as const) {
      await using server = await startScriptedServer([zip('none'), zip('processing'), response]);
      const failure = await failureOf(server.client().wait(UUID, { timeoutMs: 20_000 }));
      expect(failure)
        .to.be.instanceOf(WaitTimeoutError)
        .and.to.have.nested.property('zip.status', 'processing');
      expect(failure).to.have.property('cause').that.is.instanceOf(type);
      expect(server.delays.reduce((sum, delay) => sum + delay)).to.equal(20_000);
    }
  });

  it('ends at its time limit without a state if it never read the job (UI21)', async () => {
    await using server = await startScriptedServer([BUSY]);
    const failure = await failureOf(server.client().wait(UUID, { timeoutMs: 20_000 }));
    expect(failure).to.be.instanceOf(WaitTimeoutError).and.to.have.property('zip', undefined);
    expect(String(failure)).to.equal(
      `WaitTimeoutError: Zip ${UUID} did not finish within 20000 ms. Its status could not be read.`,
    );
    expect(failure).to.have.nested.property('cause.code', 'service_unavailable');
  });

  it('ends with an error that a retry cannot solve', async () => {
    await using server = await startScriptedServer([zip('none'), refusal(404, 'resource_not_found')]);
    const failure = await failureOf(server.client().wait(UUID));
    expect(failure).to.be.instanceOf(ApiError).and.to.include({ status: 404, code: 'resource_not_found' });
    expect(await failureOf(server.client().wait(UUID, { timeoutMs: 0 }))).to.be.instanceOf(RangeError);
  });
});
