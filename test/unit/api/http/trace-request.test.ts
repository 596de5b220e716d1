import { expect } from 'chai';
import { jobTrace } from '#controller/tracing/job-trace.ts';
import { encodeSpans } from '#runtime/tracing/otlp.ts';
import type { Span } from '#runtime/tracing/span.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const TRACE_ID = 'ab'.repeat(16);
const TRACEPARENT = `00-${TRACE_ID}-${'cd'.repeat(8)}-01`;

describe('the spans of the API', () => {
  let spans: Span[];
  let ratio: number;
  let api: ApiServer;
  beforeEach(async () => {
    spans = [];
    ratio = 1;
    const tracer = {
      get ratio() {
        return ratio;
      },
      add: (more: readonly Span[]) => void spans.push(...more),
    };
    api = await startApiServer({ tracer });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('are the parent of the trace of the job, and continue that of the caller (X28)', async () => {
    const created = await api.post(A_REQUEST, { headers: { traceparent: TRACEPARENT } });
    const [job] = api.jobs.all();
    if (!job) throw new Error('no job was created');
    const [root] = jobTrace({ ...job, status: { phase: 'Cancelled', finishedAt: '2026-05-04T12:00:00Z' } });
    expect(spans).to.have.lengthOf(1);
    const [span] = spans;
    expect(span).to.deep.include({
      traceId: TRACE_ID,
      spanId: root?.parentSpanId,
      parentSpanId: 'cd'.repeat(8),
      name: 'POST /v1/zips',
      kind: 'server',
      isError: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/zips',
        'http.response.status_code': 201,
        'zipjobs.project': 'team-a',
        'zipjobs.job.id': created.body.data?.uuid,
      },
    });
    expect(root?.traceId).to.equal(TRACE_ID);
  });

  it('show why a request was refused, and nothing of what it contains', async () => {
    const request = {
      ...A_REQUEST,
      bucket_name: 'canary-bucket',
      key: 'canary-key',
      metadata: { canary: 'canary' },
    };
    const headers = { 'x-request-id': 'canary-id', 'user-agent': 'canary' };
    await api.post(request, { path: '/v1/zips?canary=canary', headers });
    expect(spans.map(({ attributes }) => attributes)).to.deep.equal([
      {
        'http.request.method': 'POST',
        'http.route': '/v1/zips',
        'http.response.status_code': 404,
        'error.type': 'resource_not_found',
        'zipjobs.project': 'team-a',
      },
    ]);
    expect(encodeSpans(spans, { service: 'api', version: '0' })).not.to.match(/canary/i);
  });

  it('belong to a trace of their own for a repeated request, so that it adds nothing to that of the job (X28)', async () => {
    const headers = { 'idempotency-key': 'k', traceparent: TRACEPARENT };
    await api.post(A_REQUEST, { headers });
    await api.post(A_REQUEST, { headers: { 'idempotency-key': 'k' } });
    const [first, second] = spans;
    expect(second?.traceId).not.to.equal(first?.traceId);
    expect(second?.attributes).not.to.have.property('zipjobs.job.id');
  });

  it('do not exist for reads, paths without a route and a ratio of 0, whatever the caller asks for (X28)', async () => {
    const headers = { traceparent: TRACEPARENT };
    await api.ask({ path: '/v1/zips/6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c', headers });
    await api.ask({ method: 'POST', path: '/canary', headers });
    ratio = 0;
    await api.post(A_REQUEST, { headers });
    await api.post({ ...A_REQUEST, key: '' }, { headers });
    expect(spans).to.deep.equal([]);
  });
});
