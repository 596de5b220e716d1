/** Entries of which parts are kept from an earlier pod. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { archiveEntryOf, MODIFIED } from '#test/support/archives/make-archive.ts';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { aPlace } from '#test/support/builders/places.ts';
import { type ArchiveEntry, createArchive } from '#zipper-image/archive/archive.ts';
import type { PlacedEntry } from '#zipper-image/archive/recorded-entry.ts';
import { StoredData } from '#zipper-image/archive/stored-data.ts';
import type { ContinuedFile, EntryRecord } from '#zipper-image/resume/types.ts';
import { createPartWriter } from '#zipper-image/store/part-writer.ts';
import { checkContinued, continuedSeeds, noCounts } from '../../../bytes/check-continued.ts';

const PART = 10_000;
const LONG = generatedBytes(100_000, 1);
const SHORT = generatedBytes(15_000, 2);

/** An archive in small parts, of which some are kept. */
function openArchive(kept: readonly number[] = [], sha256 = false) {
  const sent: number[] = [];
  const sink = createPartWriter({
    ...equalParts(PART, 50),
    checksum: 'crc32',
    kept: new Map(kept.map((number) => [number, { bytes: PART }])),
    send: async ({ number }) => void sent.push(number),
  });
  return { archive: createArchive({ sink, compression: 'store', sha256 }), sink, sent };
}

/** What is recorded of an entry at the start of an archive. */
async function recordOf(entry: ArchiveEntry): Promise<EntryRecord> {
  const placed: PlacedEntry[] = [];
  const { archive } = openArchive();
  const { written } = await archive.add({ ...entry, onPlaced: (place) => placed.push(place) });
  const { crc } = await written;
  const [{ segments: _, ...place } = {} as PlacedEntry] = placed;
  return { ...place, crc };
}

function continuing(kind: 'kept' | 'ranges', entry: EntryRecord, at = 0): ContinuedFile {
  const record = { entry, lengthUnverified: false, contentEncoded: false };
  return kind === 'kept' ? { kind, record, at } : { kind, record, at, keptBytes: 0 };
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return undefined;
}

describe('a continued entry', () => {
  function long(): ArchiveEntry {
    return archiveEntryOf({ name: 'long', body: LONG });
  }
  function short(): ArchiveEntry {
    return archiveEntryOf({ name: 'short', body: SHORT, small: true });
  }

  it('has the bytes of an undisturbed one, for any parts', async () => {
    const counts = noCounts();
    for (const seed of continuedSeeds(25)) await checkContinued(seed, counts);
    expect(Math.min(counts.kept, counts.ranges)).to.be.greaterThan(0);
  }).timeout(60_000);

  it('has the bytes of an undisturbed one if its CRC-32 is known before, for any parts', async () => {
    const counts = noCounts();
    for (const seed of continuedSeeds(25)) await checkContinued(seed, counts, { statesCrc32: true });
    expect(Math.min(counts.kept, counts.exact)).to.be.greaterThan(0);
  }).timeout(60_000);

  it('is kept only if all of its parts are, and is not read then', async () => {
    const record = await recordOf(long());
    const kept = Math.ceil(record.bytes / PART);
    const { archive, sink, sent } = openArchive(Array.from({ length: kept - 1 }, (_, index) => index + 1));
    const unread = { [Symbol.asyncIterator]: () => expect.fail('it was read') };
    const entry = { ...long(), body: unread, continues: continuing('kept', record) };
    // Its last part is not whole, so that it cannot be kept.
    expect(await codeOf(archive.add(entry))).to.equal('SourceChanged');
    expect([sent, sink.blocksAllocated]).to.deep.equal([[], 0]);
  });

  it('fails if it is at another place than before', async () => {
    const record = await recordOf(long());
    const { archive } = openArchive([3]);
    expect(await codeOf(archive.add({ ...long(), continues: continuing('ranges', record, 5) }))).to.equal(
      'SourceChanged',
    );
  });

  it('fails if its source has another length than before', async () => {
    const record = await recordOf(long());
    const { archive } = openArchive([3]);
    const entry = { ...archiveEntryOf({ name: 'long', body: LONG.subarray(1) }), modified: MODIFIED };
    expect(await codeOf(archive.add({ ...entry, continues: continuing('ranges', record) }))).to.equal(
      'SourceChanged',
    );
  });

  it('fails if its repeated body has other bytes than before', async () => {
    const entry = await recordOf(short());
    const record = { entry, lengthUnverified: false, contentEncoded: false };
    for (const body of [SHORT.toReversed(), SHORT.subarray(1)]) {
      const { archive } = openArchive([1]);
      const continues = { kind: 'repeated', record, at: 0, body } as const;
      expect(await codeOf(archive.add({ ...short(), continues }))).to.equal('SourceChanged');
    }
  });

  it('is refused without the SHA-256 that a manifest needs', async () => {
    const record = await recordOf(long());
    const { archive } = openArchive([2], true);
    const error = await codeOf(archive.add({ ...long(), continues: continuing('ranges', record) }));
    expect(String(error)).to.include('no SHA-256');
  });

  it('does not mix with a new one in a kept part', async () => {
    const { archive, sink } = openArchive([3]);
    expect(await codeOf(archive.add(long()))).to.equal('SourceChanged');
    // Nothing was read in vain.
    expect(sink.bytesWritten).to.equal(0);
    const { written } = await archive.add(archiveEntryOf({ name: 'fits', body: LONG.subarray(0, 19_900) }));
    await written;
    expect(await codeOf(archive.add(archiveEntryOf({ name: 'does not', body: SHORT })))).to.equal(
      'SourceChanged',
    );
  });
});

describe('StoredData with parts that are kept', () => {
  const length = 300_000;
  const bytes = generatedBytes(length, 3);

  /** Plans the data, of which every second part is kept. */
  function plan(segments: { readonly part: number; readonly crc: number }[]): StoredData {
    const data = new StoredData(length, { recorded: segments });
    for (let part = 1; data.unplanned > 0; part += 1) {
      const size = Math.min(PART, data.unplanned);
      if (part % 2 === 0) data.skip(size, part);
      else data.plan([aPlace(Buffer.alloc(size), { part })]);
    }
    return data;
  }

  it('records the CRC-32 of its bytes in each part, and needs them to continue', async () => {
    const whole = new StoredData(length);
    for (let part = 1; whole.unplanned > 0; part += 1) {
      const size = Math.min(PART, whole.unplanned);
      const inTwo = [
        [Math.min(size, 1000), Math.max(0, size - 1000)],
        [Math.max(0, size - 1000), 0],
      ] as const;
      whole.plan(inTwo.map(([placed, rest]) => aPlace(Buffer.alloc(placed), { part, rest })));
    }
    await whole.write(bytes.subarray(0, 200_000));
    const before = whole.segments();
    expect(before).to.have.length(20);
    await whole.write(bytes.subarray(200_000));
    const segments = whole.segments();
    expect(segments).to.have.length(31);
    expect(segments.slice(0, 20)).to.deep.equal(before);
    const continued = plan([...segments]);
    await continued.write(bytes);
    expect(continued.isComplete).to.equal(true);
    expect(continued.wholeCrc()).to.equal(crc32(bytes));
    expect(continued.segments()).to.deep.equal(segments);
    const lacking = plan(segments.filter(({ part }) => part !== 4));
    await lacking.write(bytes);
    expect(() => lacking.wholeCrc()).to.throw('lacks the CRC-32');
  });

  it('knows the segments of parts that it has not reached', () => {
    const recorded = [{ part: 3, crc: 1 }];
    const data = new StoredData(length, { recorded });
    expect(data.segments()).to.deep.equal(recorded);
  });

  it('says which positions are not wanted', () => {
    const data = plan([]);
    expect(data.skippedTo(0)).to.equal(0);
    const from = PART - 5;
    expect([data.skippedTo(from - 1), data.skippedTo(from), data.skippedTo(from + 1)]).to.deep.equal([
      from - 1,
      from + PART,
      from + PART,
    ]);
  });
});
