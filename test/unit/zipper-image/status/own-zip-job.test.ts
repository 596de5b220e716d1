import { expect } from 'chai';
import { decodeOwnZipJob } from '#zipper-image/status/own-zip-job.ts';

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
