import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import { decide } from '../../../../controller/decide.ts';
import type { Observation } from '../../../../controller/observation.ts';
import {
  aCondition,
  aConfig,
  ago,
  aJob,
  anObservation,
  anUpload,
  aPod,
  aZipJob,
  NOW,
  running,
  starting,
  waitingFor,
} from '../../../support/builders.ts';

const HOUR = 3600;
const slow = { maxAttempts: 4, startDeadlineSeconds: HOUR };

describe('the condition Stalled', () => {
  const moving: readonly { name: string; seen: Observation }[] = [
    { name: 'waits for a slot', seen: anObservation({ slot: { kind: 'waiting', message: 'full' } }) },
    { name: 'is suspended', seen: anObservation({ zipJob: aZipJob({ spec: { suspend: true } }) }) },
    { name: 'waits for a project', seen: anObservation({ project: undefined }) },
    {
      name: 'waits for an image',
      seen: anObservation({
        zipJob: aZipJob({ spec: slow, status: starting('p1') }),
        job: aJob(),
        pods: [aPod('p1', { status: waitingFor('ImagePullBackOff', 'no such image') })],
      }),
    },
    {
      name: 'makes no progress',
      seen: anObservation({
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
      }),
    },
    {
      name: 'settles a lost attempt',
      seen: anObservation({
        zipJob: aZipJob({
          status: running('p1', {
            phase: 'Finalizing',
            reason: 'DeadlineExceeded',
            attempts: [{ n: 1, podUid: 'uid-p1', upload: anUpload('open') }],
            conditions: [aCondition('Settled', ['False', 'Settling'])],
          }),
        }),
        job: aJob(),
      }),
    },
  ];
  for (const { name, seen } of moving)
    it(`does not stand on a job that ${name}`, () => {
      const { status } = decide(seen, NOW, aConfig());
      expect(findCondition(status?.conditions, 'Stalled')).to.equal(undefined);
    });

  it('stands on a job that failed, with its reason, and not on one that was cancelled', () => {
    const failed = decide(anObservation({ bucket: undefined }), NOW, aConfig());
    expect(findCondition(failed.status?.conditions, 'Stalled')).to.include({
      status: 'True',
      reason: 'BucketNotFound',
    });
    const cancelled = decide(anObservation({ zipJob: aZipJob({ spec: { cancel: true } }) }), NOW, aConfig());
    expect(cancelled.status?.phase).to.equal('Cancelled');
    expect(findCondition(cancelled.status?.conditions, 'Stalled')).to.equal(undefined);
  });
});
