import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createLogger } from '#runtime/log/log.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { download, type SourceSink } from '#zipper-image/sources/download.ts';
import { createDownloadDeps } from '#zipper-image/sources/fetch-source.ts';
import type { Flow } from '#zipper-image/sources/http-get.ts';

describe('a download that is paused', () => {
  /** Downloads a file with this sink, of which the limit of retries knows that it waits for the source. */
  async function run(limit: RetryLimit, sink: Omit<SourceSink, 'continue'>): Promise<unknown> {
    await using origin = await startFileOrigin();
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
    const settings = ZIPPER_DEFAULTS;
    const log = createLogger('test', { level: 'error' });
    await using agent = Object.assign(
      createGuardedAgent(policy, { connections: 1, connectTimeoutMs: 10_000 }),
      {
        [Symbol.asyncDispose]: () => agent.destroy(),
      },
    );
    const deps = createDownloadDeps({ agent, policy, settings, log, onUnreachable: undefined });
    const request = {
      index: 0,
      url: origin.url('/gen/1000000/1'),
      filename: 'a',
      sink: { ...sink, continue: () => undefined },
      signal: new AbortController().signal,
      resume: undefined,
      limit,
    };
    limit.begin();
    return await download(request, deps).catch((error: unknown) => error);
  }

  it('does not count the pause as time without progress (F36)', async () => {
    let now = 0;
    const limit = new RetryLimit(1_000, () => now);
    const failure = await run(limit, {
      start: (_head, flow) => {
        flow.pause();
        flow.pause();
        now += 600_000;
        flow.resume();
        flow.resume();
        now += 10;
      },
      write: () => undefined,
    });
    expect([failure, limit.elapsedMs]).to.deep.equal([undefined, 10]);
  });

  it('counts on after its end, whatever its sink does with the ended body (F36)', async () => {
    let now = 0;
    const limit = new RetryLimit(1_000, () => now);
    let ended: Flow | undefined;
    const start: SourceSink['start'] = (_head, flow) => {
      ended = flow;
    };
    await run(limit, { start, write: () => undefined });
    ended?.pause();
    now += 10;
    expect(limit.elapsedMs).to.equal(10);
  });

  it('counts again when it has failed (F36)', async () => {
    let now = 0;
    const limit = new RetryLimit(1_000, () => now);
    const failure = await run(limit, {
      start: (_head, flow) => {
        flow.pause();
        now += 600_000;
        throw new Error('broken');
      },
      write: () => undefined,
    });
    expect(failure).to.be.instanceOf(Error);
    now += 10;
    expect(limit.elapsedMs).to.equal(10);
  });
});
