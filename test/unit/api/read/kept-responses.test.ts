import { expect } from 'chai';
import { createKeptResponses } from '#api/read/kept-responses.ts';
import type { Phase, ZipJob } from '#crds/zip-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

function job(uid: string, phase: Phase = 'Succeeded', metadata = '{"a":1}'): ZipJob {
  return aZipJob({ metadata: { name: `zip-${uid}`, uid }, spec: { metadata }, status: { phase } });
}

describe('createKeptResponses', () => {
  it('keeps the responses of finished jobs only', () => {
    const responses = createKeptResponses({ maxBytes: 10_000 });
    responses.keep(job('a', 'Running'));
    responses.keep(job('b', 'Failed'));
    expect(responses.of('a')).to.equal(undefined);
    expect(responses.of('b')).to.deep.equal({ name: 'zip-b', phase: 'Failed', metadata: '{"a":1}' });
    expect(responses.of(undefined)).to.equal(undefined);
  });

  it('drops the oldest ones above its limit of bytes (G1)', () => {
    const responses = createKeptResponses({ maxBytes: 3_000 });
    for (const uid of ['a', 'b', 'a', 'c']) responses.keep(job(uid, 'Succeeded', 'x'.repeat(500)));
    expect(['a', 'b', 'c'].map((uid) => responses.of(uid) !== undefined)).to.deep.equal([true, false, true]);
    responses.keep(job('huge', 'Succeeded', 'x'.repeat(5_000)));
    expect(['a', 'c', 'huge'].map((uid) => responses.of(uid))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
