import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { BUILT_IN_TRUST, fixedTrust, type Trust } from '#runtime/tls/trust.ts';
import { createTracingMetrics } from '#runtime/tracing/metrics.ts';
import type { Span } from '#runtime/tracing/span.ts';
import { openTracer, type Tracer } from '#runtime/tracing/tracer.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { startTraceCollector, type TraceCollector } from '#test/support/servers/trace-collector.ts';
import { until } from '#test/support/until.ts';

const TOKEN = 'Bearer canary-token-of-the-collector';

function aSpan(n: number): Span {
  return {
    traceId: 'ab'.repeat(16),
    spanId: n.toString(16).padStart(16, '1'),
    name: 'queue',
    kind: 'internal',
    startMs: 1_000,
    endMs: 2_500,
    attributes: { 'zipjobs.files': 3, 'zipjobs.project': 'team-a' },
  };
}

interface Opened extends AsyncDisposable {
  readonly tracer: Tracer | undefined;
  readonly log: readonly string[];
  value(name: string): Promise<string | undefined>;
}

async function open(
  endpoint: string,
  { file = '', trust = BUILT_IN_TRUST }: { file?: string; trust?: Trust } = {},
): Promise<Opened> {
  const registry = new Registry();
  const log: string[] = [];
  const resources = new AsyncDisposableStack();
  const settings = { tracingEndpoint: endpoint, tracingSampleRatio: 1, tracingHeadersFile: file };
  const tracer = await openTracer(settings, {
    source: { service: 'zipjobs-test', version: '1.2.3' },
    trust,
    metrics: createTracingMetrics(registry),
    log: pino({}, { write: (line: string) => void log.push(line) }),
    resources,
  });
  return {
    tracer,
    log,
    value: async (name) =>
      (await registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe('openTracer', function () {
  this.timeout(30_000);
  let collector: TraceCollector;
  beforeEach(async () => {
    collector = await startTraceCollector();
  });
  afterEach(() => collector[Symbol.asyncDispose]());

  it('opens nothing without an endpoint', async () => {
    await using opened = await open('');
    expect(opened.tracer).to.equal(undefined);
  });

  it('sends spans as OTLP in JSON, and what is left when the process ends', async () => {
    await using opened = await open(`${collector.url}/`);
    opened.tracer?.add([
      aSpan(1),
      { ...aSpan(2), parentSpanId: aSpan(1).spanId, kind: 'server', isError: true },
    ]);
    await opened[Symbol.asyncDispose]();
    expect(collector.requests.map(({ path }) => path)).to.deep.equal(['POST /v1/traces']);
    expect(collector.requests[0]?.headers['content-type']).to.equal('application/json');
    const [first, second] = collector.spans;
    expect(first).to.deep.equal({
      service: 'zipjobs-test',
      traceId: 'ab'.repeat(16),
      spanId: '1111111111111111',
      parentSpanId: undefined,
      name: 'queue',
      kind: 1,
      start: 1_000_000_000n,
      end: 2_500_000_000n,
      attributes: { 'zipjobs.files': 3, 'zipjobs.project': 'team-a' },
      isError: false,
    });
    expect(second).to.deep.include({ parentSpanId: first?.spanId, kind: 2, isError: true });
    expect(await opened.value('zip_trace_spans_sent_total')).to.equal('2');
  });

  it("trusts the operator's authority, and no other server", async () => {
    await using secure = await startTraceCollector({ isSecure: true });
    const trust = fixedTrust(parseCertificates(PRIVATE_TLS.authority, 'authority'));
    for (const [authority, sent] of [
      [trust, 1],
      [BUILT_IN_TRUST, 0],
    ] as const) {
      await using opened = await open(secure.url, { trust: authority });
      opened.tracer?.add([aSpan(1)]);
      await opened[Symbol.asyncDispose]();
      expect(await opened.value('zip_trace_spans_sent_total')).to.equal(String(sent));
    }
    expect(secure.spans).to.have.lengthOf(1);
  });

  it('sends the headers of a file as it is then, and neither logs nor reports them', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'zipjobs-headers-'));
    const file = join(directory, 'headers');
    try {
      writeFileSync(file, 'Authorization: old\n');
      await using opened = await open(collector.url, { file });
      writeFileSync(file, `Authorization: ${TOKEN}\nX-Scope-OrgID: zips\n`);
      collector.behave = () => ({ status: 401, body: TOKEN });
      opened.tracer?.add([aSpan(1)]);
      await opened[Symbol.asyncDispose]();
      const [request] = collector.requests;
      expect(request?.headers).to.include({ authorization: TOKEN, 'x-scope-orgid': 'zips' });
      expect(opened.log.join('')).to.contain('responded with status 401').and.not.to.contain('canary');
      writeFileSync(file, `${TOKEN}\n`);
      const error = await open(collector.url, { file }).then(String, String);
      expect(error).to.contain(`line 1 of ${file}`).and.not.to.contain('canary');
      writeFileSync(file, 'Host: elsewhere');
      expect(await open(collector.url, { file }).then(String, String)).to.contain('line 1');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('counts the spans that the collector refuses, without sending them again', async () => {
    await using opened = await open(collector.url);
    collector.behave = () => ({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2"}}' });
    opened.tracer?.add([aSpan(1), aSpan(2), aSpan(3)]);
    await until(
      'the partial success',
      async () => (await opened.value('zip_trace_spans_sent_total')) === '1',
    );
    collector.behave = () => ({ status: 400 });
    opened.tracer?.add([aSpan(4)]);
    const name = 'zip_trace_spans_dropped_total{reason="refused"}';
    await until('the refusal', async () => (await opened.value(name)) === '3');
    expect(collector.requests).to.have.lengthOf(2);
  });
});
