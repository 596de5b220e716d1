/** Each finished job has one trace, whatever happens to it, to the controller and to its webhook. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createJobTraces } from '#controller/tracing/job-traces.ts';
import { isTraceComplete } from '#controller/tracing/trace-complete.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { encodeSpans } from '#runtime/tracing/otlp.ts';
import type { Span } from '#runtime/tracing/span.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { expectTrace } from '#test/support/expect-trace.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { readExport } from '#test/support/servers/trace-collector.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { drawMove, MOVES } from '#test/support/worlds/job-world/moves.ts';
import { endFaults, round } from '#test/support/worlds/job-world/steps.ts';

const SCHEDULES = 500;
const MOVES_PER_SCHEDULE = 30;
const MOST_ROUNDS = 400;
const LAST_ROUNDS = 15;

/** A webhook for both events, or none. */
function aJob(random: Random): ZipJob {
  const webhook = { url: 'https://hooks.example', events: ['COMPLETED', 'FAILED'] } as const;
  return aZipJob({ metadata: { uid: randomUUID() }, ...(random.next() < 0.8 && { spec: { webhook } }) });
}

/** The receiver responds to what is in flight. */
function respond(world: JobWorld, random: Random): void {
  if (world.delivery.kind !== 'inFlight') return;
  const delivery = { at: world.nowText, durationMs: 20, status: random.pick([204, 204, 500, 503]) };
  world.delivery = { kind: 'responded', response: { delivery } };
}

function resend(world: JobWorld, random: Random): void {
  world.edit((job) => {
    const annotations = { ...job.metadata.annotations, [ANNOTATIONS.replayWebhook]: `n${random.int(1, 9)}` };
    return { ...job, metadata: { ...job.metadata, annotations } };
  });
}

/** Until nothing of the trace is missing, and some rounds more, in which it must not be sent again. */
async function endWebhook(world: JobWorld, random: Random): Promise<void> {
  let left = LAST_ROUNDS;
  for (let n = 0; n < MOST_ROUNDS && left > 0 && world.zipJob; n += 1) {
    if (isTraceComplete(world.zipJob)) left -= 1;
    respond(world, random);
    if (random.next() < 0.1) resend(world, random);
    if (random.next() < 0.02) world.deleteZipJob();
    await round(world);
    world.advance(random.int(1, 400));
  }
  await round(world);
}

interface Played {
  readonly traces: readonly (readonly Span[])[];
  /** A process was killed or replaced after the job finished, and with it what only its memory had. */
  readonly mayBeLost: boolean;
  readonly wasFinished: boolean;
}

async function play(seed: number): Promise<Played> {
  const random = createRandom(seed);
  const traces: (readonly Span[])[] = [];
  const tracer = { ratio: 1, add: (spans: readonly Span[]) => void traces.push(spans) };
  const seen = { wasFinished: false, mayBeLost: false };
  function onWrite(_before: ZipJob, after: ZipJob): void {
    seen.wasFinished ||= isFinished(after);
  }
  const world: JobWorld = new JobWorld(aJob(random), onWrite, () => {
    if (seen.wasFinished && traces.length === 0) seen.mayBeLost = true;
    return createJobTraces(tracer);
  });
  for (let moves = 0; moves < MOVES_PER_SCHEDULE; moves += 1) {
    await MOVES[drawMove(random)]?.[1](world, random);
    respond(world, random);
    if (random.next() < 0.03) resend(world, random);
  }
  world.suspend(false);
  endFaults(world);
  await endWebhook(world, random);
  return { traces, ...seen };
}

describe('the traces of jobs', () => {
  it(`are one for each finished job in ${SCHEDULES} schedules with restarts, other leaders, resent webhooks and deletions (X28)`, async function () {
    this.timeout(240_000);
    const totals = { sent: 0, lost: 0, spans: new Set<string>() };
    for (let seed = 1; seed <= SCHEDULES; seed += 1) {
      const { traces, wasFinished, mayBeLost } = await play(seed);
      const least = wasFinished && !mayBeLost ? 1 : 0;
      expect(traces.length, `traces of seed ${seed}`).to.be.within(least, wasFinished ? 1 : 0);
      for (const spans of traces) {
        expectTrace(readExport(encodeSpans(spans, { service: 'controller', version: '0' })));
        for (const { name } of spans) totals.spans.add(name);
      }
      totals.sent += traces.length;
      totals.lost += wasFinished && traces.length === 0 ? 1 : 0;
    }
    expect(totals.sent).to.be.above(SCHEDULES / 2);
    // Only what a kill at the end of a job can lose.
    expect(totals.lost).to.be.below(SCHEDULES / 5);
    expect([...totals.spans]).to.include.members([
      'zip job',
      'queue',
      'start',
      'attempt',
      'webhook',
      'webhook delivery',
    ]);
  });

  function finished(change: Partial<NonNullable<ZipJob['status']>> = {}): ZipJob {
    const webhook = { state: 'Pending', attempts: 0, nextAttemptAt: ago(0) } as const;
    return aZipJob({
      status: { phase: 'Succeeded', reason: 'Uploaded', finishedAt: ago(0), webhook, ...change },
    });
  }
  function record() {
    const sent: (readonly Span[])[] = [];
    const traces = createJobTraces({ ratio: 1, add: (spans) => void sent.push(spans) });
    return { sent, traces };
  }

  it('wait for the webhook, but not for an attempt that is due more than ten minutes after the end', () => {
    const running = aZipJob({ status: { phase: 'Running' } });
    const { sent, traces } = record();
    traces.note(running, finished());
    expect(sent).to.have.lengthOf(0);
    const late = finished({ webhook: { state: 'Pending', attempts: 3, nextAttemptAt: ago(-1_800) } });
    traces.note(finished(), late);
    traces.note(late, finished({ webhook: { state: 'Delivered', attempts: 4 } }));
    expect(sent).to.have.lengthOf(1);
  });

  it('do not wait for the webhook of a job that is deleted', () => {
    const { sent, traces } = record();
    traces.note(aZipJob({ status: { phase: 'Running' } }), finished());
    traces.gone(objectKey(finished()));
    traces.gone(objectKey(finished()));
    expect(sent.map(([root]) => root?.name)).to.deep.equal(['zip job']);
  });

  it('are not sent again for a webhook that is sent again, nor for a copy from a backup', () => {
    const { sent, traces } = record();
    const delivered = finished({ webhook: { state: 'Delivered', attempts: 1 } });
    const again = finished({
      webhook: { state: 'Pending', attempts: 0, nextAttemptAt: ago(0), replayNonce: 'n' },
    });
    expect([delivered, again].map(isTraceComplete)).to.deep.equal([true, true]);
    traces.note(delivered, again);
    traces.note(again, delivered);
    traces.note(
      aZipJob({ status: { phase: 'Running' } }),
      finished({ reason: 'Restored', webhook: { state: 'NotConfigured' } }),
    );
    expect(sent).to.have.lengthOf(0);
  });

  it('are drawn by the uid alone: no trace ID, sampled flag or name that a caller chooses changes it (X28)', () => {
    const ended = { phase: 'Cancelled', reason: 'Cancelled', finishedAt: ago(0) } as const;
    function sentOf(metadata: Partial<ZipJob['metadata']>): number {
      const sent: unknown[] = [];
      const traces = createJobTraces({ ratio: 0.5, add: (spans) => void sent.push(spans) });
      traces.note(aZipJob(), aZipJob({ metadata, status: ended }));
      return sent.length;
    }
    for (let n = 0; n < 100; n += 1) {
      const uid = randomUUID();
      const ids = ['0'.repeat(31) + '1', 'f'.repeat(32)];
      const headers = ids.flatMap((id) => ['00', '01'].map((flags) => `00-${id}-00f067aa0ba902b7-${flags}`));
      const chosen = headers.map((header) =>
        sentOf({ uid, annotations: { [ANNOTATIONS.traceparent]: header } }),
      );
      expect([...chosen, sentOf({ uid, name: `zip-${randomUUID()}` })]).to.deep.equal(
        Array(5).fill(sentOf({ uid })),
      );
    }
  });
});
