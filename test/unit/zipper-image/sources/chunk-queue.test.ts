import { expect } from 'chai';
import { ChunkQueue } from '../../../../zipper-image/sources/chunk-queue.ts';
import { generatedBytes } from '../../../support/generated-bytes.ts';

const SLAB = 64 * 1024;

/** Slices of `size` bytes of slabs of 64 KiB, as a socket's parser cuts them. */
const slices = (bytes: number, size: number): Buffer[] => {
  const all = generatedBytes(bytes, 1);
  const result: Buffer[] = [];
  for (let at = 0; at < bytes; at += size) {
    const piece = all.subarray(at, at + size);
    const slab = Buffer.alloc(SLAB);
    piece.copy(slab, 100);
    result.push(slab.subarray(100, 100 + piece.byteLength));
  }
  return result;
};

const drain = (queue: ChunkQueue): Uint8Array[] => {
  const chunks: Uint8Array[] = [];
  for (let chunk = queue.shift(); chunk; chunk = queue.shift()) chunks.push(chunk);
  return chunks;
};

describe('ChunkQueue', () => {
  it('keeps a chunk that fills its memory as it is, without a copy', () => {
    const queue = new ChunkQueue();
    const chunk = Buffer.allocUnsafeSlow(SLAB);
    queue.push(chunk);
    expect(queue.shift()).to.equal(chunk);
    expect(queue.bytes).to.equal(0);
  });

  it('holds little more memory than bytes when the chunks are tiny (D13)', () => {
    const queue = new ChunkQueue();
    for (const slice of slices(40_000, 16)) queue.push(slice);
    const chunks = drain(queue);
    const memory = new Set(chunks.map((chunk) => chunk.buffer));
    const held = [...memory].reduce((sum, buffer) => sum + buffer.byteLength, 0);
    expect(held).to.be.at.most(40_000 + SLAB);
    expect(chunks.length).to.be.at.most(5);
  });

  it('returns the same bytes in the same order, whatever the chunk sizes and however it is emptied', () => {
    const want = generatedBytes(300_000, 1);
    for (const size of [1000, 4096, 30_000, 64_000]) {
      const queue = new ChunkQueue();
      const got: Uint8Array[] = [];
      for (const [index, slice] of slices(300_000, size).entries()) {
        queue.push(slice);
        const chunk = index % 3 === 0 ? queue.shift() : undefined;
        if (chunk) got.push(Buffer.from(chunk));
      }
      got.push(...drain(queue));
      expect(Buffer.concat(got).equals(want), String(size)).to.equal(true);
    }
  });

  it('does not change bytes that were handed out', () => {
    const queue = new ChunkQueue();
    const [a, b] = slices(32, 16);
    if (!a || !b) throw new Error('two slices are needed');
    queue.push(a);
    const first = queue.shift();
    queue.push(b);
    const second = queue.shift();
    expect(Buffer.concat([first ?? b, second ?? a])).to.deep.equal(generatedBytes(32, 1));
  });

  it('takes everything in one piece, counts bytes, and forgets on clear', () => {
    const queue = new ChunkQueue();
    expect(queue.takeAll().byteLength).to.equal(0);
    for (const slice of slices(200_000, 3000)) queue.push(slice);
    queue.push(new Uint8Array(0));
    expect(queue.bytes).to.equal(200_000);
    expect(Buffer.from(queue.takeAll()).equals(generatedBytes(200_000, 1))).to.equal(true);
    expect(queue.bytes).to.equal(0);
    queue.push(generatedBytes(10, 1));
    queue.clear();
    expect(queue.shift()).to.equal(undefined);
    expect(queue.bytes).to.equal(0);
  });
});
