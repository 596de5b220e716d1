/** The order of the jobs of one key when events arrive in any order. */
import { expect } from 'chai';
import { createLedger } from '#controller/queue/ledger.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { type QueuedJobChange, queuedJob } from '#test/support/builders/queued-jobs.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { jobBefore } from './ledger-setup.ts';

function job(name: string, age: number, change: QueuedJobChange = {}): ZipJob {
  return queuedJob(name, { key: 'k', age, ...change });
}

function suspended(one: ZipJob, suspend = true): ZipJob {
  return { ...one, spec: { ...one.spec, suspend } };
}

const UNKNOWN = 'unknown';
const PLACES = ['store/x', 'store/y', UNKNOWN];

/** Jobs, ZipBuckets and a ledger that random moves change. The controller requests a slot only for jobs that are due. */
function createModel(random: Random) {
  const jobs = new Map<string, ZipJob>();
  const places = new Map<string, string>();
  const due = new Set<string>();
  function onDue(key: string): void {
    due.add(key);
  }
  const ledger = createLedger({
    limits: { inAll: 4, perBucket: 3, ofProject: () => 3, isHeld: () => false },
    trustedQueues: ['night'],
    pause: { reason: undefined },
    rate: { perSecond: 1e6, burst: 1e6 },
    clock: createManualClock(),
    physicalBucket: (bucket) => places.get(bucket),
    onReserved: onDue,
    onNext: onDue,
  });
  function put(object: ZipJob): void {
    const key = keyOf(object);
    const known = jobs.get(key);
    jobs.set(key, object);
    ledger.see({ kind: 'set', key, object, before: known });
    onDue(key);
  }
  function isActive(one: ZipJob): boolean {
    return ['reserved', 'running'].includes(ledger.position(one).state);
  }
  let n = 0;
  function create(): void {
    n += 1;
    const one = job(`j${n}`, random.int(0, 90), {
      project: random.pick(['a', 'b']),
      bucket: random.pick(['s3-x', 'r2-x']),
      key: random.pick(['k', 'l']),
    });
    put(random.next() < 0.2 ? { ...one, spec: { ...one.spec, queueName: 'night' } } : one);
  }
  function unfinished(): readonly ZipJob[] {
    return [...jobs.values()].filter((one) => !isFinished(one));
  }
  function finish(one: ZipJob): void {
    put({ ...one, status: { phase: 'Succeeded' } });
  }
  function reconcile(key: string): void {
    due.delete(key);
    const one = jobs.get(key);
    if (!one || isFinished(one) || one.spec.suspend === true || one.status?.phase === 'Running') return;
    if (ledger.position(one).blocked?.reason === 'OlderJobFirst') return;
    if (ledger.reserve(one).state !== 'reserved') return;
    ledger.hold(one);
    put({ ...one, status: { phase: 'Running' } });
  }
  /** Jobs that become due meanwhile are reconciled next time. */
  function reconcileDue(): void {
    for (const key of due.values().toArray()) reconcile(key);
  }
  function remove(one: ZipJob): void {
    jobs.delete(keyOf(one));
    ledger.see({ kind: 'deleted', key: keyOf(one), before: one });
  }
  /** Resumes all jobs and lets them run. */
  function drain(): void {
    for (const one of unfinished()) if (one.spec.suspend === true) put(suspended(one, false));
    for (let rounds = 0; rounds < 500 && unfinished().length > 0; rounds += 1) {
      reconcileDue();
      unfinished()
        .filter(({ status }) => status?.phase === 'Running')
        .forEach(finish);
    }
  }
  function moveBucket(): void {
    const bucket = `${random.pick(['a', 'b'])}/${random.pick(['s3-x', 'r2-x'])}`;
    const place = random.pick(PLACES);
    if (place === UNKNOWN) places.delete(bucket);
    else places.set(bucket, place);
    ledger.seeBucket(bucket);
  }
  return {
    places,
    ledger,
    isActive,
    create,
    put,
    unfinished,
    finish,
    reconcileDue,
    remove,
    drain,
    moveBucket,
  };
}

type Model = ReturnType<typeof createModel>;

function targetOf({ places }: Model, { metadata, spec }: ZipJob): string {
  const bucket = `${metadata.namespace}/${spec.bucketRef.name}`;
  return `${metadata.namespace} ${places.get(bucket) ?? bucket} ${spec.key}`;
}

/** Nothing runs before the oldest of those that are not suspended. Jobs that run may have started when their bucket was another. */
function expectOrder(model: Model): void {
  const queued = model.unfinished().filter((one) => one.status?.phase !== 'Running' && !model.isActive(one));
  for (const ofTarget of Map.groupBy(queued, (one) => targetOf(model, one)).values()) {
    const sorted = ofTarget
      .filter(({ spec }) => spec.suspend !== true)
      .toSorted((x, y) =>
        (x.metadata.creationTimestamp ?? '') < (y.metadata.creationTimestamp ?? '') ? -1 : 1,
      );
    const free = sorted.filter((one) => jobBefore(model.ledger, one) === undefined);
    expect(free.length, 'at most one is next').to.be.at.most(1);
    if (free[0]) expect(free[0].metadata.creationTimestamp).to.equal(sorted[0]?.metadata.creationTimestamp);
  }
}

/** Each move with the sum of its probability and of those before it. */
const MOVES: readonly (readonly [number, (model: Model, one: ZipJob, random: Random) => void])[] = [
  [0.25, (model) => model.create()],
  [0.6, (model) => model.reconcileDue()],
  [0.75, (model, one) => model.finish(one)],
  [0.85, (model, one, random) => model.put(suspended(one, random.next() < 0.5))],
  [0.9, (model) => model.moveBucket()],
  [0.95, (model, one) => !model.isActive(one) && model.remove(one)],
];

function step(model: Model, random: Random): void {
  const what = random.next();
  const any = model.unfinished();
  if (any.length === 0) model.create();
  else MOVES.find(([sum]) => what < sum)?.[1](model, random.pick(any), random);
}

describe('the order of keys in any order of events', () => {
  it('runs every job in the end, although each is reconciled only when something concerns it: 60 seeds (N31)', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = createRandom(seed);
      const model = createModel(random);
      for (let moves = 0; moves < 150; moves += 1) {
        step(model, random);
        expectOrder(model);
      }
      model.drain();
      expect(model.unfinished().map(keyOf), `seed ${seed}`).to.deep.equal([]);
    }
  });
});
