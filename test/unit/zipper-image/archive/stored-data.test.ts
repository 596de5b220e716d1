import { createHash } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { aPlace } from '#test/support/builders/places.ts';
import { createRandom } from '#test/support/random.ts';
import type { Framing } from '#zipper-image/archive/stored-blocks.ts';
import { StoredData } from '#zipper-image/archive/stored-data.ts';
import type { OpenSlice, Place } from '#zipper-image/byte-sink.ts';

const BLOCK = 65_535;
const LENGTHS = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 17] as const;
/** Sizes of places: within a header, around a block with its header, and larger ones. */
const PLACES = [1, 2, 3, 4, 5, 6, 1000, BLOCK, BLOCK + 4, BLOCK + 5, BLOCK + 6, 100_000] as const;

interface Planned {
  readonly data: StoredData;
  readonly coded: Buffer;
  readonly crcs: () => readonly [found: number, want: number][];
  readonly sha256: () => string;
  readonly kept: () => number;
}

interface Planning {
  readonly framing?: Framing;
  /** Places of the next slice. Default 1. */
  readonly places?: () => number;
}

/** All places of a file, each of a size that `next` returns. */
function plan(
  length: number,
  next: () => number,
  { framing = 'blocks', places = () => 1 }: Planning = {},
): Planned {
  const hash = createHash('sha256');
  const data = new StoredData(length, { hash, framing });
  const coded = Buffer.alloc(data.codedBytes, 0xee);
  const crcs: [number, number][] = [];
  let kept = 0;
  for (let at = 0; at < coded.length; ) {
    const slice: Place[] = [];
    for (let left = places(); left > 0 && at < coded.length; left -= 1) {
      const bytes = coded.subarray(at, at + next());
      at += bytes.length;
      slice.push({
        bytes,
        part: 1,
        rest: coded.length - at,
        filled: (crc) => crcs.push([crc, crc32(bytes)]),
        keep: () => {
          kept += 1;
          return () => {
            kept -= 1;
          };
        },
      });
    }
    data.plan(slice);
  }
  return { data, coded, crcs: () => crcs, sha256: () => hash.digest('hex'), kept: () => kept };
}

function expectWhole(planned: Planned, bytes: Buffer, framing: Framing = 'blocks'): void {
  const { data, coded, crcs, sha256, kept } = planned;
  expect(data.isComplete).to.equal(true);
  expect((framing === 'none' ? coded : inflateRawSync(coded)).equals(bytes)).to.equal(true);
  expect(data.wholeCrc()).to.equal(crc32(bytes));
  expect(crcs().filter(([found, want]) => found !== want)).to.deep.equal([]);
  expect(sha256()).to.equal(createHash('sha256').update(bytes).digest('hex'));
  expect(kept()).to.equal(0);
}

describe('StoredData', () => {
  for (const length of LENGTHS)
    it(`has the same bytes in places of any size, from one reader: ${length} bytes`, async () => {
      const bytes = generatedBytes(length, 1);
      for (const size of PLACES.filter((place) => place >= length / 1000)) {
        const planned = plan(length, () => size);
        for (let at = 0, chunk = 1; at < length; at += chunk, chunk = (chunk * 5) % 70_001)
          await planned.data.write(bytes.subarray(at, at + chunk));
        expectWhole(planned, bytes);
      }
    });

  it('has the same bytes from readers in any order, which leave slices to others (P102)', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = createRandom(seed);
      const framing = seed % 2 === 0 ? 'blocks' : 'none';
      const length = random.pick(LENGTHS) + random.int(0, 300_000);
      const bytes = generatedBytes(length, seed);
      const planned = plan(length, () => random.pick(PLACES) + random.int(0, 3), {
        framing,
        places: () => random.int(1, 4),
      });
      const { data } = planned;
      const readers: OpenSlice[] = [];
      while (!data.isComplete) {
        const more = random.int(0, 1) === 0 ? data.take() : data.takeLast();
        if (more) readers.push(more);
        const slice = random.pick(readers);
        const to = Math.min(slice.to, slice.position + random.int(1, 40_000));
        slice.write(bytes.subarray(slice.position, to), 0);
        if (!slice.isFull && random.int(0, 4) > 0) continue;
        readers.splice(readers.indexOf(slice), 1);
        if (!slice.isFull) data.giveBack(slice);
      }
      expectWhole(planned, bytes, framing);
    }
  });

  it('gives each slice to one reader, and says which positions others have', () => {
    const { data } = plan(4000, () => 1000);
    const [first, last] = [data.take(), data.takeLast()];
    expect([first?.position, last?.to]).to.deep.equal([0, 4000]);
    expect([data.isTaken(0), data.isTaken(first?.to ?? 0), data.isTaken(3999)]).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect(data.takeAt(0)).to.equal(undefined);
    expect(data.takeAt(first?.to ?? 0)?.position).to.equal(first?.to);
    if (first) data.giveBack(first);
    expect(data.isTaken(0)).to.equal(false);
    expect(data.take()).to.equal(first);
  });

  it('waits for the next place, and says when one is there', async () => {
    const data = new StoredData(10);
    const bytes = Buffer.alloc(15);
    const changed = data.changed();
    const writing = data.write(Buffer.alloc(10, 7));
    expect([data.hasFree, data.isTaken(0)]).to.deep.equal([false, false]);
    for (const [from, to] of [
      [0, 8],
      [8, 15],
    ] as const)
      data.plan([aPlace(bytes.subarray(from, to), { rest: 15 - to })]);
    await changed;
    await writing;
    expect(inflateRawSync(bytes).equals(Buffer.alloc(10, 7))).to.equal(true);
  });
});
