import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { createJobChoices } from '#dashboard/live/job-choices.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

function job(name: string, { bucket = 's3-a', token = '', status = {} as ZipJobStatus } = {}): ListedJob {
  return toListedJob(
    aZipJob({
      metadata: { name, annotations: token === '' ? {} : { [ANNOTATIONS.createdBy]: token } },
      spec: { bucketRef: { name: bucket } },
      status,
    }),
  );
}

describe('createJobChoices', () => {
  function fixture() {
    const choices = createJobChoices();
    return {
      set: (object: ListedJob, before?: ListedJob): void =>
        choices.note({ kind: 'set', key: `${NAMESPACE}/${object.metadata.name}`, object, before }),
      drop: (before: ListedJob): void =>
        choices.note({ kind: 'deleted', key: `${NAMESPACE}/${before.metadata.name}`, before }),
      of: (kind: 'bucket' | 'reason' | 'token') => choices.of(NAMESPACE, kind),
      choices,
    };
  }

  it('lists each bucket, token and reason once, sorted', () => {
    const { set, of } = fixture();
    const failed = { phase: 'Failed', reason: 'SourceNotFound' } as const;
    set(job('a', { bucket: 's3-x', token: 'shop', status: failed }));
    set(job('b', { bucket: 'r2-y', token: 'shop', status: failed }));
    set(job('c', { bucket: 's3-x', status: { phase: 'Queued', reason: 'SlotsTaken' } }));
    expect(of('bucket')).to.deep.equal(['r2-y', 's3-x']);
    expect(of('token')).to.deep.equal(['shop']);
    expect(of('reason')).to.deep.equal(['SlotsTaken', 'SourceNotFound']);
  });

  it('counts the jobs of each state (Q-U3)', () => {
    const { set, drop, choices } = fixture();
    const failed = { phase: 'Failed', finishedAt: '2026-01-31T23:59:59Z' } as const;
    const [running, ended] = [job('a', { status: { phase: 'Running' } }), job('a', { status: failed })];
    set(running);
    set(job('b'));
    expect(choices.count(NAMESPACE, 'phase', ['Running', 'Queued'])).to.equal(2);
    set(ended, running);
    expect(choices.count(NAMESPACE, 'phase', ['Running'])).to.equal(0);
    drop(ended);
    expect(choices.count('other', 'phase', ['Queued'])).to.equal(0);
  });

  it('counts the jobs with some of the values (Q-U18)', () => {
    const { set, choices } = fixture();
    for (const [n, phase] of (['Queued', 'Starting', 'Running', 'Running'] as const).entries())
      set(job(`job-${n}`, { status: { phase } }));
    set(job('new'));
    expect(choices.count(NAMESPACE, 'phase', ['Queued', 'Starting'])).to.equal(3);
    expect(choices.count(NAMESPACE, 'phase', ['Failed'])).to.equal(0);
    expect(choices.count('other', 'phase', ['Queued'])).to.equal(0);
  });

  it('follows a job to its next reason, and forgets a deleted one', () => {
    const { set, drop, of, choices } = fixture();
    const queued = job('a', { status: { phase: 'Queued', reason: 'SlotsTaken' } });
    const running = job('a', { status: { phase: 'Running', reason: 'Running' } });
    set(queued);
    set(running, queued);
    expect(of('reason')).to.deep.equal([]);
    expect(of('bucket')).to.deep.equal(['s3-a']);
    drop(running);
    expect(of('bucket')).to.deep.equal([]);
    expect(choices.of('other', 'bucket')).to.deep.equal([]);
  });
});
