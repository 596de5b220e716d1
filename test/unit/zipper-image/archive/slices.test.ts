import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { blockBytes, partBytes } from '#runtime/zip-request/part-sizes.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import type { FillSlices } from '#zipper-image/byte-sink.ts';
import { createPartWriter } from '#zipper-image/store/part-writer.ts';

const MIB = 1024 ** 2;
const ZEROS = Buffer.alloc(4 * MIB);

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Bytes of each slice of a file of zeros, read in order. */
async function slicesOf(bytes: number): Promise<number[]> {
  const slices: number[] = [];
  const fill: FillSlices = async (target) => {
    while (!target.isComplete) {
      const slice = target.take();
      if (!slice) await target.changed();
      else {
        slices.push(slice.to - slice.position);
        slice.write(ZEROS.subarray(0, slice.to - slice.position), 0);
      }
    }
  };
  const sizes = { partSizeBytes: 16 * MIB, equalParts: false };
  const sink = createPartWriter({
    partBytes: (number) => partBytes(sizes, number),
    blockBytes: blockBytes(sizes.partSizeBytes),
    poolBytes: 80 * MIB,
    checksum: 'crc32',
    send: async ({ digests, body }) => {
      const crc = body.reduce((before, block) => crc32(block, before), 0);
      expect(digests).to.deep.equal({ kind: 'crc32', crc32: crc });
    },
  });
  const archive = createArchive({ compression: 'store', sink });
  const entry = { name: 'a', modified: new Date(0), declaredLength: bytes, small: undefined };
  await archive.add({ ...entry, body: nothing(), fill });
  await archive.finish();
  await sink.finish();
  return slices;
}

describe('the slices of a file with several readers', () => {
  for (const mib of [32, 33, 100, 512])
    it(`of ${mib} MiB do not end with the parts, and are few enough for one request each (P115)`, async () => {
      const slices = await slicesOf(mib * MIB);
      // Without the first request, which reads at least one of them.
      expect(slices.length).to.be.at.most((1.05 * mib) / 4 + 4);
      expect(Math.max(...slices)).to.be.at.most(4 * MIB);
      expect(Math.max(...slices) / Math.min(...slices)).to.be.at.most(1.01);
      expect(slices.reduce((sum, bytes) => sum + bytes, 0)).to.equal(mib * MIB);
    });

  it('of 32 MiB are so short that a slow connection delays the archive little (P115)', async () => {
    expect(Math.max(...(await slicesOf(32 * MIB)))).to.be.at.most(3.25 * MIB);
  });
});
