import { expect } from 'chai';
import { deliverySpanId, jobTrace, traceIdOf } from '#controller/tracing/job-trace.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { encodeSpans } from '#runtime/tracing/otlp.ts';
import { jobSpanId } from '#runtime/tracing/span.ts';
import { ago, aZipJob, NAMESPACE, UUID } from '#test/support/builders/objects.ts';
import { aCondition } from '#test/support/builders/zip-job-statuses.ts';
import { drawTrace } from '#test/support/draw-trace.ts';
import { expectTrace } from '#test/support/expect-trace.ts';
import { createRandom } from '#test/support/random.ts';
import { type ReceivedSpan, readExport } from '#test/support/servers/trace-collector.ts';
import { aRandomJob, CANARIES } from './random-status.ts';

const SOURCE = { service: 'zipjobs-controller', version: '0.0.0' };
const CALLER = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00`;

function textOf(zipJob: ZipJob): string {
  return encodeSpans(jobTrace(zipJob), SOURCE);
}

function received(zipJob: ZipJob): readonly ReceivedSpan[] {
  return readExport(textOf(zipJob));
}

/** The first pod was lost, the archive succeeded in the second one, and the first delivery failed. */
function aRetriedJob(annotations: Readonly<Record<string, string>> = {}): ZipJob {
  return aZipJob({
    metadata: { annotations: { [ANNOTATIONS.acceptedAt]: '2026-05-04T11:58:20.250Z', ...annotations } },
    status: {
      phase: 'Succeeded',
      reason: 'Uploaded',
      acceptedAt: ago(100),
      startedAt: ago(88),
      finishedAt: ago(20),
      attempts: [
        {
          n: 1,
          podUid: 'a',
          startedAt: ago(94),
          finishedAt: ago(70),
          class: 'disruption',
          reason: 'PodLost',
        },
        { n: 2, podUid: 'b', startedAt: ago(62), finishedAt: ago(18), class: 'success', exitCode: 0 },
      ],
      attemptsTotal: 2,
      conditions: [
        aCondition('JobCreated', ['True', 'JobCreated'], { lastTransitionTime: ago(95) }),
        aCondition('Recovered', ['True', 'Recovered'], { lastTransitionTime: ago(64) }),
      ],
      result: {
        bytes: 9_000,
        etag: 'e',
        entries: 3,
        seconds: 38.5,
        fetchSeconds: 36,
        peakMemory: 1,
        retries: 1,
        contractVersion: 1,
      },
      webhook: {
        state: 'Delivered',
        attempts: 2,
        log: [
          { at: ago(20), durationMs: 900, attempt: 1, status: 500, bytes: 310 },
          { at: ago(14), durationMs: 120, attempt: 2, status: 204, bytes: 310 },
        ],
      },
    },
  });
}

const FACTS = `project=${NAMESPACE} job.id=${UUID} result=succeeded reason=Uploaded attempts=2 files=3 bytes=9000 retries=1`;
const SENT = 'http.request.method=POST attempt';
const DRAWING = [
  `zip job                 |████████████████████████████████████████|   85.9 s  ${FACTS}`,
  '  queue                 |██                                      |    4.8 s',
  '  start                 |  ███                                   |    7.0 s',
  '  attempt !             |  ███████████                           |   24.0 s  attempt=1 attempt.class=disruption reason=PodLost',
  '  recovery              |             ███                        |    6.0 s  attempt=1',
  '  attempt               |                 ████████████████████   |   44.0 s  attempt=2 attempt.class=success exit_code=0',
  '    fetch               |                   █████████████████    |   36.0 s  files=3',
  '    upload              |                                   █    |    2.5 s  bytes=9000',
  '  webhook               |                                     ███|    6.1 s  webhook.state=Delivered',
  `    webhook delivery !  |                                     █  |    0.9 s  ${SENT}=1 http.request.body.size=310 http.response.status_code=500`,
  `    webhook delivery    |                                       █|    0.1 s  ${SENT}=2 http.request.body.size=310 http.response.status_code=204`,
];

describe('jobTrace', () => {
  it('shows a lost pod, its recovery and a webhook that is sent twice (X28)', () => {
    const spans = received(aRetriedJob());
    expectTrace(spans);
    expect(drawTrace(spans).split('\n')).to.deep.equal(DRAWING);
  });

  it('is one trace for 500 random statuses: spans nest, none is negative, and none of 40 canaries occurs (X28)', () => {
    const random = createRandom(28);
    const names = new Set<string>();
    const seen: string[] = [];
    for (let n = 0; n < 500; n += 1) {
      const zipJob = aRandomJob(random, `uid-${n}`);
      seen.push(
        ...CANARIES.filter((canary) => !seen.includes(canary) && JSON.stringify(zipJob).includes(canary)),
      );
      const text = textOf(zipJob);
      expect(/canary/i.exec(text)).to.equal(null);
      const spans = readExport(text);
      expectTrace(spans);
      for (const { name } of spans) names.add(name);
    }
    const all = [
      'zip job',
      'queue',
      'start',
      'attempt',
      'fetch',
      'upload',
      'recovery',
      'webhook',
      'webhook delivery',
    ];
    expect([...names]).to.have.members(all);
    // Without them, the statuses would show nothing.
    expect(seen).to.have.members(CANARIES);
  });

  it("continues the caller's trace, whatever its sampled flag: below its span, or below that of the API (X28)", () => {
    const traceparent = { [ANNOTATIONS.traceparent]: CALLER };
    const [ofKubectl] = jobTrace(aRetriedJob(traceparent));
    expect(ofKubectl).to.include({ traceId: 'ab'.repeat(16), parentSpanId: 'cd'.repeat(8) });
    const [ofApi] = jobTrace(aRetriedJob({ ...traceparent, [ANNOTATIONS.requestId]: 'r' }));
    expect(ofApi).to.include({ traceId: 'ab'.repeat(16), parentSpanId: jobSpanId('uid-zipjob', 'request') });
    expect(jobTrace(aRetriedJob())[0])
      .to.include({ traceId: traceIdOf(aZipJob()) })
      .and.not.to.have.property('parentSpanId');
  });

  it('has a span for each endpoint of the webhook, and one for each attempt at it', () => {
    const job = aRetriedJob();
    const { webhook = { state: 'NotConfigured' } } = job.status ?? {};
    // The name is a number, as in the span of an attempt at the default endpoint.
    const endpoints = [
      { ...webhook, name: '2', log: webhook.log?.slice(0, 1) ?? [] },
      { name: 'silent', state: 'NotConfigured' } as const,
    ];
    const spans = jobTrace({ ...job, status: { ...job.status, webhook: { ...webhook, endpoints } } });
    const ofEndpoints = spans.filter(({ name }) => name.startsWith('webhook'));
    expect(ofEndpoints.map(({ name, attributes }) => [name, attributes['zipjobs.webhook.endpoint']])).to.eql([
      ['webhook', undefined],
      ['webhook delivery', undefined],
      ['webhook delivery', undefined],
      ['webhook', '2'],
      ['webhook delivery', undefined],
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId))).to.have.lengthOf(spans.length);
    expect(spans.map(({ spanId }) => spanId)).to.include(deliverySpanId(aZipJob(), '2', 1));
  });

  it('gives each delivery the span that its header names', () => {
    const ids = jobTrace(aRetriedJob()).map(({ spanId }) => spanId);
    for (const attempt of [1, 2, undefined])
      expect(ids).to.include(deliverySpanId(aZipJob(), DEFAULT_ENDPOINT, attempt));
  });
});
