import { expect } from 'chai';
import { listKept, recordPart } from '#zipper-image/resume/list-kept.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import type { ListedPart } from '#zipper-image/store/list-parts.ts';

const MD5 = '0123456789abcdef0123456789abcdef';

function part(number: number, change: Partial<Part> = {}): Part {
  const digests = { kind: 'crc32', crc32: 7 } as const;
  return { number, bytes: 8, etag: `"${MD5}"`, etagIsMd5: false, digests, ...change };
}

function listed(number: number, change: Partial<ListedPart> = {}): ListedPart {
  return { number, bytes: 8, etag: MD5, crc32: 7, ...change };
}

async function kept(parts: readonly Part[], ...lists: readonly (readonly ListedPart[])[]) {
  let calls = 0;
  const found = await listKept(parts.map(recordPart), {
    list: async () => lists[Math.min(calls++, lists.length - 1)] ?? [],
    signal: new AbortController().signal,
    lateListMs: 100,
  });
  return { found, calls };
}

describe('the parts of an earlier pod that a store still has', () => {
  it('are those with the recorded size, ETag and checksum, with or without quotes (G12)', async () => {
    const parts = [1, 2, 3, 4].map((number) => part(number));
    const { found, calls } = await kept(parts, [
      listed(1),
      listed(2, { bytes: 9 }),
      listed(3, { etag: MD5.replace('0', '1') }),
      listed(4, { crc32: 8 }),
    ]);
    expect([...found.keys()]).to.deep.equal([1]);
    expect(found.get(1)).to.deep.equal({ ...part(1), etag: MD5 });
    expect(calls).to.equal(1);
  });

  it('have the recorded CRC-32 where the list has none, and else the MD5 that is their ETag (G12)', async () => {
    const { crc32: _, ...unsummed } = listed(1);
    const summed = await kept([part(1)], [unsummed]);
    expect(summed.found.get(1)?.digests).to.deep.equal({ kind: 'crc32', crc32: 7 });
    const md5 = { kind: 'md5', md5: Buffer.from(MD5, 'hex') } as const;
    const verified = await kept([part(1, { digests: md5, etagIsMd5: true })], [unsummed]);
    expect(verified.found.get(1)).to.include({ etagIsMd5: true });
    expect(verified.found.get(1)?.digests).to.deep.equal(md5);
  });

  it('are listed again while one is missing, for a limited time (G13)', async () => {
    const late = await kept([part(1), part(2)], [listed(1)], [listed(1)], [listed(1), listed(2)]);
    expect([...late.found.keys()]).to.deep.equal([1, 2]);
    expect(late.calls).to.equal(3);
    const lost = await kept([part(1), part(2)], [listed(1)]);
    expect([...lost.found.keys()]).to.deep.equal([1]);
    expect(lost.calls).to.be.above(1);
  });
});
