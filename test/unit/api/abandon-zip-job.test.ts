import { expect } from 'chai';
import { createAbandonZipJob } from '#api/abandon-zip-job.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { createLogger } from '#runtime/log.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { until } from '#test/support/until.ts';

const POLICY = { attempts: 3, baseDelayMs: 1, maxDelayMs: 1 };

const setUp = (maxAtOnce = 10) => {
  const lines: string[] = [];
  const jobs = createFakeObjects<ZipJob>();
  const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
  const abandon = createAbandonZipJob({ jobClient: jobs.client, log, policy: POLICY, maxAtOnce });
  return { jobs, lines, abandon, deletes: () => jobs.calls.filter((call) => call.startsWith('delete')) };
};

describe('createAbandonZipJob', () => {
  it('deletes the job', async () => {
    const { jobs, abandon } = setUp();
    jobs.put(aZipJob());
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the job to be deleted', () => jobs.all().length === 0);
    await abandon[Symbol.asyncDispose]();
  });

  it('retries, then logs that the job remains', async () => {
    const { jobs, abandon, lines, deletes } = setUp();
    jobs.fail(unreachable());
    abandon({ namespace: NAMESPACE, name: NAME });
    await until('the last attempt', () => lines.some((line) => line.includes('start deadline')));
    expect(deletes()).to.have.length(3);
    await abandon[Symbol.asyncDispose]();
  });

  it('limits concurrent deletions and deletes nothing after disposal', async () => {
    const { jobs, abandon, deletes } = setUp(2);
    jobs.holdUntil(Promise.withResolvers<void>().promise);
    for (const name of ['a', 'b', 'c']) abandon({ namespace: NAMESPACE, name });
    expect(deletes()).to.have.length(2);
    jobs.holdUntil(undefined);
    const { abandon: ended, deletes: none } = setUp();
    await ended[Symbol.asyncDispose]();
    ended({ namespace: NAMESPACE, name: NAME });
    expect(none()).to.have.length(0);
  });
});
