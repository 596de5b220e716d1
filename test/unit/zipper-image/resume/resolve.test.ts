/** Which parts of an earlier pod are kept. */
import { expect } from 'chai';
import { createRandom, type Random } from '#test/support/random.ts';
import {
  type BoundaryProbe,
  RefusedError,
  type ResolveDeps,
  resolveParts,
} from '#zipper-image/resume/resolve.ts';
import type { EntryRecord, FileRecord } from '#zipper-image/resume/types.ts';

const PART = 100;
const BODY = new Uint8Array(3);

function entryOf(bytes: number, change: Partial<EntryRecord> = {}): EntryRecord {
  return { form: 'whole', method: 0, bytes, size: bytes, compressedSize: bytes, time: 0, crc: 1, ...change };
}
function fileOf(entry: EntryRecord | undefined, change: Partial<FileRecord> = {}): FileRecord {
  return { lengthUnverified: false, contentEncoded: false, ...(entry && { entry }), ...change };
}
function placed(bytes: number, change: Partial<EntryRecord> = {}): FileRecord {
  return fileOf(entryOf(bytes, { form: 'placed', method: 8, ...change }), { validator: '"v1"' });
}

type Replies = Readonly<Record<number, 'changed' | 'resized'>>;

/** Records the questions. */
function probeWith(replies: Replies) {
  const asked: string[] = [];
  const probe: BoundaryProbe = {
    repeat: async (index) => {
      asked.push(`repeat ${index}`);
      return replies[index] ?? BODY;
    },
    confirm: async (index) => {
      asked.push(`confirm ${index}`);
      return replies[index] ?? 'same';
    },
  };
  return { probe, asked };
}

interface Case {
  readonly files: readonly FileRecord[];
  readonly parts: readonly number[];
  readonly replies?: Replies;
  readonly change?: Partial<ResolveDeps>;
}

async function resolve({ files, parts, replies = {}, change = {} }: Case) {
  const { probe, asked } = probeWith(replies);
  const deps: ResolveDeps = {
    probe,
    partBytes: () => PART,
    needsSha256: false,
    statesSha256: () => false,
    isSingleUse: () => false,
    mayChangeForm: () => false,
    placeholderOf: () => BODY,
    ...change,
  };
  const resolved = await resolveParts({ files, parts: [] }, new Set(parts), deps).catch((error: unknown) => {
    if (error instanceof RefusedError) return error.refusal;
    throw error;
  });
  if (typeof resolved === 'string') return { asked, refusal: resolved };
  const kinds = files.map((_, index) => resolved.files.get(index)?.kind ?? 'new');
  return { asked: asked.toSorted(), kept: [...resolved.kept], kinds, files: resolved.files };
}

describe('resolveParts', () => {
  it('keeps parts within the records, and requests only what has a part that is made again (G12)', async () => {
    const files = [fileOf(entryOf(150)), fileOf(entryOf(100)), fileOf(entryOf(200)), fileOf(entryOf(70))];
    // The third part is missing, and the sixth one reaches behind the records.
    expect(await resolve({ files, parts: [1, 2, 4, 5, 6] })).to.deep.include({
      kept: [1, 2, 4, 5],
      kinds: ['kept', 'repeated', 'repeated', 'repeated'],
      asked: ['repeat 1', 'repeat 2', 'repeat 3'],
    });
  });

  it('says where each file starts, and how much of it is kept (G12)', async () => {
    const segments = [{ part: 1, crc: 1 }];
    const files = [fileOf(entryOf(50)), placed(500, { segments })];
    const { files: found } = await resolve({ files, parts: [1] });
    expect(found?.get(1)).to.include({ kind: 'ranges', at: 50, keptBytes: 50 });
  });

  it('makes all parts of a file again that has changed, and asks the files next to it (G12)', async () => {
    const files = [fileOf(entryOf(150)), fileOf(entryOf(100)), fileOf(entryOf(250))];
    expect(await resolve({ files, parts: [1, 2, 4, 5], replies: { 1: 'changed' } })).to.deep.include({
      kept: [1, 4, 5],
      kinds: ['repeated', 'new', 'repeated'],
      asked: ['repeat 0', 'repeat 1', 'repeat 2'],
    });
  });

  it('refuses another length in front of a kept part, and accepts it behind all of them (G12)', async () => {
    const files = [fileOf(entryOf(150)), fileOf(entryOf(150)), fileOf(entryOf(150))];
    expect(await resolve({ files, parts: [1, 3, 4], replies: { 0: 'resized' } })).to.deep.include({
      refusal: 'LayoutChanged',
    });
    expect(await resolve({ files, parts: [1, 2], replies: { 1: 'resized' } })).to.deep.include({
      kept: [1],
      kinds: ['repeated', 'new', 'new'],
    });
  });

  it('refuses other bytes of a compressed file in front of a kept part (G12)', async () => {
    const files = [fileOf(entryOf(150, { method: 8 })), fileOf(entryOf(150))];
    expect(await resolve({ files, parts: [1, 3], replies: { 0: 'changed' } })).to.deep.include({
      refusal: 'LayoutChanged',
    });
  });

  it('refuses another version of a file in front of a kept part if it may have another form (G12)', async () => {
    const change = { mayChangeForm: (index: number) => index === 1 };
    const replies = { 0: 'changed', 1: 'changed' } as const;
    const [small, first, second] = [fileOf(entryOf(50)), placed(250), placed(250)];
    const inFront = { files: [small, first, second], parts: [2, 5], replies };
    expect(await resolve({ ...inFront, change })).to.deep.include({ refusal: 'LayoutChanged' });
    expect(await resolve(inFront)).to.deep.include({ kept: [5], kinds: ['new', 'new', 'ranges'] });
    const behind = { files: [small, first], parts: [2], replies };
    expect(await resolve({ ...behind, change })).to.deep.include({ kept: [], kinds: ['new', 'new'] });
    const body = { files: [small, fileOf(entryOf(250)), second], parts: [2, 5], replies };
    expect(await resolve({ ...body, change })).to.deep.include({ kept: [5] });
  });

  it('makes all parts of a boundary file again that nothing identifies (G12)', async () => {
    const encoded = fileOf(entryOf(250, { form: 'encoded' }), { validator: '"v1"' });
    const unnamed = fileOf(entryOf(250, { form: 'placed' }));
    for (const file of [encoded, unnamed])
      expect(await resolve({ files: [file, file], parts: [1, 3, 4, 5] })).to.deep.include({
        kept: [],
        kinds: ['new', 'new'],
        asked: [],
      });
  });

  it('needs the CRC of every kept part of a file whose CRC is not known (G12)', async () => {
    const segments = [1, 3].map((part) => ({ part, crc: part }));
    const file = fileOf(entryOf(450, { form: 'placed', segments }), { validator: '"v1"' });
    const { crc: _crc, ...entry } = file.entry!;
    expect(await resolve({ files: [{ ...file, entry }], parts: [1, 2, 3] })).to.deep.include({
      kept: [1, 3],
      kinds: ['ranges'],
    });
  });

  it('needs the SHA-256 of a file for a manifest (G12)', async () => {
    const change = { needsSha256: true };
    const sha256 = Buffer.alloc(32);
    expect(await resolve({ files: [placed(250)], parts: [1], change })).to.deep.include({ kept: [] });
    expect(await resolve({ files: [placed(250, { sha256 })], parts: [1], change })).to.deep.include({
      kept: [1],
    });
  });

  it('needs all bytes of a file whose SHA-256 is stated, unless they were compared before (G12)', async () => {
    const change = { statesSha256: () => true };
    const { crc: _crc, ...entry } = entryOf(250, { form: 'placed', segments: [{ part: 1, crc: 1 }] });
    const unfinished = fileOf(entry, { validator: '"v1"' });
    expect(await resolve({ files: [unfinished], parts: [1] })).to.deep.include({ kept: [1] });
    expect(await resolve({ files: [unfinished], parts: [1], change })).to.deep.include({ kept: [] });
    expect(await resolve({ files: [placed(250)], parts: [1], change })).to.deep.include({ kept: [1] });
  });

  it('refuses to request a boundary file again whose URL may work once only (F31, G12)', async () => {
    const change = { isSingleUse: (index: number) => index === 1 };
    const files = [fileOf(entryOf(100)), fileOf(entryOf(150))];
    expect(await resolve({ files, parts: [1, 2], change })).to.deep.include({
      refusal: 'SingleUse',
      asked: [],
    });
    expect(await resolve({ files, parts: [1], change })).to.deep.include({ kinds: ['kept', 'new'] });
  });

  it('keeps what was left out in front of a kept part, and tries again behind it (G12)', async () => {
    const failure = { code: 'SourceNotFound' } as const;
    const files = [
      fileOf(undefined, { failure }),
      fileOf(entryOf(150), { failure }),
      fileOf(entryOf(150)),
      fileOf(undefined, { failure }),
      fileOf(entryOf(100), { failure }),
    ];
    expect(await resolve({ files, parts: [1, 3] })).to.deep.include({
      kinds: ['kept', 'repeated', 'repeated', 'new', 'new'],
      asked: ['repeat 2'],
    });
    expect(await resolve({ files, parts: [2] })).to.deep.include({
      kinds: ['kept', 'repeated', 'repeated', 'new', 'new'],
    });
  });

  it('fetches at most 64 bodies again (G12)', async () => {
    const files = Array.from({ length: 400 }, () => fileOf(entryOf(150)));
    const parts = Array.from({ length: 200 }, (_, index) => 1 + 3 * index);
    const { asked, kinds = [] } = await resolve({ files, parts });
    expect(asked).to.have.length(64);
    expect(kinds.filter((kind) => kind === 'repeated')).to.have.length(64);
  });

  describe('of generated layouts', () => {
    const FORMS = ['whole', 'placed', 'encoded'] as const;
    function parts60(): readonly number[] {
      return Array.from({ length: 60 }, (_, index) => index + 1);
    }

    function generatedFile(random: Random): FileRecord {
      const form = random.pick(FORMS);
      const failure = random.next() < 0.1 ? ({ failure: { code: 'SourceNotFound' } } as const) : {};
      if (random.next() < 0.1 && 'failure' in failure) return fileOf(undefined, failure);
      const bytes = random.next() < 0.2 ? random.int(300, 900) : random.int(30, 130);
      const { crc: _crc, ...entry } = entryOf(bytes, { form, method: random.pick([0, 8]) });
      const segments = Array.from({ length: 60 }, (_, part) => ({ part, crc: 1 }));
      const isUnfinished = form === 'placed' && random.next() < 0.3;
      const sums = isUnfinished ? { segments: segments.filter(() => random.next() < 0.8) } : { crc: 1 };
      const validator = random.next() < 0.7 ? { validator: '"v1"' } : {};
      return fileOf({ ...entry, ...sums }, { ...validator, ...failure });
    }

    function generated(random: Random): Case {
      const files = Array.from({ length: random.int(1, 30) }, () => generatedFile(random));
      const share = random.pick([0.3, 0.8, 0.95, 1]);
      const parts = parts60().filter(() => random.next() < share);
      const trouble = random.pick([0, 0, 0.1, 0.5]);
      const replies: Record<number, 'changed' | 'resized'> = {};
      for (const index of files.keys())
        if (random.next() < trouble) replies[index] = random.next() < 0.9 ? 'changed' : 'resized';
      return { files, parts, replies };
    }

    interface Seen {
      readonly record: FileRecord;
      readonly kind: string | undefined;
      /** Numbers of its parts. */
      readonly parts: readonly number[];
      readonly kept: ReadonlySet<number>;
    }

    function hasUnknownRanges({ record: { entry, validator }, parts, kept }: Seen): boolean {
      const known = new Set(entry?.segments?.map(({ part }) => part));
      const isSummed = entry?.crc !== undefined || parts.every((part) => !kept.has(part) || known.has(part));
      return entry?.form !== 'placed' || validator === undefined || !isSummed;
    }

    function isWrong(seen: Seen, isInFront: boolean): boolean {
      const { record, kind, parts, kept } = seen;
      const share = parts.filter((number) => kept.has(number)).length;
      if (record.failure) return kind === 'new' && isInFront;
      if (kind === 'new') return share > 0;
      if (kind === 'kept') return share < parts.length;
      return kind === 'repeated' ? record.entry?.form !== 'whole' : hasUnknownRanges(seen);
    }

    /** Where the resolution breaks a rule. */
    function faultsOf(
      { files, parts }: Case,
      kinds: readonly string[],
      kept: ReadonlySet<number>,
    ): readonly string[] {
      const lastKept = Math.max(0, ...kept) * PART;
      let to = 0;
      const faults = files.flatMap((record, index) => {
        const from = to;
        to += record.entry?.bytes ?? 0;
        const end = to;
        const own = parts60().filter((number) => number * PART > from && (number - 1) * PART < end);
        const seen = { record, kind: kinds[index], parts: own, kept };
        return isWrong(seen, from < lastKept) ? [`file ${index} is ${seen.kind}`] : [];
      });
      const wrong = [...kept].filter((number) => number * PART > to || !parts.includes(number));
      return [...faults, ...wrong.map((number) => `part ${number} is kept`)];
    }

    for (let seed = 1; seed <= 2000; seed += 500)
      it(`no file mixes two versions, and none is asked twice (seeds from ${seed}, G12)`, async () => {
        for (let n = seed; n < seed + 500; n += 1) {
          const one = generated(createRandom(n));
          const found = await resolve(one);
          const faults = found.kept ? faultsOf(one, found.kinds, new Set(found.kept)) : [];
          expect(faults, `seed ${n}`).to.deep.equal([]);
          expect(new Set(found.asked).size, `seed ${n}`).to.equal(found.asked.length);
          const isTroubled = Object.keys(one.replies ?? {}).length > 0;
          if (!isTroubled) expect(found.refusal, `seed ${n}`).to.equal(undefined);
          const isSimple = one.files.every(({ entry }) => entry?.form === 'whole');
          const end = one.files.reduce((sum, { entry }) => sum + (entry?.bytes ?? 0), 0);
          if (!isTroubled && isSimple)
            expect(found.kept, `seed ${n}`).to.deep.equal(one.parts.filter((number) => number * PART <= end));
        }
      });
  });
});
