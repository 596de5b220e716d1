import { expect } from 'chai';
import { cachedBytesOf, zipJobSkeleton } from '#controller/kube-state/caches.ts';
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
      attempts: status.attempts,
    });
    expect(Object.keys(skeleton.spec)).to.deep.equal(['bucketRef', 'key', 'filesFrom']);
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
