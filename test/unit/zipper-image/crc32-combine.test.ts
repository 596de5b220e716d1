import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { combineCrc32 } from '#zipper-image/crc32-combine.ts';

const LENGTHS = [0, 1, 5, 255, 256, 257, 1024, 16_384, 65_535, 65_536, 70_001, 1_048_576, 16_777_219];

describe('combineCrc32', () => {
  it('returns the CRC-32 of two byte strings together, for lengths of any size', () => {
    const first = randomBytes(1000);
    for (const length of LENGTHS) {
      const second = randomBytes(length);
      assert.equal(
        combineCrc32(crc32(first), crc32(second), length),
        crc32(second, crc32(first)),
        `length ${length}, first ${first.toString('hex', 0, 8)}`,
      );
    }
  });

  it('starts with the CRC-32 of no bytes', () => {
    const bytes = randomBytes(300);
    assert.equal(combineCrc32(0, crc32(bytes), bytes.length), crc32(bytes));
  });

  it('needs no bytes for a length of 64 MiB', () => {
    const zeros = Buffer.alloc(2 ** 20);
    let all = crc32(Buffer.from('a'));
    let own = 0;
    for (let round = 0; round < 64; round += 1) {
      all = crc32(zeros, all);
      own = crc32(zeros, own);
    }
    assert.equal(combineCrc32(crc32(Buffer.from('a')), own, 64 * zeros.length), all);
  });
});
