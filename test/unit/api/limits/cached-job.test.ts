import { expect } from 'chai';
import { toCachedJob } from '#api/limits/cached-job.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

function job(change: Partial<Pick<ZipJob, 'spec' | 'status'>> & { annotations?: Record<string, string> }) {
  const one = aZipJob();
  const { annotations = {}, ...rest } = change;
  const { bytes, ...kept } = toCachedJob({
    ...one,
    ...rest,
    metadata: { name: NAME, namespace: NAMESPACE, uid: 'uid', resourceVersion: '7', annotations },
  });
  expect(bytes).to.be.above(100);
  return kept;
}

const metadata = { name: NAME, namespace: NAMESPACE, uid: 'uid', resourceVersion: '7' };

function spec(text: string) {
  return { bucketRef: { name: 's3-a' }, key: 'a.zip', metadata: text };
}

describe('toCachedJob', () => {
  it('keeps only that a job exists', () => {
    expect(job({ spec: spec('{"a":1}'), status: { phase: 'Running' } })).to.deep.equal({ metadata });
  });

  it('keeps the size of a file list while it is stored', () => {
    const annotations = { [ANNOTATIONS.fileListBytes]: '60' };
    expect(job({ status: {}, annotations })).to.deep.equal({ metadata, fileListBytes: 60 });
    const deleted = { ...annotations, [ANNOTATIONS.fileListDeletedAt]: '2026-01-01T00:00:00Z' };
    expect(job({ status: {}, annotations: deleted })).to.deep.equal({ metadata });
  });

  for (const text of ['-5', 'x', '1e999', '0.5'])
    it(`ignores the size ${text}`, () => {
      const annotations = { [ANNOTATIONS.fileListBytes]: text };
      expect(job({ status: {}, annotations })).to.deep.equal({ metadata });
    });
});
