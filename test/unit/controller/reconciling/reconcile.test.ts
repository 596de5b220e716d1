import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import { ZIPJOB } from '#controller/reconciling/measure-reconcile.ts';
import {
  type Outcome as AnyOutcome,
  createReconcile,
  type Requeue,
  tolerateChanges,
} from '#controller/reconciling/reconcile.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

interface Hints {
  readonly job?: string;
}

type Outcome = AnyOutcome<Hints>;

function setUp(outcomes: readonly (Outcome | Error)[], decision: Requeue = {}) {
  const calls: string[] = [];
  const hints: Hints[] = [];
  let round = 0;
  const metrics = createControllerMetrics(new Registry());
  const gone: string[] = [];
  const reconcile = createReconcile<object, Requeue, Hints>({
    controller: ZIPJOB,
    observe: (_key, given) => {
      hints.push(given);
      return Promise.resolve(round < outcomes.length ? {} : undefined);
    },
    decide: () => decision,
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
      cancel: (key) => calls.push(`cancel ${key}`),
    },
    onGone: (key) => gone.push(key),
    clock: createManualClock(),
    metrics,
  });
  return { run: () => reconcile('a/b', new AbortController().signal), calls, hints, gone, metrics };
}

function again(hints: Hints = {}): Outcome {
  return { kind: 'again', hints };
}

describe('reconcile', () => {
  it('repeats while something changes, and observes with hints about objects that the cache may lack', async () => {
    const job = 'made';
    const { run, calls, hints } = setUp([again({ job }), again(), { kind: 'done' }], { requeueAfterMs: 7 });
    await run();
    expect(hints).to.deep.equal([{}, { job }, { job }]);
    expect(calls).to.deep.equal(['forget a/b', 'addAfter a/b 7']);
  });

  it('requeues an object that rests after days, without a full reconcile (G3)', async () => {
    const days = 6 * 86_400_000;
    const { run, calls } = setUp([{ kind: 'done' }], { requeueAfterMs: days });
    await run();
    expect(calls).to.deep.equal(['forget a/b', `addAfter a/b ${days}`]);
  });

  it('forgets an object that does not exist', async () => {
    const { run, calls, gone } = setUp([], { requeueAfterMs: 7 });
    await run();
    expect([calls, gone]).to.deep.equal([['cancel a/b', 'forget a/b'], ['a/b']]);
  });

  it('leaves forgetting a deleted object to its deletion event', async () => {
    const { run, calls, gone } = setUp([{ kind: 'gone' }], { requeueAfterMs: 7 });
    await run();
    expect([calls, gone]).to.deep.equal([['forget a/b'], []]);
  });

  it('requeues with a delay after a conflict, so that the caches can catch up', async () => {
    const { run, calls, hints } = setUp([{ kind: 'conflict' }, { kind: 'done' }], { requeueAfterMs: 7 });
    await run();
    expect([calls, hints.length]).to.deep.equal([['forget a/b', 'addAfter a/b 200'], 1]);
  });

  it('requeues a key that keeps changing behind other keys', async () => {
    const { run, calls } = setUp(Array.from({ length: 50 }, () => again()));
    await run();
    expect(calls).to.deep.equal(['add a/b']);
  });

  it('counts an error and rethrows it, so that the queue retries with backoff', async () => {
    const { run, metrics } = setUp([new Error('no API server')]);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message', 'no API server');
    expect((await metrics.errors.get()).values).to.deep.equal([
      { labels: { controller: 'zipjob' }, value: 1 },
    ]);
    expect((await metrics.activeWorkers.get()).values[0]?.value).to.equal(0);
  });
});

describe('tolerateChanges', () => {
  function failing(code: KubeErrorCode) {
    return () => Promise.reject(new KubeError('no', { attempt: 'PATCH', code }));
  }

  it('returns conflict for a changed object, and done for a missing one', async () => {
    expect(await tolerateChanges(failing('Conflict'))).to.deep.equal({ kind: 'conflict' });
    for (const code of ['NotFound', 'NamespaceTerminating'] as const)
      expect(await tolerateChanges(failing(code))).to.deep.equal({ kind: 'done' });
  });

  it('throws every other error', async () => {
    const error = await tolerateChanges(failing('Forbidden')).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(KubeError).with.property('code', 'Forbidden');
  });
});
