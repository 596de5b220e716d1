import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { BlockPool } from '#zipper-image/sources/block-pool.ts';
import { ChunkQueue } from '#zipper-image/sources/chunk-queue.ts';

const SLAB = 64 * 1024;

/** Slices of `size` bytes of 64 KiB slabs, as the parser of a socket returns them. */
function slices(bytes: number, size: number): Buffer[] {
  const all = generatedBytes(bytes, 1);
  const result: Buffer[] = [];
  for (let at = 0; at < bytes; at += size) {
    const piece = all.subarray(at, at + size);
    const slab = Buffer.alloc(SLAB);
    piece.copy(slab, 100);
    result.push(slab.subarray(100, 100 + piece.byteLength));
  }
  return result;
}

function drain(queue: ChunkQueue): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let chunk = queue.shift(); chunk; chunk = queue.shift()) chunks.push(chunk);
  return chunks;
}

describe('ChunkQueue', () => {
  let pool: BlockPool;
  let queue: ChunkQueue;
  beforeEach(() => {
    pool = new BlockPool(1024 * 1024);
    queue = new ChunkQueue(pool);
  });

  it('returns a chunk without copying if the consumer waits and the queue is empty', () => {
    const chunk = Buffer.allocUnsafeSlow(SLAB);
    queue.push(chunk, true);
    expect(queue.shift()).to.equal(chunk);
    expect(queue.bytes).to.equal(0);
  });

  it('uses little more memory than the queued bytes if chunks are tiny (D13)', () => {
    for (const slice of slices(40_000, 16)) queue.push(slice, true);
    const chunks = drain(queue);
    const memory = new Set(chunks.map((chunk) => chunk.buffer));
    const held = [...memory].reduce((sum, buffer) => sum + buffer.byteLength, 0);
    expect(held).to.be.at.most(40_000 + SLAB);
    expect(chunks.length).to.be.at.most(5);
  });

  it('returns the same bytes in the same order for any chunk size and reading pattern', () => {
    const want = generatedBytes(300_000, 1);
    for (const size of [1000, 4096, 30_000, 64_000]) {
      const got: Uint8Array[] = [];
      for (const [index, slice] of slices(300_000, size).entries()) {
        queue.push(slice, index % 2 === 0);
        const chunk = index % 3 === 0 ? queue.shift() : undefined;
        if (chunk) got.push(Buffer.from(chunk));
      }
      for (let chunk = queue.shift(); chunk; chunk = queue.shift()) got.push(Buffer.from(chunk));
      expect(Buffer.concat(got).equals(want), String(size)).to.equal(true);
    }
  });

  it('does not change returned bytes before the next shift, or after clear', () => {
    const [a, b] = slices(32, 16);
    if (!a || !b) throw new Error('two slices are needed');
    queue.push(a, false);
    const first = queue.shift();
    queue.push(b, false);
    expect(Buffer.from(first ?? b)).to.deep.equal(generatedBytes(16, 1));
    const second = queue.shift();
    queue.push(a, false);
    queue.clear();
    queue.push(a, false);
    expect(Buffer.from(second ?? a)).to.deep.equal(generatedBytes(32, 1).subarray(16));
  });

  it('reuses blocks, also those of other queues', () => {
    const other = new ChunkQueue(pool);
    const memory = new Set<ArrayBufferLike>();
    for (let round = 0; round < 10; round += 1) {
      for (const target of [queue, other]) {
        target.push(generatedBytes(64, round), false);
        memory.add((target.shift() ?? new Uint8Array(0)).buffer);
        expect(target.shift()).to.equal(undefined);
        target.clear();
      }
    }
    expect(memory.size).to.equal(1);
  });

  it('returns all bytes in one piece, counts bytes, and removes them on clear', () => {
    expect(queue.takeAll().byteLength).to.equal(0);
    for (const slice of slices(200_000, 3000)) queue.push(slice, false);
    queue.push(new Uint8Array(0), true);
    expect(queue.bytes).to.equal(200_000);
    const all = queue.takeAll();
    queue.push(Buffer.alloc(200_000), false);
    expect(Buffer.from(all).equals(generatedBytes(200_000, 1))).to.equal(true);
    expect(queue.bytes).to.equal(200_000);
    queue.clear();
    expect(queue.shift()).to.equal(undefined);
    expect(queue.bytes).to.equal(0);
  });
});

describe('BlockPool', () => {
  it('limits its free blocks', () => {
    const pool = new BlockPool(8 * 1024);
    const blocks = [pool.take(0), pool.take(0), pool.take(0)];
    for (const block of blocks) pool.giveBack(block);
    const again = [pool.take(0), pool.take(0), pool.take(0)];
    expect(again.filter((block) => blocks.includes(block))).to.have.length(2);
  });

  it('frees the memory of others at once, and keeps 2 MiB at most', () => {
    const pool = new BlockPool(16 * 1024 * 1024);
    const blocks = Array.from({ length: 48 }, () => pool.take(64 * 1024));
    for (const block of blocks) pool.giveBack(block);
    expect(blocks.filter(({ byteLength }) => byteLength > 0)).to.have.length(32);
  });
});
