import { expect } from 'chai';
import type { Observation } from '#controller/zip-job/observation.ts';
import { findCondition } from '#crds/conditions.ts';
import { judge } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipJob } from '#test/support/builders/objects.ts';
import { waitingFor } from '#test/support/builders/pod-statuses.ts';
import { aCondition, anUpload, running, starting } from '#test/support/builders/zip-job-statuses.ts';

const HOUR = 3600;
const slow = { maxAttempts: 4, startDeadlineSeconds: HOUR };

describe('the condition Stalled', () => {
  const moving: readonly { name: string; seen: Partial<Observation> }[] = [
    {
      name: 'waits for a slot',
      seen: { position: { state: 'waiting', blocked: { reason: 'SlotsTaken', message: 'full' } } },
    },
    { name: 'is suspended', seen: { zipJob: aZipJob({ spec: { suspend: true } }) } },
    { name: 'waits for a project', seen: { project: undefined } },
    {
      name: 'waits for an image',
      seen: {
        zipJob: aZipJob({ spec: slow, status: starting('p1') }),
        job: aJob(),
        pods: [aPod('p1', { status: waitingFor('ImagePullBackOff', 'no such image') })],
      },
    },
    {
      name: 'makes no progress',
      seen: {
        zipJob: aZipJob({
          status: running('p1', {
            progress: {
              podUid: 'uid-p1',
              filesTotal: 3,
              filesDone: 1,
              bytesRead: 1,
              bytesUploaded: 1,
              display: '1/3',
              updatedAt: ago(HOUR),
            },
          }),
        }),
        job: aJob(),
        pods: [aPod('p1')],
        seenProgress: { since: new Date(ago(HOUR)), isNew: true },
      },
    },
    {
      name: 'recovers a lost attempt',
      seen: {
        zipJob: aZipJob({
          status: running('p1', {
            phase: 'Finalizing',
            reason: 'DeadlineExceeded',
            attempts: [{ n: 1, podUid: 'uid-p1', upload: anUpload('open') }],
            conditions: [aCondition('Recovered', ['False', 'Recovering'])],
          }),
        }),
        job: aJob(),
      },
    },
  ];
  for (const { name, seen } of moving)
    it(`is absent from a job that ${name}`, () => {
      const { status } = judge(seen);
      expect(findCondition(status?.conditions, 'Stalled')).to.equal(undefined);
    });

  it('is true with the reason on a failed job, and absent from a cancelled one', () => {
    const failed = judge({ bucket: undefined });
    expect(findCondition(failed.status?.conditions, 'Stalled')).to.include({
      status: 'True',
      reason: 'BucketNotFound',
    });
    const cancelled = judge({ zipJob: aZipJob({ spec: { cancel: true } }) });
    expect(cancelled.status?.phase).to.equal('Cancelled');
    expect(findCondition(cancelled.status?.conditions, 'Stalled')).to.equal(undefined);
  });
});
