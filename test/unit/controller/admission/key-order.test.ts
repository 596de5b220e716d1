/** Which job of one key of a bucket comes first. */
import { expect } from 'chai';
import { createLedger, type Ledger } from '#controller/admission/ledger.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago } from '#test/support/builders/objects.ts';
import { end, type QueuedJobChange, queuedJob } from '#test/support/builders/queued-jobs.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { setUp } from './ledger-setup.ts';

const job = (name: string, age: number, change: QueuedJobChange = {}): ZipJob =>
  queuedJob(name, { key: 'k', age, ...change });

const see = (ledger: Ledger, ...jobs: readonly ZipJob[]): void => {
  for (const object of jobs) ledger.see({ kind: 'set', key: keyOf(object), object, before: undefined });
};

const suspended = (one: ZipJob, suspend = true): ZipJob => ({ ...one, spec: { ...one.spec, suspend } });

const acceptedAt = (one: ZipJob, seconds: number): ZipJob => ({
  ...one,
  metadata: { ...one.metadata, annotations: { [ANNOTATIONS.acceptedAt]: ago(seconds) } },
});

/** Name of the job that runs before this one. */
const before = (ledger: Ledger, zipJob: ZipJob): string | undefined => {
  const { blocked } = ledger.position(zipJob);
  return blocked?.reason === 'OlderJobFirst' ? /job (\S+) writes/.exec(blocked.message)?.[1] : undefined;
};

describe('the next job of a key', () => {
  const b = job('b', 50);
  const cases: readonly { name: string; others: readonly ZipJob[]; want?: string }[] = [
    { name: 'goes without others', others: [] },
    { name: 'waits behind an older job', others: [job('a', 60)], want: 'a' },
    { name: 'goes before a younger job', others: [job('a', 40)] },
    {
      name: 'waits behind a younger job that is already running',
      others: [job('c', 40, { status: running('p') })],
      want: 'c',
    },
    {
      name: 'waits behind a job of the same second that was accepted earlier',
      others: [acceptedAt(job('c', 50), 61)],
      want: 'c',
    },
    {
      name: 'is found by name among jobs of the same second and acceptance',
      others: [job('a', 50), job('c', 50)],
      want: 'a',
    },
    { name: 'goes before a suspended older job', others: [suspended(job('a', 60))] },
    { name: 'goes before an older job of another key', others: [job('a', 60, { key: 'other' })] },
    { name: 'goes before an older job of another bucket', others: [job('a', 60, { bucket: 's3-y' })] },
    { name: 'goes before an older job of another project', others: [job('a', 60, { project: 'b' })] },
  ];
  for (const { name, others, want } of cases)
    it(name, () => {
      for (const jobs of [
        [...others, b],
        [b, ...others],
      ]) {
        const { ledger } = setUp();
        see(ledger, ...jobs);
        expect(before(ledger, b)).to.equal(want);
      }
    });

  it('names the job that runs directly before it', () => {
    const { ledger } = setUp();
    see(ledger, job('a', 60, { status: running('p') }), b, job('c', 40), job('d', 30));
    expect(['b', 'c', 'd'].map((name) => before(ledger, job(name, 0)))).to.deep.equal(['a', 'b', 'c']);
  });

  it('waits again when an older job is resumed, also if it had requested a slot', () => {
    const { ledger, reserved, reserve } = setUp({ perBucket: 1 });
    const [blocking, old] = [job('x', 90, { key: 'other' }), job('a', 60)];
    reserve(blocking);
    see(ledger, suspended(old), b);
    expect(reserve(b)).to.deep.equal(['waiting']);
    see(ledger, suspended(old, false));
    expect(before(ledger, b)).to.equal('a');
    expect(reserve(old)).to.deep.equal(['waiting']);
    end(ledger, blocking);
    expect(reserved).to.deep.equal(['a/a']);
  });

  for (const [what, change] of [
    ['is suspended', (ledger: Ledger, one: ZipJob) => see(ledger, suspended(one))],
    [
      'is deleted',
      (ledger: Ledger, one: ZipJob) => ledger.see({ kind: 'deleted', key: keyOf(one), before: one }),
    ],
    ['does not exist', (ledger: Ledger, one: ZipJob) => ledger.forget(keyOf(one))],
    ['ends', end],
  ] as const)
    it(`is reported when the job before it ${what}, and no other job is`, () => {
      const { ledger, next } = setUp();
      const old = job('a', 60);
      see(ledger, old, b, job('c', 40));
      expect(next).to.deep.equal([]);
      change(ledger, old);
      expect(next).to.deep.equal(['a/b']);
    });

  it('is not reported when it gives its own place up, because it would request it again at once', () => {
    const { ledger, next, reserve } = setUp();
    see(ledger, b, job('c', 40));
    reserve(b);
    ledger.release(keyOf(b));
    expect(next).to.deep.equal([]);
    expect(before(ledger, job('c', 40))).to.equal('b');
  });

  describe('of a bucket with two ZipBuckets (F43)', () => {
    const other = job('a', 60, { bucket: 'r2-x' });

    it('waits for jobs of the other ZipBucket, also in a trusted queue', () => {
      const { ledger, buckets, reserve } = setUp();
      for (const name of ['a/s3-x', 'a/r2-x']) buckets.set(name, 'store/x');
      see(ledger, other, b);
      expect(before(ledger, b)).to.equal('a');
      reserve(other);
      expect(before(ledger, b)).to.equal('a');
    });

    it('never waits for a job of another project, which is reported as sharing its target', () => {
      const { ledger, buckets } = setUp();
      for (const name of ['a/s3-x', 'b/s3-x']) buckets.set(name, 'store/x');
      const [foreign, elsewhere] = [job('f', 60, { project: 'b' }), job('e', 60, { key: 'other' })];
      see(ledger, b, elsewhere);
      expect([b, elsewhere].map((one) => ledger.sharesTarget(one))).to.deep.equal([false, false]);
      see(ledger, foreign);
      expect(before(ledger, b)).to.equal(undefined);
      expect([b, foreign, elsewhere].map((one) => ledger.sharesTarget(one))).to.deep.equal([
        true,
        true,
        false,
      ]);
      end(ledger, foreign);
      expect(ledger.sharesTarget(b)).to.equal(false);
    });

    it('moves when its ZipBucket becomes known or changes, and keeps what is already running', () => {
      const { ledger, buckets, next, reserve } = setUp();
      const active = job('r', 70, { bucket: 'r2-x' });
      see(ledger, active, other, b);
      reserve(active);
      expect(before(ledger, b)).to.equal(undefined);
      for (const name of ['a/s3-x', 'a/r2-x']) {
        buckets.set(name, 'store/x');
        ledger.seeBucket(name);
      }
      expect([before(ledger, other), before(ledger, b)]).to.deep.equal([undefined, 'a']);
      buckets.set('a/r2-x', 'elsewhere/x');
      ledger.seeBucket('a/r2-x');
      expect(before(ledger, b)).to.equal(undefined);
      expect(next).to.include('a/b');
    });
  });
});

const UNKNOWN = 'unknown';
const PLACES = ['store/x', 'store/y', UNKNOWN];

/** Jobs, ZipBuckets and a ledger that random moves change. The controller requests a slot only for jobs that it was told about. */
const createModel = (random: Random) => {
  const jobs = new Map<string, ZipJob>();
  const places = new Map<string, string>();
  const told = new Set<string>();
  const tell = (key: string): void => {
    told.add(key);
  };
  const ledger = createLedger({
    limits: { inAll: 4, perBucket: 3, ofProject: () => 3 },
    trustedQueues: ['night'],
    pause: { reason: undefined },
    rate: { perSecond: 1e6, burst: 1e6 },
    clock: createManualClock(),
    physicalBucket: (bucket) => places.get(bucket),
    onReserved: tell,
    onNext: tell,
  });
  const put = (object: ZipJob): void => {
    const key = keyOf(object);
    const known = jobs.get(key);
    jobs.set(key, object);
    ledger.see({ kind: 'set', key, object, before: known });
    tell(key);
  };
  const isActive = (one: ZipJob): boolean => ['reserved', 'running'].includes(ledger.position(one).state);
  let n = 0;
  const create = (): void => {
    n += 1;
    const one = job(`j${n}`, random.int(0, 90), {
      project: random.pick(['a', 'b']),
      bucket: random.pick(['s3-x', 'r2-x']),
      key: random.pick(['k', 'l']),
    });
    put(random.next() < 0.2 ? { ...one, spec: { ...one.spec, queueName: 'night' } } : one);
  };
  const unfinished = (): readonly ZipJob[] => [...jobs.values()].filter((one) => !isFinished(one));
  const finish = (one: ZipJob): void => put({ ...one, status: { phase: 'Succeeded' } });
  const reconcile = (key: string): void => {
    told.delete(key);
    const one = jobs.get(key);
    if (!one || isFinished(one) || one.spec.suspend === true || one.status?.phase === 'Running') return;
    if (ledger.position(one).blocked?.reason === 'OlderJobFirst') return;
    if (ledger.reserve(one).state !== 'reserved') return;
    ledger.hold(one);
    put({ ...one, status: { phase: 'Running' } });
  };
  const moveBucket = (): void => {
    const bucket = `${random.pick(['a', 'b'])}/${random.pick(['s3-x', 'r2-x'])}`;
    const place = random.pick(PLACES);
    if (place === UNKNOWN) places.delete(bucket);
    else places.set(bucket, place);
    ledger.seeBucket(bucket);
  };
  return { jobs, places, told, ledger, isActive, create, put, unfinished, finish, reconcile, moveBucket };
};
type Model = ReturnType<typeof createModel>;

const targetOf = ({ places }: Model, { metadata, spec }: ZipJob): string => {
  const bucket = `${metadata.namespace}/${spec.bucketRef.name}`;
  return `${metadata.namespace} ${places.get(bucket) ?? bucket} ${spec.key}`;
};

/** Nothing runs before the oldest of those that are not suspended. Jobs that run may have started when their bucket was another. */
const expectOrder = (model: Model): void => {
  const queued = model.unfinished().filter((one) => one.status?.phase !== 'Running' && !model.isActive(one));
  for (const ofTarget of Map.groupBy(queued, (one) => targetOf(model, one)).values()) {
    const sorted = ofTarget
      .filter(({ spec }) => spec.suspend !== true)
      .toSorted((x, y) =>
        (x.metadata.creationTimestamp ?? '') < (y.metadata.creationTimestamp ?? '') ? -1 : 1,
      );
    const free = sorted.filter((one) => before(model.ledger, one) === undefined);
    expect(free.length, 'at most one is next').to.be.at.most(1);
    if (free[0]) expect(free[0].metadata.creationTimestamp).to.equal(sorted[0]?.metadata.creationTimestamp);
  }
};

const step = (model: Model, random: Random): void => {
  const what = random.next();
  const any = model.unfinished();
  const one = any.length > 0 ? random.pick(any) : undefined;
  if (what < 0.25 || !one) model.create();
  else if (what < 0.6) for (const key of [...model.told]) model.reconcile(key);
  else if (what < 0.75) model.finish(one);
  else if (what < 0.85) model.put(suspended(one, random.next() < 0.5));
  else if (what < 0.9) model.moveBucket();
  else if (what < 0.95 && !model.isActive(one)) {
    model.jobs.delete(keyOf(one));
    model.ledger.see({ kind: 'deleted', key: keyOf(one), before: one });
  }
};

describe('the order of keys in any order of events', () => {
  it('runs every job in the end, although each is reconciled only when something concerns it: 60 seeds (N31)', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = createRandom(seed);
      const model = createModel(random);
      for (let moves = 0; moves < 150; moves += 1) {
        step(model, random);
        expectOrder(model);
      }
      for (const one of model.unfinished()) if (one.spec.suspend === true) model.put(suspended(one, false));
      for (let rounds = 0; rounds < 500 && model.unfinished().length > 0; rounds += 1) {
        for (const key of [...model.told]) model.reconcile(key);
        for (const one of model.unfinished()) if (one.status?.phase === 'Running') model.finish(one);
      }
      expect(model.unfinished().map(keyOf), `seed ${seed}`).to.deep.equal([]);
    }
  });
});
