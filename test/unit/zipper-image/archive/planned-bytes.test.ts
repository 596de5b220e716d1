/** The size of an archive that is known before its first byte, compared with that of the writer. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { type Given, MODIFIED, makeArchive } from '#test/support/archives/make-archive.ts';
import { plannedBytes, writePlannedArchive } from '#test/support/archives/planned-archive.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { plannedArchiveBytes, TIME_BYTES } from '#zipper-image/archive/planned-bytes.ts';
import { SMALL_ENTRY_BYTES } from '#zipper-image/sources/types.ts';

const MIB = 1024 ** 2;
/** Around the limits of a small body and of a block. */
const SIZES = [0, 1, MIB, MIB + 1, 17 * 65_535, 17 * 65_535 + 1];
const NAMES = ['a', 'é/名.txt', 'x'.repeat(200), 'b', 'c', 'd'];

function filesOf(isCrcKnown: boolean): readonly Given[] {
  return SIZES.map((size, n) => {
    const body = Buffer.from(generatedBytes(size, n));
    const small = size <= SMALL_ENTRY_BYTES;
    return { name: NAMES[n]!, body, small, ...(isCrcKnown && !small && { crc32: crc32(body) }) };
  });
}

function planOf(files: readonly Given[], coding: 'none' | 'blocks' | 'deflate') {
  return files.map(({ name, body: { length: bytes } }) => ({ name, bytes, coding }));
}

describe('the planned bytes of an archive', () => {
  for (const coding of ['none', 'blocks'] as const)
    it(`are those of its entries, written with coding ${coding} (SZ2)`, async () => {
      const files = filesOf(coding === 'none');
      const { length } = await makeArchive(files, 'store');
      expect(plannedArchiveBytes(planOf(files, coding))).to.equal(length);
    });

  it('have no field for a time after 2037 (SZ2)', async () => {
    const modified = new Date('2040-01-01T00:00:00Z');
    const { length } = await writePlannedArchive(async (archive) => {
      for (const name of NAMES)
        await archive.add({
          name,
          modified,
          declaredLength: 2 * MIB,
          crc32: 1,
          body: plannedBytes(2 * MIB),
          small: undefined,
        });
    });
    const entries = NAMES.map((name) => ({ name, bytes: 2 * MIB, coding: 'none' as const }));
    expect(plannedArchiveBytes(entries, modified)).to.equal(length);
    expect(plannedArchiveBytes(entries)).to.equal(length + NAMES.length * TIME_BYTES);
  });

  it('are at least those of compressed entries, also if nothing shrinks (SZ2)', async () => {
    const files = filesOf(false);
    const { length } = await makeArchive(files, 'deflate');
    expect(plannedArchiveBytes(planOf(files, 'deflate'))).to.be.within(length, length + 10_000);
  });

  for (const [coding, ...sizes] of [
    ['none', 2 ** 32 - 2, 2 ** 21],
    ['none', 2 ** 32 - 1],
    ['blocks', 2 ** 32 - 2 - 5 * 65_533],
    ['blocks', 2 ** 32 - 1 - 5 * 65_533, 2 ** 21],
  ] as const)
    it(`include the 64-bit fields that sizes and offsets need: ${coding}, ${sizes.join(', ')} bytes (SZ2)`, async () => {
      const { length } = await writePlannedArchive(async (archive) => {
        for (const [index, size] of sizes.entries())
          await archive.add({
            name: `${index}`,
            modified: MODIFIED,
            declaredLength: size,
            ...(coding === 'none' && { crc32: 1 }),
            body: plannedBytes(size),
            small: undefined,
          });
      });
      const entries = sizes.map((bytes, index) => ({ name: `${index}`, bytes, coding }));
      expect(plannedArchiveBytes(entries)).to.equal(length);
    });

  it('include the 64-bit end records that many entries need (SZ2)', () => {
    function bytesOf(count: number): number {
      return plannedArchiveBytes(
        Array.from({ length: count }, () => ({ name: 'a', bytes: 0, coding: 'none' })),
      );
    }
    const entry = 30 + 46 + 2 * (9 + 1);
    expect(bytesOf(65_534)).to.equal(65_534 * entry + 22);
    expect(bytesOf(65_535)).to.equal(65_535 * entry + 22 + 56 + 20);
  });
});
