import { crc32 as crc32OfNode } from 'node:zlib';
import { expect } from 'chai';
import { createRandom } from '#test/support/random.ts';
import { crc32 } from '#zipper-image/crc32.ts';

describe('the CRC-32 of the zipper', () => {
  it("is Node's, for every length, wherever the bytes start, and whatever comes before them", () => {
    const random = createRandom(1);
    const bytes = Buffer.from(Array.from({ length: 70_000 }, () => random.int(0, 255)));
    const lengths = [...Array.from({ length: 300 }, (_, length) => length), 4095, 16_384, 65_537];
    for (const length of lengths) {
      const from = random.int(0, 64);
      const before = random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff]);
      const some = bytes.subarray(from, from + length);
      expect(crc32(some, before), `${length} bytes from ${from}`).to.equal(crc32OfNode(some, before));
      expect(crc32(some)).to.equal(crc32OfNode(some));
    }
  });
});
