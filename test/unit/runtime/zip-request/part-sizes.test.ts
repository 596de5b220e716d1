import { expect } from 'chai';
import { JOB_LIMITS, MOST_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import {
  bytesInParts,
  concurrentParts,
  MOST_PARTS,
  partBytes,
  partSizeFor,
  poolBytes,
} from '#runtime/zip-request/part-sizes.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const TIB = 1024 ** 4;

describe('the parts of an upload', () => {
  for (const [what, maxArchiveBytes, partSizeBytes] of [
    ['1 byte', 1, 5 * MIB],
    ['48 GiB', 48 * GIB, 5 * MIB],
    ['76 GiB', 76 * GIB, 8 * MIB],
    ['150 GiB', JOB_LIMITS.archiveBytes, 16 * MIB],
    ['1 TiB', TIB, 128 * MIB],
    ['4.995 TiB', 4.995 * TIB, GIB],
    ['5 TiB', MOST_ARCHIVE_BYTES, GIB],
  ] as const)
    it(`have at most ${partSizeBytes / MIB} MiB if the archive may have ${what} (G11)`, () => {
      expect(partSizeFor(maxArchiveBytes)).to.equal(partSizeBytes);
      for (const equalParts of [true, false])
        expect(bytesInParts({ partSizeBytes, equalParts })).to.be.at.least(maxArchiveBytes);
    });

  it('are the 10,000 whose bytes are added, equal at R2, and 500 of 5 MiB first elsewhere (U2) (G11)', () => {
    for (const partSizeBytes of [5, 8, 16, 128, 1024].map((size) => size * MIB))
      for (const equalParts of [true, false]) {
        const sizes = { partSizeBytes, equalParts };
        const all = Array.from({ length: MOST_PARTS }, (_, index) => partBytes(sizes, index + 1));
        expect(all.reduce((sum, bytes) => sum + bytes, 0)).to.equal(bytesInParts(sizes));
        expect([all[0], all[499], all[500], all.at(-1)]).to.deep.equal(
          equalParts
            ? [partSizeBytes, partSizeBytes, partSizeBytes, partSizeBytes]
            : [5 * MIB, 5 * MIB, partSizeBytes, partSizeBytes],
        );
      }
  });

  it('are sixteen in 80 MiB of memory at first, at least three however large they are, and 64 at a time (U3)', () => {
    const storeBufferBytes = 80 * MIB;
    expect(concurrentParts({ partSizeBytes: 16 * MIB, storeBufferBytes })).to.equal(16);
    expect(concurrentParts({ partSizeBytes: GIB, storeBufferBytes })).to.equal(64);
    expect(poolBytes({ partSizeBytes: 16 * MIB, storeBufferBytes })).to.equal(80 * MIB);
    expect(poolBytes({ partSizeBytes: GIB, storeBufferBytes })).to.equal(3 * GIB);
  });
});
