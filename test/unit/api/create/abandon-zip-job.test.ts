import { expect } from 'chai';
import { createAbandonZipJob } from '#api/create/abandon-zip-job.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { until } from '#test/support/until.ts';

const POLICY = { attempts: 3, baseDelayMs: 1, maxDelayMs: 1 };

function setUp(maxAtOnce = 10) {
  const lines: string[] = [];
  const jobs = createFakeObjects<ZipJob>();
  const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
  const clock = createManualClock();
  const abandon = createAbandonZipJob({ jobClient: jobs.client, log, clock, policy: POLICY, maxAtOnce });
  function deletes() {
    return jobs.calls.filter((call) => call.startsWith('delete'));
  }
  return { jobs, lines, clock, abandon, deletes };
}

describe('createAbandonZipJob', () => {
  it('deletes the job', async () => {
    const { jobs, abandon } = setUp();
    jobs.put(aZipJob());
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the job to be deleted', () => jobs.all().length === 0);
    await abandon[Symbol.asyncDispose]();
  });

  it('deletes a job that the API server creates after the first delete, and its repeated create (BC7)', async () => {
    const { jobs, lines, clock, abandon, deletes } = setUp();
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the first delete', () => deletes().length === 1 && clock.pending === 1);
    expect(lines).to.deep.equal([]);
    for (const lateMs of [1_500, 28_500, 29_999]) {
      await clock.advance(lateMs);
      jobs.put(aZipJob());
    }
    await clock.advance(1);
    await until('the end', () => clock.pending === 0);
    expect(jobs.all()).to.deep.equal([]);
    expect(lines.filter((line) => line.includes('deleted a ZipJob'))).to.have.length(1);
    expect(deletes().length).to.be.at.most(10);
    await abandon[Symbol.asyncDispose]();
  });

  it('does not say that it deleted a job that was never created (BC7)', async () => {
    const { lines, clock, abandon, deletes } = setUp();
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the first delete', () => deletes().length === 1 && clock.pending === 1);
    await clock.advance(60_000);
    expect([lines, clock.pending]).to.deep.equal([[], 0]);
    await abandon[Symbol.asyncDispose]();
  });

  it('deletes a job that was certainly created only once', async () => {
    const { jobs, clock, abandon, deletes, lines } = setUp();
    const { uid } = jobs.put(aZipJob()).metadata;
    abandon({ namespace: NAMESPACE, name: NAME, uid });
    await until('the job to be deleted', () => lines.length === 1);
    expect([deletes().length, clock.pending]).to.deep.equal([1, 0]);
    await abandon[Symbol.asyncDispose]();
  });

  it('retries the delete of a job that was certainly created, then logs that the job remains', async () => {
    const { jobs, abandon, lines, deletes } = setUp();
    jobs.fail(unreachable());
    abandon({ namespace: NAMESPACE, name: NAME, uid: 'uid' });
    await until('the last attempt', () => lines.some((line) => line.includes('start deadline')));
    expect(deletes()).to.have.length(3);
    await abandon[Symbol.asyncDispose]();
  });

  it('repeats only the last delete of a job that may be created late, since others follow (BC7)', async () => {
    const { jobs, abandon, lines, clock, deletes } = setUp();
    jobs.fail(unreachable());
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the first delete', () => deletes().length === 1 && clock.pending === 1);
    await clock.advance(59_999);
    expect([deletes().length, lines]).to.deep.equal([6, []]);
    await clock.advance(1);
    await until('the last attempt', () => lines.some((line) => line.includes('start deadline')));
    expect(deletes()).to.have.length(9);
    await abandon[Symbol.asyncDispose]();
  });

  it('limits concurrent deletions, and logs the number of the others once a minute (BC7)', async () => {
    const { jobs, abandon, deletes, lines, clock } = setUp(2);
    const held = Promise.withResolvers<void>();
    jobs.holdUntil(held.promise);
    function abandonSome(count: number): void {
      for (let n = 0; n < count; n += 1) abandon({ namespace: NAMESPACE, name: `job-${n}`, uid: 'uid' });
    }
    function counts() {
      return lines.map((line) => (JSON.parse(line) as { readonly zipJobs?: number }).zipJobs);
    }
    abandonSome(5);
    expect([deletes().length, counts()]).to.deep.equal([2, [1]]);
    clock.jump(60_000);
    abandonSome(3);
    expect(counts()).to.deep.equal([1, 3]);
    held.resolve();
    await abandon[Symbol.asyncDispose]();
    expect(counts().reduce<number>((sum, count) => sum + (count ?? 0), 0)).to.equal(8);
  });

  it('logs the number of jobs that it does not delete because the API stops (BC7)', async () => {
    const { abandon, deletes, lines, clock } = setUp();
    for (const name of ['a', 'b', 'c']) abandon({ namespace: NAMESPACE, name });
    await until('the first deletes', () => deletes().length === 3 && clock.pending === 3);
    await abandon[Symbol.asyncDispose]();
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('"zipJobs":3').and.to.contain('the API stops');
    clock.jump(60_000);
    abandon({ namespace: NAMESPACE, name: 'd' });
    expect([deletes().length, lines.length]).to.deep.equal([3, 2]);
  });
});
