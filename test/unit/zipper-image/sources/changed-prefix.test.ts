import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { BYTES, changedAt, FILE, MIB, type RepliesRead, type Reply, readReplies } from './replies-harness.ts';

/** The attempt failed, and the consumer got only bytes of the first response. */
const expectChanged = ({ error, bytes, ranges }: RepliesRead, requests = 2) => {
  expect(error).to.include({ code: 'SourceChanged', retryable: true, fileIndex: 0 });
  expect(bytes.length).to.be.greaterThan(0);
  expect(bytes.equals(FILE.subarray(0, bytes.length))).to.equal(true);
  expect(ranges).to.have.length(requests);
};

describe('a source that does not repeat what was received before it broke off', () => {
  for (const position of [0, MIB, 2 * MIB - 1])
    it(`fails if byte ${position} of what was read has changed (FD20, D8, H2)`, async () => {
      const result = await readReplies([{ cutAt: 2 * MIB }, { body: changedAt(position) }, {}]);
      expectChanged(result);
      expect(result.error?.message).to.include(`its first ${2 * MIB} bytes`);
    });

  for (const [title, bytes] of [
    ['is shorter', BYTES - 1],
    ['is shorter than what was read', MIB],
    ['is longer', BYTES + 1],
  ] as const)
    it(`fails if it ${title} now (FD20, D8, H2)`, async () => {
      const result = await readReplies([{ cutAt: 2 * MIB }, { body: generatedBytes(bytes, 1) }, {}]);
      expectChanged(result);
      expect(result.error?.message).to.include(`${BYTES}`).and.include(`${bytes}`);
    });

  it('accepts no other length than that of the first response (FD20, D8, H2)', async () => {
    const longer = generatedBytes(BYTES + 1, 1);
    const settings = { sourceRetryLimitMs: 1 };
    const late = await readReplies([{ cutAt: 2 * MIB }, { body: longer, undeclared: 'chunked' }], {
      settings,
    });
    expect(late.error).to.include({ code: 'SourceChanged', retryable: true });
    expect(late.bytes.length).to.be.at.most(BYTES);
    const shorter = FILE.subarray(0, BYTES - 1);
    const early = await readReplies([{ cutAt: 2 * MIB }, { body: shorter, undeclared: 'chunked' }], {
      settings,
    });
    expect(early.error).to.include({ code: 'SourceTruncated', retryable: true });
  });

  it('fails if it ends within what was read (FD20, D8, H2)', async () => {
    const body = FILE.subarray(0, MIB);
    const replies: Reply[] = [{ cutAt: 2 * MIB, undeclared: 'chunked' }, { body, undeclared: 'chunked' }, {}];
    expectChanged(await readReplies(replies));
  });

  it('fails if its end could be verified and cannot be any more (FD20, H2)', async () => {
    expectChanged(
      await readReplies([{ cutAt: 2 * MIB, undeclared: 'chunked' }, { undeclared: 'close' }, {}]),
    );
  });

  it('fails at the first break beyond 64 MiB (FD20, D7)', async () => {
    const body = Buffer.alloc(66 * MIB);
    for (const headers of [{}, { etag: '"a"' }]) {
      const { error, bytes, ranges } = await readReplies([
        { body, headers, cutAt: 64 * MIB + 1 },
        { body, headers },
      ]);
      expect(error).to.include({ code: 'SourceTruncated', retryable: true });
      expect(bytes.length).to.be.at.most(64 * MIB + 1);
      // Only a strong ETag lets it be asked for the rest.
      expect(ranges).to.have.length('etag' in headers ? 2 : 1);
    }
  });

  it('is not requested again when sequential, because its URL may work only once (FD20, F31)', async () => {
    const { error, ranges } = await readReplies([{ cutAt: 2 * MIB }, {}], { sequential: true });
    expect(error).to.include({ code: 'SourceTruncated', retryable: true });
    expect(ranges).to.have.length(1);
  });

  it('is given up if it breaks off at the same place each time (FD20)', async () => {
    const settings = { sourceRetryLimitMs: 1, sourceMinRateBytes: 0 };
    const { error, bytes, ranges } = await readReplies([{ cutAt: 2 * MIB }], { settings });
    expect(error).to.include({ code: 'SourceTruncated', retryable: true });
    expect(bytes.equals(FILE.subarray(0, 2 * MIB))).to.equal(true);
    expect(ranges).to.have.length(4);
  });
});
