import { expect } from 'chai';
import { createFinishedPods } from '#controller/zip-job/lifetime/finished-pods.ts';
import { LABELS } from '#crds/api-group.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { namespaceOf, objectKey } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { NAMESPACE } from '#test/support/builders/objects.ts';

/** @param job with its namespace, if it is in another project */
function keyOf(job: string): string {
  return job.includes('/') ? job : `${NAMESPACE}/${job}`;
}

/** Its pods test a bucket. */
const BUCKET = 's3-archive';

function podOf(job: string, name: string, phase = 'Succeeded'): Pod {
  return {
    metadata: {
      namespace: namespaceOf(keyOf(job)),
      name,
      labels: {
        [LABELS.instance]: job.slice(job.indexOf('/') + 1),
        [LABELS.component]: job === BUCKET ? 'check-bucket' : 'archive',
      },
    },
    status: { phase },
  };
}

function setUp(maxPods = 10) {
  const clock = createManualClock();
  const stop = new AbortController();
  const expiry = new Map<string, Date>();
  const chosen: string[] = [];
  const pods = new Map<string, Pod>();
  const finishedPods = createFinishedPods({
    maxPods,
    expiresAt: (key) => expiry.get(key),
    clock,
    signal: stop.signal,
    onSurplus: (keys) => chosen.push(...keys.map((key) => key.replace(`${NAMESPACE}/`, ''))),
  });
  function see(pod: Pod): void {
    const key = objectKey(pod);
    finishedPods.see({ kind: 'set', key, object: pod, before: pods.get(key) });
    pods.set(key, pod);
  }
  function remove(name: string): void {
    const before = pods.get(keyOf(name));
    if (before) finishedPods.see({ kind: 'deleted', key: keyOf(name), before });
    pods.delete(keyOf(name));
  }
  function finish(job: string, seconds: number): void {
    expiry.set(keyOf(job), new Date(seconds * 1000));
  }
  /** A finished job with this many ended pods, which expire at this second. */
  function done(job: string, seconds: number, count = 1): void {
    finish(job, seconds);
    for (let n = 0; n < count; n += 1) see(podOf(job, `${job}-${n}`));
  }
  function isSurplus(job: string): boolean {
    return finishedPods.isSurplus(keyOf(job));
  }
  return { clock, stop, chosen, see, remove, finish, done, isSurplus };
}

describe('createFinishedPods', () => {
  it('chooses none up to the limit (G2)', async () => {
    const { clock, chosen, done } = setUp();
    for (let n = 0; n < 10; n += 1) done(`job-${n}`, n);
    await clock.advance(60_000);
    expect(chosen).to.deep.equal([]);
    expect(clock.pending).to.equal(0);
  });

  it('chooses the pods that would expire first, until a tenth of the limit is free (G2)', async () => {
    const { clock, chosen, done, isSurplus } = setUp();
    for (let n = 11; n > 0; n -= 1) done(`job-${n}`, n);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['job-1', 'job-2']);
    expect([isSurplus('job-2'), isSurplus('job-3')]).to.deep.equal([true, false]);
  });

  it('takes the pods of the project that has most, although those of others would expire first (G2)', async () => {
    const { clock, chosen, done } = setUp();
    for (let n = 0; n < 3; n += 1) done(`job-${n}`, n);
    for (let n = 0; n < 10; n += 1) done(`flood/failed-${n}`, 1_000 + n);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['flood/failed-0', 'flood/failed-1', 'flood/failed-2', 'flood/failed-3']);
  });

  it('counts every ended pod of a job, and no pod that runs or tests a bucket (G2)', async () => {
    const { clock, chosen, done, see } = setUp();
    done('retried', 5, 4);
    for (let n = 0; n < 6; n += 1) done(`job-${n}`, 10 + n);
    see(podOf('job-1', 'running', 'Running'));
    see(podOf(BUCKET, 'tests'));
    await clock.advance(2_000);
    expect(chosen).to.deep.equal([]);
    see(podOf('job-1', 'running', 'Failed'));
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['retried']);
  });

  it('leaves jobs that still need their pods, and does not count a pod twice (G2)', async () => {
    const { clock, chosen, done, see } = setUp(2);
    for (let n = 0; n < 5; n += 1) see(podOf('unfinished', `pod-${n}`, 'Failed'));
    await clock.advance(2_000);
    expect(chosen).to.deep.equal([]);
    done('finished', 10);
    done('finished', 10);
    await clock.advance(10_000);
    expect(chosen).to.deep.equal(['finished']);
  });

  it('chooses the pods of jobs that finish later than their pods end (G2)', async () => {
    const { clock, chosen, see, finish } = setUp(2);
    for (let n = 0; n < 3; n += 1) see(podOf('late', `pod-${n}`, 'Failed'));
    await clock.advance(60_000);
    expect(chosen).to.deep.equal([]);
    finish('late', 5);
    await clock.advance(10_000);
    expect(chosen).to.deep.equal(['late']);
    await clock.advance(60_000);
    expect(clock.pending).to.equal(0);
  });

  it('counts chosen pods until they are deleted, and then chooses no more than needed (G2)', async () => {
    const { clock, chosen, done, remove, isSurplus } = setUp();
    for (let n = 0; n < 11; n += 1) done(`job-${n}`, n);
    await clock.advance(2_000);
    done('job-0', 0);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['job-0', 'job-1']);
    for (const name of ['job-0-0', 'job-1-0']) remove(name);
    expect(isSurplus('job-0')).to.equal(false);
    for (let n = 11; n < 13; n += 1) done(`job-${n}`, n);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['job-0', 'job-1', 'job-2', 'job-3']);
  });

  it('leaves no timer that would keep the process alive', async () => {
    const { stop, clock, chosen, done } = setUp(1);
    done('a', 1, 2);
    expect(clock.pending).to.equal(1);
    stop.abort();
    done('b', 1, 2);
    await clock.advance(60_000);
    expect([clock.pending, chosen]).to.deep.equal([0, []]);
  });
});
