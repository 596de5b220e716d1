import { expect } from 'chai';
import { archiveStateOf, lacksArchive } from '#controller/cluster/archive-state.ts';
import { cachedBytesOf, isResting, zipJobSkeleton } from '#controller/cluster/skeletons.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { aCondition, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('zipJobSkeleton', () => {
  it('keeps the fields that a finished ZipJob needs to expire', () => {
    const status = finishedAs('Succeeded', { attempts: [{ n: 1, podUid: 'p', class: 'success' }] });
    const skeleton = zipJobSkeleton(aZipJob({ status }));
    expect(skeleton.status).to.deep.equal({
      phase: 'Succeeded',
      reason: 'Uploaded',
      finishedAt: ago(10),
      webhook: { state: 'NotConfigured' },
      attempts: [{ n: 1, podUid: '', class: 'success' }],
    });
    expect(Object.keys(skeleton.spec)).to.deep.equal(['bucketRef', 'key', 'filesFrom']);
  });

  it('drops its file list once the list was deleted, and keeps that of the job that a rerun repeats', () => {
    const metadata = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(5), other: 'x' } };
    const owner = aZipJob({ metadata, status: finishedAs('Succeeded') });
    const skeleton = zipJobSkeleton(owner);
    expect(skeleton.spec.filesFrom).to.equal(undefined);
    expect(skeleton.metadata.annotations).to.deep.equal({ [ANNOTATIONS.fileListDeletedAt]: 'yes' });
    const rerun = aZipJob({ metadata: { name: 'again' }, spec: owner.spec, status: finishedAs('Succeeded') });
    expect(zipJobSkeleton(rerun).spec.filesFrom).to.deep.equal(owner.spec.filesFrom);
  });

  it('keeps the size of the whole ZipJob and its file list (N2)', () => {
    const metadata = { annotations: { 'zipjobs.dev/file-list-bytes': '1000' } };
    const zipJob = aZipJob({ status: finishedAs('Succeeded'), metadata });
    const skeleton = zipJobSkeleton(zipJob);
    expect(skeleton).to.not.equal(zipJob);
    expect(cachedBytesOf(skeleton)).to.equal(cachedBytesOf(zipJob));
    expect(cachedBytesOf(zipJob)).to.equal(JSON.stringify(zipJob).length + 1000);
  });

  it('keeps the whole ZipJob while work remains', () => {
    const replay = { 'zipjobs.dev/replay-webhook': 'once-more' };
    const audit = { name: 'audit', state: 'Delivered' } as const;
    for (const zipJob of [
      aZipJob({ status: finishedAs('Failed'), metadata: { annotations: replay } }),
      aZipJob({ status: running('p1') }),
      aZipJob({ status: finishedAs('Failed', { webhook: { state: 'Pending' } }) }),
      aZipJob({
        status: finishedAs('Failed', {
          webhook: { state: 'Delivered', endpoints: [{ ...audit, state: 'Pending' }] },
        }),
      }),
      aZipJob({
        status: finishedAs('Failed', { webhook: { state: 'Delivered', endpoints: [audit] } }),
        metadata: { annotations: { 'zipjobs.dev/replay-webhook.audit': 'once-more' } },
      }),
      aZipJob({ status: finishedAs('Succeeded', { job: { name: 'a', uid: 'j', podUid: 'p' } }) }),
      aZipJob({ status: finishedAs('Failed'), metadata: { finalizers: ['zipjobs.dev/cleanup'] } }),
    ])
      expect(zipJobSkeleton(zipJob)).to.equal(zipJob);
  });
});

describe('zipJobSkeleton with a history', () => {
  const finalizers = ['zipjobs.dev/cleanup'];
  function archived(status: 'True' | 'False', reason: string) {
    return {
      conditions: [aCondition('Complete', ['True', 'Uploaded']), aCondition('Archived', [status, reason])],
    };
  }

  it('keeps only a record of a ZipJob that waits for the history with its finalizer', () => {
    const waiting = aZipJob({ status: finishedAs('Succeeded'), metadata: { finalizers } });
    const skeleton = zipJobSkeleton(waiting, true);
    expect(isResting(skeleton)).to.equal(true);
    expect(skeleton.metadata.finalizers).to.deep.equal(finalizers);
    expect(lacksArchive(skeleton)).to.equal(true);
    const other = aZipJob({ status: finishedAs('Failed'), metadata: { name: 'other', finalizers } });
    expect(zipJobSkeleton(other, true).metadata.finalizers).to.equal(skeleton.metadata.finalizers);
  });

  it('keeps the whole ZipJob once it is stored or being deleted, until its finalizer is removed', () => {
    const stored = finishedAs('Succeeded', archived('True', 'Archived'));
    for (const zipJob of [
      aZipJob({ status: stored, metadata: { finalizers } }),
      aZipJob({ status: finishedAs('Succeeded'), metadata: { finalizers, deletionTimestamp: ago(1) } }),
    ])
      expect(zipJobSkeleton(zipJob, true)).to.equal(zipJob);
    expect(isResting(zipJobSkeleton(aZipJob({ status: stored }), true))).to.equal(true);
  });

  it('keeps what the history has', () => {
    for (const [status, reason, state] of [
      ['True', 'Archived', 'stored'],
      ['True', 'ArchiveOutdated', 'outdated'],
      ['False', 'ArchiveRefused', 'refused'],
    ] as const) {
      const zipJob = aZipJob({ status: finishedAs('Succeeded', archived(status, reason)) });
      expect(archiveStateOf(zipJobSkeleton(zipJob, true))).to.equal(state);
    }
  });
});
