import { expect } from 'chai';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { ago, NAMESPACE } from '#test/support/builders/objects.ts';
import { running } from '#test/support/builders/zip-job-statuses.ts';
import { archived, finishedAt, unavailable, useArchiveWorlds } from './archive-world.ts';

const PENDING = { webhook: { state: 'Pending', deliveryId: 'msg_1', attempts: 1 } } as const;

describe('the archiver', () => {
  const aWorld = useArchiveWorlds();

  it('stores a finished job once, then writes the condition Archived, at one status write', async () => {
    const world = aWorld();
    void world.lead();
    world.put('running', running('p1'));
    world.put('done', finishedAt(10));
    await world.clock.advance(60_000);
    expect([...world.history.rows.keys()]).to.deep.equal(['uid-done']);
    expect(archived(world, 'done')).to.include({ status: 'True', reason: 'Archived' });
    expect(world.statusWrites).to.deep.equal(['done']);
    expect(world.reads).to.deep.equal(['done']);
    // All other fields of the controller are still in the status.
    expect(world.find('done')?.status).to.deep.include(finishedAt(10));
  });

  it('stores jobs in batches, and waits for more only for a limited time', async () => {
    const world = aWorld({ archiveBatchRows: 3, archiveBatchWaitMs: 1_000 });
    void world.lead();
    for (let n = 0; n < 7; n += 1) world.put(`job-${n}`, finishedAt(100 - n));
    await world.clock.advance(999);
    expect(world.history.calls).to.deep.equal(['write job-0 job-1 job-2', 'write job-3 job-4 job-5']);
    await world.clock.advance(1);
    expect(world.history.calls.at(-1)).to.equal('write job-6');
  });

  it('ends a batch at its limit of bytes, and continues with the next', async () => {
    const world = aWorld({ archiveBatchBytes: 1, archiveConcurrency: 2 });
    for (let n = 0; n < 5; n += 1) world.put(`job-${n}`, finishedAt(100 - n));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.calls).to.deep.equal(['write job-0 job-1', 'write job-2 job-3', 'write job-4']);
  });

  it('stores a job whose webhook is pending after a limited time without a status write, and again with its result', async () => {
    const world = aWorld();
    void world.lead();
    world.put('slow', finishedAt(10, PENDING));
    await world.clock.advance(289_000);
    expect(world.history.rows.size).to.equal(0);
    await world.clock.advance(2_000);
    expect(world.history.rows.get('uid-slow')?.job.webhookState).to.equal('Pending');
    world.put('slow', finishedAt(10, { webhook: { ...PENDING.webhook, attempts: 2 } }));
    await world.clock.advance(600_000);
    expect([world.history.calls.length, world.statusWrites]).to.deep.equal([1, []]);
    world.put('slow', finishedAt(10, { webhook: { state: 'Delivered', attempts: 3 } }));
    await world.clock.advance(1_000);
    expect(world.history.rows.get('uid-slow')?.job.webhookState).to.equal('Delivered');
    expect([world.history.inserted(), world.statusWrites]).to.deep.equal([1, ['slow']]);
  });

  it('does not replace the row of another leader with a status that is not final', async () => {
    const world = aWorld();
    const job = { uid: 'uid-slow', name: 'slow', webhookState: 'Delivered' };
    await world.history.writes.write([{ job, metadata: '', detail: '' } as never]);
    // This process was paused: it does not know yet that the webhook was delivered.
    world.put('slow', finishedAt(1_000, PENDING));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.calls).to.deep.equal(['write slow', 'write slow']);
    expect(world.history.rows.get('uid-slow')?.job.webhookState).to.equal('Delivered');
  });

  it('updates the row of an archived job whose webhook was sent again', async () => {
    const world = aWorld();
    void world.lead();
    const outdated = { type: 'Archived', status: 'True', reason: 'ArchiveOutdated', message: '' } as const;
    const conditions = [{ ...outdated, lastTransitionTime: ago(5) }];
    world.put('again', finishedAt(1_000, { ...PENDING, conditions }));
    await world.clock.advance(600_000);
    expect(world.history.calls).to.deep.equal([]);
    world.put('again', finishedAt(1_000, { webhook: { state: 'Delivered' }, conditions }));
    await world.clock.advance(1_000);
    expect(world.history.rows.get('uid-again')?.job.webhookState).to.equal('Delivered');
    expect(archived(world, 'again')).to.include({ status: 'True', reason: 'Archived' });
  });

  it('stores a job at once that is being deleted, although its webhook is pending', async () => {
    const world = aWorld();
    void world.lead();
    world.put('going', finishedAt(1, PENDING), { deletionTimestamp: ago(1) });
    await world.clock.advance(1_000);
    expect(world.history.rows.size).to.equal(1);
    expect(archived(world, 'going')?.status).to.equal('True');
  });

  it('keeps the one row if it is killed between the insert and the condition (G8)', async () => {
    const world = aWorld();
    world.put('done', finishedAt(10));
    // The leader dies: its row is committed, and nothing else happens.
    await world.history.writes.write([
      { job: { uid: 'uid-done', name: 'done' }, metadata: '', detail: '' } as never,
    ]);
    void world.lead();
    await world.clock.advance(1_000);
    expect([world.history.inserted(), world.history.rows.size]).to.deep.equal([1, 1]);
    expect(archived(world, 'done')?.status).to.equal('True');
  });

  it('does not store on a standby replica, and continues with everything that is due when it leads', async () => {
    const world = aWorld();
    for (let n = 0; n < 5; n += 1) world.put(`job-${n}`, finishedAt(100 - n));
    await world.clock.advance(600_000);
    expect([world.history.calls, world.archiver.size]).to.deep.equal([[], 5]);
    void world.lead();
    await world.clock.advance(1_000);
    expect([world.history.rows.size, world.archiver.size]).to.deep.equal([5, 0]);
  });

  it('finds the jobs that did not fit into its queue when the others are stored', async () => {
    const world = aWorld({ archiveQueueLength: 2 });
    for (let n = 0; n < 7; n += 1) world.put(`job-${n}`, finishedAt(100 - n));
    expect(world.archiver.size).to.equal(2);
    void world.lead();
    await world.clock.advance(20_000);
    expect(world.history.rows.size).to.equal(7);
    expect(world.statusWrites).to.have.length(7);
  });

  it('stores a job again that changed while it was stored', async () => {
    const world = aWorld();
    world.put('changed', finishedAt(10));
    world.history.failWith((name) => {
      if (name === 'write' && world.history.calls.length === 1)
        world.put('changed', finishedAt(10, { message: 'other' }));
      return undefined;
    });
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.inserted()).to.equal(1);
    expect(world.history.rows.get('uid-changed')?.detail).to.contain('other');
    expect(archived(world, 'changed')?.status).to.equal('True');
  });

  describe('while the database is away', () => {
    it('asks it with a capped backoff, reads no objects, loses nothing, and catches up oldest first (G8)', async () => {
      const world = aWorld({ archiveRetrySeconds: 30, archiveBatchRows: 50 });
      world.history.failWith(unavailable);
      void world.lead();
      for (let n = 0; n < 3_600; n += 10) {
        world.put(`job-${n}`, finishedAt(3_600 - n));
        if (n % 600 === 0) await world.clock.advance(600_000);
      }
      const probes = world.history.calls.filter((call) => call === 'probe').length;
      expect(probes).to.be.within(115, 245);
      // The reads of the first attempt only.
      expect(world.reads.length).to.be.at.most(50);
      expect(world.archiver.size).to.equal(360);
      expect(world.statusWrites).to.deep.equal([]);
      world.history.failWith(undefined);
      world.history.calls.length = 0;
      await world.clock.advance(60_000);
      expect([world.history.inserted(), world.statusWrites.length]).to.deep.equal([360, 360]);
      const [, first] = world.history.calls;
      expect(first?.split(' ').slice(1, 4)).to.deep.equal(['job-0', 'job-10', 'job-20']);
    });

    it('counts each failed write by its reason', async () => {
      const world = aWorld();
      world.history.failWith((name) => (name === 'write' ? unavailable() : undefined));
      world.put('done', finishedAt(10));
      void world.lead();
      await world.clock.advance(1_000);
      const { values } = await world.metrics.history.writeFailures.get();
      const counted = values.filter(({ value }) => value > 0);
      expect(counted.map(({ labels, value }) => [labels.reason, value])).to.deep.equal([
        ['HistoryUnavailable', 1],
      ]);
    });
  });

  it('tries a job again later whose condition cannot be written, and stores the others meanwhile', async () => {
    const world = aWorld({ archiveRetrySeconds: 30 });
    const cannot = new KubeError('no', { code: 'Forbidden' });
    world.put('a', finishedAt(20));
    world.put('b', finishedAt(10));
    let failures = 0;
    world.failStatus((name) => {
      if (name !== 'a' || failures >= 2) return;
      failures += 1;
      throw cannot;
    });
    void world.lead();
    await world.clock.advance(1_000);
    expect([archived(world, 'a'), archived(world, 'b')?.status]).to.deep.equal([undefined, 'True']);
    await world.clock.advance(70_000);
    expect(archived(world, 'a')?.status).to.equal('True');
    expect(world.history.inserted()).to.equal(2);
  });

  describe('while the status of a job can never be written', () => {
    const NO = new KubeError('the status is invalid', { code: 'Invalid' });

    it('counts it as pending since its end, at every moment, and counts each failure', async () => {
      const world = aWorld({ archiveRetrySeconds: 30 });
      world.failStatus((name) => {
        if (name === 'bad') throw NO;
      });
      for (const name of ['bad', 'good']) world.put(name, finishedAt(10));
      void world.lead();
      await world.clock.advance(2_000);
      const sizes = new Set<number>();
      const ends = new Set<number | undefined>();
      for (let seconds = 2; seconds < 1_800; seconds += 1) {
        await world.clock.advance(1_000);
        sizes.add(world.archiver.size);
        ends.add(world.archiver.oldestMs());
      }
      expect([[...sizes], [...ends]]).to.deep.equal([[1], [Date.parse(ago(10))]]);
      const { values } = await world.metrics.history.writeFailures.get();
      const counted = values.filter(({ value }) => value > 0);
      expect(counted.map(({ labels }) => labels.reason)).to.deep.equal(['ConditionFailed']);
      expect(counted[0]?.value).to.be.within(50, 60);
    });

    it('counts it also while the write lasts, and no more once it is deleted', async () => {
      const world = aWorld();
      const counted: unknown[] = [];
      world.failStatus(() => {
        counted.push([world.archiver.size, world.archiver.oldestMs()]);
        throw NO;
      });
      world.put('bad', finishedAt(10));
      void world.lead();
      await world.clock.advance(1_000);
      expect(counted).to.deep.equal([[1, Date.parse(ago(10))]]);
      world.zipJobs.remove(NAMESPACE, 'bad');
      expect([world.archiver.size, world.archiver.oldestMs()]).to.deep.equal([0, undefined]);
    });

    it('counts it once if it changes before it is tried again', async () => {
      const world = aWorld({ archiveRetrySeconds: 30 });
      let isBroken = true;
      world.failStatus(() => {
        if (isBroken) throw NO;
      });
      world.put('bad', finishedAt(10));
      void world.lead();
      await world.clock.advance(5_000);
      isBroken = false;
      world.put('bad', finishedAt(10, { message: 'other' }));
      expect(world.archiver.size).to.equal(1);
      await world.clock.advance(2_000);
      expect(archived(world, 'bad')?.status).to.equal('True');
      expect(world.archiver.size).to.equal(0);
    });
  });

  it('counts a job that cannot be read as pending until it is stored', async () => {
    const world = aWorld({ archiveRetrySeconds: 30 });
    let isBroken = true;
    world.failReads(() => {
      if (isBroken) throw new KubeError('not a ZipJob', { code: 'InvalidResponse' });
    });
    world.put('bad', finishedAt(10));
    void world.lead();
    await world.clock.advance(20_000);
    expect([world.archiver.size, world.archiver.oldestMs()]).to.deep.equal([1, Date.parse(ago(10))]);
    isBroken = false;
    await world.clock.advance(30_000);
    expect([world.archiver.size, archived(world, 'bad')?.status]).to.deep.equal([0, 'True']);
  });

  for (const [name, ahead] of Object.entries({ 'a few seconds': 5, 'a hundred years': 3_153_600_000 }))
    it(`stores a job that ended ${name} in the future, because another clock wrote that`, async () => {
      const world = aWorld();
      void world.lead();
      world.put('ahead', finishedAt(-ahead));
      await world.clock.advance(1_000);
      expect([...world.history.rows.keys()]).to.deep.equal(['uid-ahead']);
      expect(archived(world, 'ahead')?.status).to.equal('True');
    });

  it('leaves no timer and ends when it is stopped', async () => {
    const world = aWorld();
    world.put('slow', finishedAt(10, PENDING));
    const running = world.lead();
    await world.clock.advance(1_000);
    world.stop.abort();
    await running;
    expect(world.clock.pending).to.equal(0);
  });
});
