import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { isJobSampled, jobSpanId, jobTraceId } from '#runtime/tracing/span.ts';

const UIDS = Array.from({ length: 1_000 }, () => randomUUID());

describe('isJobSampled', () => {
  it('draws this part of the jobs, always the same ones, and those of a smaller part from them', () => {
    const tenth = UIDS.filter((uid) => isJobSampled(uid, 0.1));
    expect(tenth.length / UIDS.length).to.be.within(0.05, 0.16);
    expect(UIDS.filter((uid) => isJobSampled(uid, 0.1))).to.deep.equal(tenth);
    expect(tenth.filter((uid) => !isJobSampled(uid, 0.2))).to.deep.equal([]);
    expect(UIDS.filter((uid) => isJobSampled(uid, 0))).to.deep.equal([]);
    expect(UIDS.filter((uid) => !isJobSampled(uid, 1))).to.deep.equal([]);
  });
});

describe('the IDs of a trace', () => {
  it('are valid, differ between jobs and spans, and are the same after a restart', () => {
    expect(jobTraceId('a'))
      .to.match(/^(?!0{32})[0-9a-f]{32}$/)
      .and.not.to.equal(jobTraceId('b'));
    const ids = ['job', 'queue', 'request'].map((span) => jobSpanId('a', span));
    expect(new Set([...ids, jobSpanId('b', 'job')]).size).to.equal(4);
    // A later version continues the traces of an earlier one.
    expect([jobTraceId('a'), ids[0]]).to.deep.equal(['922e19b9e295f9b3e8afa7b6f0882a39', '26c228cc89a56310']);
  });
});
