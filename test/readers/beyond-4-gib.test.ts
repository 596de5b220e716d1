/**
 * An archive of more than 4 GiB, on disk sparse, in our parser and in some readers. test/unit/zipper-image/archive/zip64.test.ts has
 * the limits themselves, and `npm run test:extended` more readers and an archive for each limit.
 */
import { expect } from 'chai';
import { readBeyond4Gib, useArchiveBeyond4Gib } from '#test/readers/beyond-4-gib.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { openZipBytes } from '#test/support/archives/sparse-archive.ts';

describe('an archive of more than 4 GiB', function () {
  this.timeout(600_000);
  const world = useArchiveBeyond4Gib();

  it('has zip64 everywhere in the entry of this size, and in those behind it only in the directory (Z3, Z4, Z5)', () => {
    using bytes = openZipBytes(world().path);
    const { entries, hasZip64End } = readZip(bytes);
    expect(hasZip64End).to.equal(true);
    const [big, ...others] = entries;
    expect(big).to.deep.include({ versionLocal: 45, localExtras: [1, 0x5455], centralExtras: [1, 0x5455] });
    for (const entry of others) {
      expect(entry).to.deep.include({ versionLocal: 20, localExtras: [0x5455], centralExtras: [1, 0x5455] });
      expect(contentOf(entry).toString()).to.equal('behind it');
    }
  });

  readBeyond4Gib('in every run', world);
});
