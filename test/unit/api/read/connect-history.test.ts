import { expect } from 'chai';
import { Registry } from 'prom-client';
import { readApiConfig } from '#api/config.ts';
import { createApiMetrics } from '#api/metrics.ts';
import { connectHistory } from '#api/wiring.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';

const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';

describe('connectHistory', () => {
  async function connect(env: Readonly<Record<string, string>>, resources: AsyncDisposableStack) {
    const lines: string[] = [];
    const readHistory = await connectHistory({
      config: readApiConfig(env),
      log: createLogger('api', { level: 'info', destination: { write: (line: string) => lines.push(line) } }),
      metrics: createApiMetrics(new Registry()),
      trust: BUILT_IN_TRUST,
      clock: systemClock,
      applicationName: 'test',
      resources,
    });
    return { readHistory, lines };
  }

  it('says once that there is no history, and connects to nothing (G10)', async () => {
    await using resources = new AsyncDisposableStack();
    const { readHistory, lines } = await connect({}, resources);
    expect(readHistory).to.equal(undefined);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('HISTORY_HOST is not set: a zip can be read until its ZipJob is deleted');
  });

  it('starts although the database cannot be reached', async () => {
    await using resources = new AsyncDisposableStack();
    // Nothing listens at port 1.
    const env = { HISTORY_HOST: '127.0.0.1', HISTORY_PORT: '1', HISTORY_TLS: 'disable' };
    const { readHistory, lines } = await connect(env, resources);
    expect(lines).to.deep.equal([]);
    const query = { namespace: 'team-a', projectUid: UNKNOWN_ID, uuid: UNKNOWN_ID };
    const error: unknown = await readHistory?.(query, AbortSignal.timeout(10_000)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ code: 'HistoryUnavailable', retryable: true });
  });
});
