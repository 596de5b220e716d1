import { expect } from 'chai';
import { releaseReceived } from '#zipper-image/sources/received-memory.ts';

/** Bytes of its buffer once the parser has returned. */
async function heldAfterRelease(chunk: Uint8Array): Promise<number> {
  releaseReceived(chunk);
  expect(chunk.length).to.be.greaterThan(0);
  await new Promise((resolve) => setImmediate(resolve));
  return chunk.buffer.byteLength;
}

describe('releaseReceived', () => {
  it('frees the buffer of a read whose last bytes were used (P112)', async () => {
    const read = Buffer.allocUnsafeSlow(65_536);
    expect(await heldAfterRelease(read)).to.equal(0);
    expect(await heldAfterRelease(Buffer.allocUnsafeSlow(65_536).subarray(300))).to.equal(0);
    expect(await heldAfterRelease(Buffer.allocUnsafeSlow(16_384).subarray(300))).to.equal(0);
  });

  it('keeps a buffer with bytes that were not parsed yet (P112)', async () => {
    expect(await heldAfterRelease(Buffer.allocUnsafeSlow(65_536).subarray(0, 65_535))).to.equal(65_536);
  });

  it("keeps Node's pool, which other buffers use too (P112)", async () => {
    for (let tries = 0; tries < 3 * Buffer.poolSize; tries += 1000) {
      const joined = Buffer.concat([Buffer.alloc(500, 1), Buffer.alloc(500, 2)]);
      expect(joined.buffer.byteLength).to.equal(Buffer.poolSize);
      const behind = Buffer.from(joined.buffer, joined.byteOffset);
      expect(await heldAfterRelease(behind.length < Buffer.poolSize / 2 ? behind : joined)).to.equal(
        Buffer.poolSize,
      );
    }
  });

  it('frees a buffer once (P112)', async () => {
    const read = Buffer.allocUnsafeSlow(65_536);
    releaseReceived(read.subarray(10));
    expect(await heldAfterRelease(read)).to.equal(0);
  });
});
