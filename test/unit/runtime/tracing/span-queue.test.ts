/** A collector that is away, slow or full. */
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Agent } from '#runtime/http/undici.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createTracingMetrics } from '#runtime/tracing/metrics.ts';
import { createSendSpans } from '#runtime/tracing/send-spans.ts';
import type { Span } from '#runtime/tracing/span.ts';
import { createSpanQueue } from '#runtime/tracing/span-queue.ts';
import { type Behaviour, startTraceCollector } from '#test/support/servers/trace-collector.ts';
import { until } from '#test/support/until.ts';

const NOBODY_LISTENS = 'http://127.0.0.1:9';
const TRACE: readonly Span[] = Array.from({ length: 10 }, (_, index) => ({
  traceId: 'ab'.repeat(16),
  spanId: String(index).padStart(16, '1'),
  name: 'queue',
  kind: 'internal',
  startMs: 0,
  endMs: 1,
  attributes: {},
}));
const MAX_SPANS = 1_024;

function openQueue(endpoint: string, timeoutMs = 100) {
  const registry = new Registry();
  const log: string[] = [];
  const resources = new AsyncDisposableStack();
  const dispatcher = new Agent({ connections: 1 });
  resources.defer(() => dispatcher.destroy());
  const queue = resources.use(
    createSpanQueue({
      send: createSendSpans({ endpoint, dispatcher, headers: () => ({}), userAgent: 'test', timeoutMs }),
      source: { service: 'test', version: '0' },
      metrics: createTracingMetrics(registry),
      clock: systemClock,
      log: pino({}, { write: (line: string) => void log.push(line) }),
      limits: {
        maxSpans: MAX_SPANS,
        batchWaitMs: 50,
        closeMs: 200,
        attempts: 3,
        baseDelayMs: 10,
        maxDelayMs: 20,
      },
    }),
  );
  async function counts(): Promise<Readonly<Record<string, number>>> {
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('zip_trace'));
    return Object.fromEntries(
      lines.map((line) => [/reason="(\w+)"/.exec(line)?.[1] ?? 'sent', Number(line.split(' ')[1])]),
    );
  }
  return { queue, log, counts, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function fill({ queue }: ReturnType<typeof openQueue>, traces: number): void {
  for (let n = 0; n < traces; n += 1) queue.add(TRACE);
}

describe('createSpanQueue', function () {
  this.timeout(30_000);

  const away: readonly (readonly [string, Behaviour | 'closed'])[] = [
    ['does not listen', 'closed'],
    ['never responds', 'never'],
    ['responds with 503', { status: 503 }],
    ['asks for a wait of a day', { status: 429, headers: { 'retry-after': '86400' } }],
  ];
  for (const [name, behaviour] of away)
    it(`bounds what waits for a collector that ${name}, drops and counts the rest, and logs it once (X28)`, async () => {
      await using collector = await startTraceCollector();
      if (behaviour !== 'closed') collector.behave = () => behaviour;
      await using opened = openQueue(behaviour === 'closed' ? NOBODY_LISTENS : collector.url);
      fill(opened, 200);
      // `add` is synchronous, so nothing was sent yet.
      const full = 2_000 - Math.floor(MAX_SPANS / 10) * 10;
      expect(await opened.counts()).to.deep.equal({ sent: 0, full, failed: 0, refused: 0 });
      await until('a batch to be given up', async () => ((await opened.counts())['failed'] ?? 0) >= 512);
      expect(opened.log).to.have.lengthOf(1);
      expect(collector.requests.length).to.be.at.most(3 * 3);
    });

  it('sends again after a few errors, and traces that are added later (X28)', async () => {
    await using collector = await startTraceCollector();
    let failures = 2;
    collector.behave = () => {
      failures -= 1;
      return { status: failures >= 0 ? 502 : 200 };
    };
    await using opened = openQueue(collector.url);
    fill(opened, 60);
    await until('all to be sent', async () => (await opened.counts())['sent'] === 600);
    fill(opened, 1);
    await until('the next', async () => (await opened.counts())['sent'] === 610);
    expect(await opened.counts()).to.deep.equal({ sent: 610, full: 0, failed: 0, refused: 0 });
  });

  it('does not hold up the end of the process (X28)', async () => {
    await using collector = await startTraceCollector();
    collector.behave = () => 'never';
    const opened = openQueue(collector.url, 3_600_000);
    fill(opened, 80);
    await until('a request', () => collector.requests.length > 0);
    // Without the limit, it would take an hour.
    await opened[Symbol.asyncDispose]();
    expect(await opened.counts()).to.deep.equal({ sent: 0, full: 0, failed: 800, refused: 0 });
  });
});
