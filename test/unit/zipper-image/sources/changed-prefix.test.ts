import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { BYTES, changedAt, FILE, MIB, type RepliesRead, type Reply, readReplies } from './replies-harness.ts';

/** The attempt failed, and the consumer got only bytes of the first response. */
function expectChanged({ error, bytes, ranges }: RepliesRead, requests = 2) {
  expect(error).to.include({ code: 'SourceChanged', retryable: true, fileIndex: 0 });
  expect(bytes.length).to.be.greaterThan(0);
  expect(bytes.equals(FILE.subarray(0, bytes.length))).to.equal(true);
  expect(ranges).to.have.length(requests);
}

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

describe('a source with a strong ETag that responds to a range request with status 200', () => {
  const headers = { etag: '"a"' };
  const KIB = 1024;
  const SMALL = generatedBytes(600 * KIB, 2);
  /** Every part of it looks like its start. */
  const ZEROS = Buffer.alloc(BYTES);

  /** The second response is to the request for the rest. */
  async function expectThree(
    first: Reply & { readonly body: Buffer; readonly cutAt: number },
    second: Reply,
  ) {
    const { cutAt, ...whole } = first;
    const { error, bytes, ranges } = await readReplies([first, second, whole]);
    expect(error).to.equal(undefined);
    expect(bytes).to.have.length(whole.body.length);
    expect(bytes.equals(whole.body)).to.equal(true);
    expect(ranges).to.deep.equal([undefined, `bytes=${cutAt}-`, undefined]);
  }

  for (const [when, body, cutAt] of [
    ['before its entry starts', SMALL, 100 * KIB],
    ['while its entry is written', FILE, 2 * MIB],
    ['while its entry is written, and all its bytes are equal', ZEROS, 2 * MIB],
  ] as const) {
    const rest = body.subarray(cutAt);

    for (const undeclared of ['chunked', 'close', undefined] as const)
      it(`and only the rest is not truncated ${when}: ${undeclared ?? 'declared'} (FD20, D8, H2)`, async () => {
        const first: Reply = undeclared === undefined ? {} : { undeclared: 'chunked' };
        const second: Reply = undeclared === undefined ? {} : { undeclared };
        await expectThree({ ...first, body, headers, cutAt }, { ...second, body: rest, headers });
      });

    it(`and a Content-Range is requested again ${when} (FD18, FD20)`, async () => {
      const range = { 'content-range': `bytes ${cutAt}-${body.length - 1}/${body.length}` };
      const second = { body: rest, headers: { ...headers, ...range } };
      await expectThree({ body, headers, cutAt }, second);
      await expectThree({ body, headers, cutAt, undeclared: 'chunked' }, second);
    });
  }

  it('contains only its new version if the ETag stayed when it changed before its entry starts (FD20, D8, H2)', async () => {
    const body = generatedBytes(SMALL.length, 3);
    const replies = [
      { body: SMALL, headers, cutAt: 100 * KIB },
      { body, headers },
    ];
    const { error, bytes } = await readReplies(replies);
    expect(error).to.equal(undefined);
    expect(bytes.equals(body)).to.equal(true);
  });

  it('fails if the ETag stayed when it changed while its entry is written (FD20, D8, H2)', async () => {
    const replies = [
      { headers, cutAt: 2 * MIB },
      { headers, body: changedAt(MIB) },
    ];
    expectChanged(await readReplies(replies), 3);
  });

  it('continues if its ETag changed but not its bytes, and sends no other range request (FD20)', async () => {
    const other = { headers: { etag: '"b"' } };
    const replies = [
      { headers, cutAt: 2 * MIB },
      { headers, cutAt: MIB },
      { ...other, cutAt: 3 * MIB },
      other,
    ];
    const { error, bytes, ranges } = await readReplies(replies);
    expect(error).to.equal(undefined);
    expect(bytes.equals(FILE)).to.equal(true);
    expect(ranges).to.deep.equal([undefined, `bytes=${2 * MIB}-`, undefined, undefined]);
  });
});
