import { expect } from 'chai';
import { startDeadline } from '#controller/zip-job/policies/start-deadline.ts';
import { ago, aJob, aPod, aZipJob } from '#test/support/builders/objects.ts';
import { aCondition, starting } from '#test/support/builders/zip-job-statuses.ts';

describe('startDeadline', () => {
  const LIMITED = { trustedQueues: [] };
  function at(seconds: number): Date {
    return new Date(Date.parse(ago(seconds)));
  }
  it('counts from the creation of the Job', () => {
    expect(startDeadline(aZipJob({ spec: { startDeadlineSeconds: 30 } }), aJob(), LIMITED)).to.deep.equal(
      at(20),
    );
  });
  it('adds the backoff of the Job between two pods, and counts from the pod once it exists', () => {
    const status = { ...starting(), attempts: [{ n: 1, podUid: 'p', finishedAt: ago(10) }] };
    expect(startDeadline(aZipJob({ status }), aJob(), LIMITED)).to.deep.equal(at(10 - 360 - 600));
    const pod = aPod('p2', { metadata: { creationTimestamp: ago(3) } });
    expect(startDeadline(aZipJob({ status }), aJob(), { ...LIMITED, pod })).to.deep.equal(at(3 - 600));
  });
  it('applies to a Job that waits in a queue that is not trusted', () => {
    const queued = aZipJob({ spec: { queueName: 'night', startDeadlineSeconds: 30 } });
    expect(startDeadline(queued, aJob(), { trustedQueues: ['day'] })).to.deep.equal(at(20));
  });
  it('counts from the admission of a Job that waits in a trusted queue, not from its creation', () => {
    const queued = aZipJob({ spec: { queueName: 'night' } });
    for (const trusted of ['night', '*'])
      expect(startDeadline(queued, aJob(), { trustedQueues: [trusted] })).to.equal(undefined);
    const started = aJob({ status: { startTime: ago(7) } });
    expect(startDeadline(queued, started, LIMITED)).to.deep.equal(at(7 - 600));
    const again = aZipJob({
      spec: { queueName: 'night' },
      status: { ...starting(), attempts: [{ n: 1, podUid: 'p', finishedAt: ago(90) }] },
    });
    expect(startDeadline(again, started, LIMITED)).to.deep.equal(at(7 - 360 - 600));
  });
  it('does not apply in our queue unless an external reason blocks the job', () => {
    expect(startDeadline(aZipJob(), undefined, LIMITED)).to.equal(undefined);
    const status = { conditions: [aCondition('Waiting', ['True', 'QuotaExceeded'])] };
    expect(startDeadline(aZipJob({ status }), undefined, LIMITED)).to.deep.equal(at(30 - 600));
  });
});
