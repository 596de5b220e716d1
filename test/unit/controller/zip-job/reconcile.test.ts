import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import type { Outcome } from '#controller/zip-job/actions/outcome.ts';
import type { Decision } from '#controller/zip-job/observation.ts';
import type { Hints } from '#controller/zip-job/observe.ts';
import { createReconcile } from '#controller/zip-job/reconcile.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aJob } from '#test/support/builders/objects.ts';
import { anObservation } from '#test/support/builders/observation.ts';

const setUp = (outcomes: readonly (Outcome | Error)[], decision: Partial<Decision> = {}) => {
  const calls: string[] = [];
  const hints: Hints[] = [];
  let round = 0;
  const metrics = createControllerMetrics(new Registry());
  const reconcile = createReconcile({
    observe: (_key, given) => {
      hints.push(given);
      return Promise.resolve(round < outcomes.length ? anObservation() : undefined);
    },
    decide: () => ({ actions: [], events: [], ...decision }),
    act: () => {
      const outcome = outcomes[round];
      round += 1;
      if (outcome instanceof Error) return Promise.reject(outcome);
      return Promise.resolve(outcome ?? { kind: 'done' });
    },
    queue: {
      add: (key) => calls.push(`add ${key}`),
      addAfter: (key, ms) => calls.push(`addAfter ${key} ${ms}`),
      forget: (key) => calls.push(`forget ${key}`),
    },
    config: aConfig(),
    clock: createManualClock(),
    metrics,
  });
  return { run: () => reconcile('a/b', new AbortController().signal), calls, hints, metrics };
};

const again = (hints: Hints = {}): Outcome => ({ kind: 'again', hints });

describe('reconcile', () => {
  it('continues while something changes, and passes on objects that the cache may not have yet', async () => {
    const job = aJob();
    const { run, calls, hints } = setUp([again({ job }), again(), { kind: 'done' }], { requeueAfterMs: 7 });
    await run();
    expect(hints).to.deep.equal([{}, { job }, { job }]);
    expect(calls).to.deep.equal(['forget a/b', 'addAfter a/b 7']);
  });

  it('leaves waits that are longer than the full pass to the full pass', async () => {
    const longest = aConfig().fullReconcileSeconds * 1000;
    for (const [requeueAfterMs, expected] of [
      [longest, ['forget a/b', `addAfter a/b ${longest}`]],
      [longest + 1, ['forget a/b']],
    ] as const) {
      const { run, calls } = setUp([{ kind: 'done' }], { requeueAfterMs });
      await run();
      expect(calls).to.deep.equal(expected);
    }
  });

  it('forgets a ZipJob that is gone', async () => {
    const { run, calls } = setUp([], { requeueAfterMs: 7 });
    await run();
    expect(calls).to.deep.equal(['forget a/b']);
  });

  it('lets other keys go first when one does not come to rest', async () => {
    const { run, calls } = setUp(Array.from({ length: 50 }, () => again()));
    await run();
    expect(calls).to.deep.equal(['add a/b']);
  });

  it('counts an error and throws it on, so that the queue comes back with backoff', async () => {
    const { run, metrics } = setUp([new Error('no API server')]);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message', 'no API server');
    expect((await metrics.errors.get()).values).to.deep.equal([
      { labels: { controller: 'zipjob' }, value: 1 },
    ]);
    expect((await metrics.activeWorkers.get()).values[0]?.value).to.equal(0);
  });
});
