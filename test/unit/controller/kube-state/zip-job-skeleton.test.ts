import { expect } from 'chai';
import { targetOf, targetsBefore } from '#controller/kube-state/caches.ts';
import { cachedBytesOf, zipJobSkeleton } from '#controller/kube-state/skeletons.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

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
    for (const zipJob of [
      aZipJob({ status: finishedAs('Failed'), metadata: { annotations: replay } }),
      aZipJob({ status: running('p1') }),
      aZipJob({ status: finishedAs('Failed', { webhook: { state: 'Pending' } }) }),
      aZipJob({ status: finishedAs('Succeeded', { job: { name: 'a', uid: 'j', podUid: 'p' } }) }),
      aZipJob({ status: finishedAs('Failed'), metadata: { finalizers: ['zipjobs.dev/cleanup'] } }),
    ])
      expect(zipJobSkeleton(zipJob)).to.equal(zipJob);
  });
});

describe('targetsBefore', () => {
  const whole = aZipJob({ status: running('p1') });
  const resting = zipJobSkeleton(aZipJob({ status: finishedAs('Succeeded') })) as ZipJob;
  const key = objectKey(whole);

  it('returns the object of a job that was finished, deleted or seen for the first time', () => {
    const target = [targetOf(whole)];
    expect(targetsBefore({ kind: 'set', key, object: resting, before: whole })).to.deep.equal(target);
    expect(targetsBefore({ kind: 'set', key, object: whole, before: undefined })).to.deep.equal(target);
    expect(targetsBefore({ kind: 'deleted', key, before: whole })).to.deep.equal(target);
  });

  it('returns none for a job that was finished before, for whose key no job waits', () => {
    expect(targetsBefore({ kind: 'set', key, object: resting, before: undefined })).to.deep.equal([]);
    expect(targetsBefore({ kind: 'set', key, object: resting, before: resting })).to.deep.equal([]);
    expect(targetsBefore({ kind: 'deleted', key, before: resting })).to.deep.equal([]);
  });
});
