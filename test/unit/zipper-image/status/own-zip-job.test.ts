import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { decodeOwnZipJob, hadOtherAttempts, type OwnZipJob } from '#zipper-image/status/own-zip-job.ts';

const attempt = (podUid: string) => ({ n: 1, podUid });
const withAttempts = (...podUids: readonly string[]): OwnZipJob => {
  const zipJob: Pick<ZipJob, 'spec' | 'status'> = {
    spec: { bucketRef: { name: 's3-a' }, key: 'a.zip' },
    status: { attempts: podUids.map(attempt) },
  };
  return decodeOwnZipJob({ metadata: { name: 'zip-1', uid: 'uid-1' }, ...zipJob });
};

describe('decodeOwnZipJob', () => {
  it('accepts a ZipJob, with fields that the zipper does not read', () => {
    const zipJob = {
      metadata: { name: 'zip-1', uid: 'uid-1' },
      spec: { key: 'a.zip', files: [{ url: 'https://a/', filename: 'a', more: 1 }] },
      status: { phase: 'Running' },
    };
    expect(decodeOwnZipJob(zipJob)).to.deep.equal(zipJob);
  });

  for (const [name, value] of Object.entries({
    null: null,
    'a Status': { kind: 'Status', metadata: {}, message: 'no' },
    'files without names': { metadata: { uid: 'u' }, spec: { files: [{ url: 'https://a/' }] } },
    'attempts without a pod': { metadata: { uid: 'u' }, spec: {}, status: { attempts: [{ n: 1 }] } },
  }))
    it(`refuses ${name}`, () => {
      expect(() => decodeOwnZipJob(value)).to.throw(TypeError);
    });
});

describe('hadOtherAttempts', () => {
  it('is true only if another pod had the job before', () => {
    expect(hadOtherAttempts(withAttempts(), 'pod-1')).to.equal(false);
    expect(hadOtherAttempts(withAttempts('pod-1'), 'pod-1')).to.equal(false);
    expect(hadOtherAttempts(withAttempts('pod-0', 'pod-1'), 'pod-1')).to.equal(true);
    expect(hadOtherAttempts({ metadata: { uid: 'u' }, spec: {} }, 'pod-1')).to.equal(false);
  });
});
