import { expect } from 'chai';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

describe('toListedJob', () => {
  it('keeps what lists show, with the last webhook delivery only', () => {
    const delivery = { at: '2026-01-02T03:04:05Z', durationMs: 5, status: 500 };
    const job = aZipJob({
      metadata: { creationTimestamp: '2026-01-02T03:04:05Z', resourceVersion: '7' },
      status: {
        phase: 'Failed',
        reason: 'SourceFailed',
        webhook: { state: 'Pending', log: [{ ...delivery, status: 502 }, delivery] },
      },
    });
    const { metadata, spec, status } = toListedJob(job);
    const { name, namespace, uid, creationTimestamp } = job.metadata;
    expect(metadata).to.deep.equal({ name, namespace, uid, resourceVersion: '7', creationTimestamp });
    expect(spec.key).to.equal(job.spec.key);
    expect(status).to.deep.include({ phase: 'Failed', reason: 'SourceFailed' });
    expect(status?.webhook?.log).to.deep.equal([delivery]);
  });

  it('drops what only the page of a job shows, and everything of the file list but its length', () => {
    const filesFrom = { secretNames: ['a-files-0'], encoding: 'gzip+json', count: 3, sha256: 'x' } as const;
    const job = aZipJob({
      metadata: { annotations: { 'example.com/note': 'n' } },
      spec: { filesFrom, metadata: '{"order":1}' },
      status: { phase: 'Running', message: 'm', attempts: [{ n: 1, podUid: 'u' }], conditions: [] },
    });
    const listed = toListedJob(job);
    expect(listed.metadata).to.not.have.property('annotations');
    expect(listed.spec).to.not.have.property('metadata');
    expect(listed.spec.filesFrom).to.deep.include({ secretNames: [], count: 3, sha256: '' });
    expect(listed.status).to.deep.equal({ phase: 'Running' });
  });
});
