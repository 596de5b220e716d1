import { expect } from 'chai';
import { createSurplusJobs, type SurplusJobsOptions } from '#controller/zip-job/lifetime/surplus-jobs.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { type Change, objectKey } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aCondition, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

const HOUR_MS = 3_600_000;

function setUp(
  change: { storedJobs?: number; storedBytes?: number } = {},
  config: Partial<SurplusJobsOptions['config']> = {},
) {
  const clock = createManualClock();
  const chosen: string[] = [];
  const limits = { storedJobs: 10, storedBytes: 1e9, ...change };
  const stop = new AbortController();
  const surplus = createSurplusJobs({
    signal: stop.signal,
    limitsOf: () => limits,
    config: { fullProjectTtlSeconds: 86_400, historyHost: '', historyWhenFull: 'refuse', ...config },
    clock,
    onSurplus: (_namespace, keys) => chosen.push(...keys.map((key) => key.slice(key.indexOf('/') + 1))),
  });
  function jobOf(name: string, status: ZipJobStatus): ZipJob {
    return aZipJob({ metadata: { name }, status });
  }
  function see(name: string, status: ZipJobStatus): void {
    const object = jobOf(name, status);
    surplus.see({ kind: 'set', key: objectKey(object), object, before: undefined });
  }
  /** A job that finished this many hours ago. */
  function done(name: string, hours: number, more: Partial<ZipJobStatus> = {}): void {
    const finishedAt = new Date(clock.date().getTime() - hours * HOUR_MS).toISOString();
    see(name, finishedAs('Succeeded', { finishedAt, ...more }));
  }
  function remove(name: string): void {
    const before = jobOf(name, running('p'));
    const change: Change<ZipJob> = { kind: 'deleted', key: objectKey(before), before };
    surplus.see(change);
  }
  function isSurplus(name: string): boolean {
    return surplus.isSurplus(objectKey(jobOf(name, {})));
  }
  return { surplus, stop, clock, limits, chosen, see, done, remove, isSurplus };
}

describe('createSurplusJobs', () => {
  it('chooses the oldest finished jobs until a tenth of the limit is free (N2)', async () => {
    const { clock, chosen, see, done, isSurplus } = setUp();
    for (let n = 0; n < 6; n += 1) see(`running-${n}`, running('p'));
    done('b', 40);
    done('a', 50);
    done('c', 30);
    done('d', 26);
    done('e', 25);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['a', 'b']);
    expect(isSurplus('a') && isSurplus('b')).to.equal(true);
    expect(isSurplus('c')).to.equal(false);
  });

  it('chooses none below that (N2)', async () => {
    const { clock, chosen, done } = setUp();
    for (let n = 0; n < 9; n += 1) done(`old-${n}`, 100);
    await clock.advance(120_000);
    expect(chosen).to.deep.equal([]);
    expect(clock.pending).to.equal(0);
  });

  it('leaves jobs that are younger than a day or whose webhook is pending, and takes them later (N2)', async () => {
    const { clock, chosen, see, done } = setUp();
    for (let n = 0; n < 8; n += 1) see(`running-${n}`, running('p'));
    done('young', 23.5);
    done('unsent', 100, { webhook: { state: 'Pending' } });
    done('not exited', 100, { job: { name: 'a', uid: 'j', podUid: 'p' } });
    await clock.advance(2_000);
    expect(chosen).to.deep.equal([]);
    done('unsent', 100, { webhook: { state: 'Exhausted' } });
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['unsent']);
    see('running-8', running('p'));
    await clock.advance(HOUR_MS);
    expect(chosen).to.deep.equal(['unsent', 'young']);
  });

  it('counts bytes as well as jobs (N2)', async () => {
    const { clock, chosen, done } = setUp({ storedJobs: 1_000, storedBytes: 2_000 });
    done('a', 50);
    done('b', 40);
    done('c', 30);
    await clock.advance(2_000);
    expect(chosen[0]).to.equal('a');
    expect(chosen).to.not.include('c');
  });

  it('spares a job again when others were deleted or the limit was raised (N2)', async () => {
    const { surplus, clock, limits, chosen, done, remove, isSurplus } = setUp();
    for (let n = 0; n < 11; n += 1) done(`old-${n}`, 100 - n);
    await clock.advance(2_000);
    expect(chosen).to.deep.equal(['old-0', 'old-1']);
    remove('old-0');
    await clock.advance(2_000);
    expect(isSurplus('old-1')).to.equal(true);
    limits.storedJobs = 50;
    surplus.refresh(aZipJob().metadata.namespace);
    expect(isSurplus('old-1')).to.equal(false);
    expect(clock.pending).to.equal(0);
  });

  describe('with a history', () => {
    const archived = { conditions: [aCondition('Archived', ['True', 'Archived'])] };
    function fill(historyWhenFull: 'refuse' | 'drop') {
      const world = setUp({}, { historyHost: 'db.example', historyWhenFull });
      for (let n = 0; n < 8; n += 1) world.done(`lacking-${n}`, 100 - n);
      world.done('archived', 0.5, archived);
      world.see('running', running('p'));
      world.see('another', running('p'));
      return world;
    }

    it('chooses archived jobs of any age, and no job that the history lacks (G8, N2)', async () => {
      const { clock, chosen } = fill('refuse');
      await clock.advance(HOUR_MS);
      expect(chosen).to.deep.equal(['archived']);
    });

    it('then drops the oldest jobs that the history lacks, if the operator wants that (G8, N2)', async () => {
      const { clock, chosen } = fill('drop');
      await clock.advance(2_000);
      expect(chosen).to.deep.equal(['archived', 'lacking-0']);
    });
  });

  it('leaves no timer that would keep the process alive', async () => {
    const { stop, clock, chosen, done } = setUp({ storedJobs: 1 });
    done('a', 1);
    expect(clock.pending).to.equal(1);
    stop.abort();
    done('b', 100);
    await clock.advance(120_000);
    expect([clock.pending, chosen]).to.deep.equal([0, []]);
  });

  it('forgets a project without jobs', async () => {
    const { clock, done, remove, isSurplus } = setUp({ storedJobs: 1 });
    done('a', 100);
    remove('a');
    expect(clock.pending).to.equal(0);
    expect(isSurplus('a')).to.equal(false);
  });
});
