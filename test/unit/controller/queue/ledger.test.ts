import { expect } from 'chai';
import { REASONS } from '#crds/conditions.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { end, queuedJob as job, type QueuedJobChange } from '#test/support/builders/queued-jobs.ts';
import { aCondition } from '#test/support/builders/zip-job-statuses.ts';
import { type Limits, setUp } from './ledger-setup.ts';

describe('the ledger', () => {
  const limits: readonly { name: string; limits: Limits; second: QueuedJobChange; want: RegExp }[] = [
    {
      name: 'in total',
      limits: { inAll: 1 },
      second: { bucket: 's3-y' },
      want: /^at most 1 jobs can run at the same time in total/,
    },
    {
      name: 'of the project',
      limits: { ofProject: () => 1 },
      second: { bucket: 's3-y' },
      want: /of this project/,
    },
    { name: 'of the bucket', limits: { perBucket: 1 }, second: {}, want: /of one bucket/ },
  ];
  for (const { name, limits: given, second, want } of limits)
    it(`enforces the limit ${name}, reports it, and reserves for the next job when a slot becomes free (F22)`, () => {
      const { ledger, reserved, reserve } = setUp(given);
      const first = job('first');
      expect(reserve(first, first)).to.deep.equal(['reserved', 'reserved']);
      const next = job('second', second);
      const turn = ledger.reserve(next);
      expect(turn.blocked).to.include({ reason: 'SlotsTaken' });
      expect(turn.blocked?.message).to.match(want);
      expect(reserved).to.deep.equal([]);
      end(ledger, first);
      expect(reserved).to.deep.equal([keyOf(next)]);
      expect(reserve(next)).to.deep.equal(['reserved']);
    });

  it('lets one job at a time try a bucket whose store is away, and all others of it wait (F36)', () => {
    const { ledger, reserved, held, reserve } = setUp();
    const [first, second, third] = [
      job('first', { age: 50 }),
      job('second', { age: 40 }),
      job('third', { age: 30 }),
    ];
    reserve(first);
    held.add('a/s3-x');
    expect(reserve(second, third)).to.deep.equal(['waiting', 'waiting']);
    expect(ledger.position(second).blocked?.message).to.contain('does not respond');
    expect(reserve(job('elsewhere', { bucket: 's3-y' }))).to.deep.equal(['reserved']);
    end(ledger, first);
    expect(reserved).to.deep.equal(['a/second']);
    held.clear();
    ledger.refresh();
    expect(reserved).to.deep.equal(['a/second', 'a/third']);
  });

  it('serves the oldest job of a project whose bucket has room (F22)', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1, perBucket: 1 });
    const first = job('first', { bucket: 's3-z' });
    reserve(first, job('young', { age: 10 }), job('old', { age: 50 }), job('middle', { age: 30 }));
    end(ledger, first);
    expect(reserved).to.deep.equal(['a/old']);
    ledger.see({ kind: 'deleted', key: 'a/old', before: job('old') });
    ledger.release('a/middle');
    expect(reserved).to.deep.equal(['a/old', 'a/middle', 'a/young']);
  });

  it('orders jobs of the same second by their time of acceptance', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1 });
    function accepted(name: string, ms: string) {
      return {
        ...job(name),
        metadata: {
          ...job(name).metadata,
          annotations: { 'zipjobs.dev/accepted-at': `2026-05-04T11:59:00.${ms}Z` },
        },
      };
    }
    const first = job('first', { age: 90 });
    reserve(first, accepted('a', '300'), accepted('b', '100'), accepted('c', '200'));
    end(ledger, first);
    end(ledger, accepted('b', '100'));
    expect(reserved).to.deep.equal(['a/b', 'a/c']);
  });

  it('serves projects round-robin, even if there are more projects than slots (F22)', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1 });
    reserve(job('a0'), job('a1', { age: 59 }), job('a2', { age: 58 }), job('a3', { age: 57 }));
    reserve(
      job('b1', { project: 'b', age: 9 }),
      job('b2', { project: 'b', age: 8 }),
      job('c1', { project: 'c', age: 1 }),
    );
    const started = ['a/a0', 'b/b1'];
    for (let ended = 0; ended < 7; ended += 1) {
      const [project = '', name = ''] = [...started, ...reserved][ended]?.split('/') ?? [];
      end(ledger, job(name, { project }));
    }
    expect(reserved).to.deep.equal(['a/a1', 'b/b2', 'c/c1', 'a/a2', 'a/a3']);
  });

  it('counts jobs that are already running at the start, and every job once', () => {
    const { ledger, reserve } = setUp({ inAll: 2 });
    const running = job('r', { status: { phase: 'Running' } });
    for (const before of [undefined, running])
      ledger.see({ kind: 'set', key: keyOf(running), object: running, before });
    ledger.hold(running);
    expect(reserve(job('x'), job('y'))).to.deep.equal(['reserved', 'waiting']);
  });

  it('keeps the slot and the key of a finished job until its pod is gone, also after a restart (F34)', () => {
    const first = job('first');
    const active = { name: 'first', uid: 'j', podUid: 'p' };
    const finished = { ...first, status: { phase: 'Succeeded', job: active } } as const;
    const gone = { ...first, status: { phase: 'Succeeded', job: { name: 'first', uid: 'j' } } } as const;
    for (const isRestarted of [false, true]) {
      const { ledger, reserved, reserve } = setUp({ inAll: 1 });
      if (!isRestarted) reserve(first);
      ledger.see({ kind: 'set', key: keyOf(first), object: finished, before: undefined });
      expect(reserve(job('second'))).to.deep.equal(['waiting']);
      ledger.see({ kind: 'set', key: keyOf(first), object: gone, before: finished });
      expect(reserved).to.deep.equal([keyOf(job('second'))]);
    }
  });

  for (const [what, limits] of [
    ['in total', { inAll: 1 }],
    ['of its project', { ofProject: () => 1 }],
    ['of its bucket', { perBucket: 1 }],
  ] as const)
    it(`gives the slot ${what} of a job whose recovery cannot continue to another, but not its key (F25) (F47)`, () => {
      const { ledger, reserved, reserve } = setUp(limits);
      const lost = job('lost', { age: 90 });
      const sameKey = { ...job('rerun', { age: 80 }), spec: lost.spec };
      expect(reserve(lost, sameKey, job('next'))).to.deep.equal(['reserved', 'waiting', 'waiting']);
      function see(message: string): void {
        const status = {
          phase: 'Running' as const,
          conditions: [aCondition('Recovered', ['False', 'Recovering'], { message })],
        };
        ledger.see({ kind: 'set', key: keyOf(lost), object: { ...lost, status }, before: lost });
      }
      see(REASONS.Recovering);
      expect(reserved).to.deep.equal([]);
      for (const message of ['the store is away', 'the store is still away']) see(message);
      expect(reserved).to.deep.equal(['a/next']);
      end(ledger, job('next'));
      expect(reserved).to.deep.equal(['a/next']);
      end(ledger, lost);
      expect(reserved).to.deep.equal(['a/next', 'a/rerun']);
    });

  it('does not limit jobs of a trusted queue', () => {
    const { ledger, reserve } = setUp({ inAll: 1 });
    const elsewhere = { ...job('k'), spec: { ...job('k').spec, queueName: 'night' } };
    const object = { ...elsewhere, status: { phase: 'Starting' } as const };
    expect(reserve(elsewhere)).to.deep.equal(['reserved']);
    ledger.see({ kind: 'set', key: keyOf(object), object, before: undefined });
    expect(reserve(job('x'))).to.deep.equal(['reserved']);
  });

  it('limits jobs of a queue that is not trusted', () => {
    const { ledger, reserve } = setUp({ inAll: 1 });
    const unknown = { ...job('k'), spec: { ...job('k').spec, queueName: 'mine' } };
    expect(reserve(unknown, job('x'))).to.deep.equal(['reserved', 'waiting']);
    ledger.release(keyOf(unknown));
    ledger.hold(unknown);
    expect(reserve(job('y'))).to.deep.equal(['waiting']);
  });

  it('reserves nothing while jobs are paused, even in trusted queues, and resumes afterwards', () => {
    const { ledger, reserved, pause, reserve } = setUp({ inAll: 1 });
    const running = job('r');
    ledger.hold(running);
    expect(reserve(job('before'))).to.deep.equal(['waiting']);
    pause.reason = 'incident 42';
    ledger.release(keyOf(running));
    const elsewhere = { ...job('k'), spec: { ...job('k').spec, queueName: 'night' } };
    for (const one of [job('new'), elsewhere])
      expect(ledger.reserve(one)).to.deep.equal({
        state: 'waiting',
        blocked: { reason: 'Paused', message: 'all jobs are paused: incident 42' },
      });
    expect(reserved).to.deep.equal([]);
    pause.reason = undefined;
    ledger.refresh();
    expect(reserved).to.deep.equal([keyOf(elsewhere), keyOf(job('before'))]);
  });

  it('frees the slot of a job that was replaced by another of the same name', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1 });
    const old = job('same');
    reserve(old, job('other', { age: 1 }));
    const fresh = { ...old, metadata: { ...old.metadata, uid: 'another' } };
    ledger.see({ kind: 'set', key: keyOf(old), object: fresh, before: old });
    expect(reserved).to.deep.equal(['a/other']);
  });

  it('keeps the slot of a job that started since it was observed', () => {
    const { ledger, reserve } = setUp();
    const one = job('one');
    reserve(one);
    ledger.hold(one);
    ledger.release(keyOf(one), 'reserved');
    expect(ledger.position(one)).to.deep.equal({ state: 'running' });
    ledger.release(keyOf(one), 'running');
    expect(ledger.position(one)).to.deep.equal({ state: 'none' });
  });

  it('changes nothing when it returns a position', () => {
    const { ledger, reserved, reserve } = setUp({ inAll: 1 });
    const [one, other] = [job('one'), job('other')];
    reserve(one);
    expect(ledger.position(other)).to.deep.equal({ state: 'none' });
    ledger.release(keyOf(one));
    expect([reserved, ledger.position(one), ledger.position(other)]).to.deep.equal([
      [],
      { state: 'none' },
      { state: 'none' },
    ]);
  });

  it('starts nothing while the limit is 0, and resumes when the limit of a project is raised', () => {
    let most = 0;
    const { ledger, reserved, reserve } = setUp({ ofProject: () => most });
    expect(reserve(job('one'))).to.deep.equal(['waiting']);
    most = 1;
    ledger.refresh();
    expect(reserved).to.deep.equal(['a/one']);
  });

  it('reserves no faster than the rate, without further requests', async () => {
    const { ledger, reserved, clock, reserve } = setUp({}, 2);
    expect(reserve(job('1'), job('2'), job('3'), job('4'))).to.deep.equal([
      'reserved',
      'reserved',
      'waiting',
      'waiting',
    ]);
    expect(ledger.position(job('3')).blocked?.message).to.equal('at most 2 jobs can start per second');
    await clock.advance(499);
    expect(reserved).to.deep.equal([]);
    await clock.advance(2);
    expect(reserved).to.deep.equal(['a/3']);
    await clock.advance(500);
    expect(reserved).to.deep.equal(['a/3', 'a/4']);
    expect(clock.pending).to.equal(0);
  });
});
