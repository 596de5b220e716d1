import { expect } from 'chai';
import type { PlacedEntry } from '#zipper-image/archive/recorded-entry.ts';
import { createRecordedFiles } from '#zipper-image/archive/recorded-files.ts';
import type { FileRecord } from '#zipper-image/resume/types.ts';

const FACTS = { lengthUnverified: false, contentEncoded: true };
const SHA256 = 'ab'.repeat(32);

function placed(bytes: number, form: PlacedEntry['form'] = 'placed'): PlacedEntry {
  const segments = form === 'placed' ? { segments: () => [{ part: 7, crc: bytes }] } : {};
  const method = form === 'whole' ? 0 : 8;
  return {
    form,
    method,
    bytes,
    size: bytes - 50,
    compressedSize: bytes - 40,
    time: 0xffff_fffe,
    ...segments,
  };
}

function recordOf(bytes: number, more: Partial<NonNullable<FileRecord['entry']>> = {}): FileRecord {
  const { segments: _, ...entry } = placed(bytes, 'whole');
  return { ...FACTS, entry: { ...entry, ...more } };
}

describe('createRecordedFiles', () => {
  it('returns what was added, with the segments until all bytes are there', () => {
    const files = createRecordedFiles({ sha256: true, leastPartBytes: 1000 });
    files.add({ ...FACTS, validator: '"v"' }, placed(2 ** 42));
    files.add({ ...FACTS, validator: '"short"' }, placed(1050));
    files.add({ lengthUnverified: true, contentEncoded: false }, placed(500, 'encoded'));
    files.add({ ...FACTS, failure: { code: 'SourceNotFound', httpStatus: 404 } }, undefined);
    files.add(FACTS, placed(300, 'whole'));
    const { segments: _, ...first } = placed(2 ** 42);
    expect(files.records()[0]).to.deep.equal({
      ...FACTS,
      validator: '"v"',
      entry: { ...first, segments: [{ part: 7, crc: 2 ** 42 }] },
    });
    files.complete(0, { crc: 0xffff_ffff, sha256: SHA256 });
    const [one, two, three, four, five] = files.records();
    expect(one).to.deep.equal({
      ...FACTS,
      validator: '"v"',
      entry: { ...first, crc: 0xffff_ffff, sha256: Buffer.from(SHA256, 'hex') },
    });
    expect(two).to.not.have.property('validator');
    expect(three).to.deep.equal({
      lengthUnverified: true,
      contentEncoded: false,
      entry: placed(500, 'encoded'),
    });
    expect(four).to.deep.equal({ ...FACTS, failure: { code: 'SourceNotFound', httpStatus: 404 } });
    expect(five).to.deep.equal({ ...FACTS, entry: placed(300, 'whole') });
  });

  it('has the CRC-32 of an exact header until all bytes are there, also for a file that is fetched as a new one', () => {
    const entry = { ...placed(2 ** 42), method: 0, headerCrc: 0xffff_fff0, segments: () => [] };
    const { segments: _, headerCrc, ...place } = entry;
    const unfinished = { ...FACTS, entry: { ...place, headerCrc, segments: [] } };
    const whole = { ...FACTS, entry: { ...place, crc: headerCrc } };
    const files = createRecordedFiles({ sha256: false, leastPartBytes: 1000 });
    files.add(FACTS, entry);
    expect(files.records()).to.deep.equal([unfinished]);
    files.complete(0, { crc: headerCrc });
    expect(files.records()).to.deep.equal([whole]);
    const earlier = { records: [whole], files: new Map() };
    const next = createRecordedFiles({ sha256: false, leastPartBytes: 1000, earlier });
    expect(next.records()).to.deep.equal([{ ...FACTS, entry: { ...place, headerCrc } }]);
  });

  it('has the records of an earlier pod for the files that are not reached, without sums of those that are fetched as new ones', () => {
    const kept = recordOf(300, { crc: 1 });
    const records = [kept, { ...recordOf(400, { crc: 2 }), validator: '"v"' }, kept];
    const at = 0;
    const continued = new Map([
      [0, { kind: 'kept', record: kept, at }],
      [2, { kind: 'kept', record: kept, at }],
    ] as const);
    const files = createRecordedFiles({
      sha256: false,
      leastPartBytes: 1,
      earlier: { records, files: continued },
    });
    expect(files.records()).to.deep.equal([kept, recordOf(400), kept]);
    files.add(FACTS, placed(300, 'whole'));
    expect(files.records()).to.deep.equal([recordOf(300), recordOf(400), kept]);
    files.complete(0, { crc: 1 });
    files.add(FACTS, placed(400, 'whole'));
    expect(files.records()).to.deep.equal([kept, recordOf(400), kept]);
  });

  it('forgets the records behind a file that has another length', () => {
    const records = [recordOf(300, { crc: 1 }), recordOf(400, { crc: 2 })];
    const earlier = { records, files: new Map() };
    const files = createRecordedFiles({ sha256: false, leastPartBytes: 1, earlier });
    files.add(FACTS, placed(301, 'whole'));
    expect(files.records()).to.deep.equal([recordOf(301)]);
  });

  it('needs some tens of bytes of a file', () => {
    const files = createRecordedFiles({ sha256: false, leastPartBytes: 1 });
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 70_000; index += 1) {
      files.add(FACTS, placed(300, 'whole'));
      files.complete(index, { crc: index });
    }
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(70_000 * 150);
    expect(files.records()[69_999]?.entry?.crc).to.equal(69_999);
  });
});
