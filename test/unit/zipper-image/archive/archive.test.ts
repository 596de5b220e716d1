import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { ignoringSink } from '#test/support/archives/in-order-sink.ts';
import {
  addWhole,
  archiveEntryOf as entryOf,
  type Given,
  MODIFIED,
  makeArchive as zip,
} from '#test/support/archives/make-archive.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';

const random = randomBytes(300_000);
const text = Buffer.from('the same words over and over, '.repeat(20_000));
const nested = Buffer.concat([
  Buffer.from('PK\x03\x04 PK\x07\x08 PK\x01\x02 PK\x05\x06', 'latin1'),
  randomBytes(70_000),
  Buffer.from('PK\x07\x08\0\0\0\0PK\x03\x04', 'latin1'),
]);

describe('createArchive', () => {
  describe('an entry with a complete small body', () => {
    it('is stored with exact sizes and CRC in its local header', async () => {
      const [entry] = readZip(await zip([{ name: 'a.bin', body: random, small: true }])).entries;
      expect(entry).to.include({ method: 0, flags: 0, size: 300_000, compressedSize: 300_000 });
      expect(entry).to.include({ descriptorBytes: 0, versionLocal: 20, versionCentral: 20 });
      expect(contentOf(entry!).equals(random)).to.equal(true);
    });

    it('is deflated with exact sizes if that is smaller', async () => {
      const [entry] = readZip(await zip([{ name: 'a.txt', body: text, small: true }])).entries;
      expect(entry).to.include({ method: 8, flags: 0, descriptorBytes: 0 });
      expect(entry!.compressedSize).to.be.below(text.length / 10);
      expect(contentOf(entry!).equals(text)).to.equal(true);
    });

    it('stays stored if deflate gains nothing', async () => {
      const [entry] = readZip(await zip([{ name: 'a', body: random, small: true }], 'deflate')).entries;
      expect(entry).to.include({ method: 0, compressedSize: 300_000 });
    });

    it('may be empty (Z10)', async () => {
      const [entry] = readZip(await zip([{ name: 'empty', body: Buffer.alloc(0), small: true }])).entries;
      expect(entry).to.include({ method: 0, size: 0, compressedSize: 0, crc: 0 });
    });
  });

  describe('a streamed entry', () => {
    it('has stored blocks and a 32-bit descriptor with signature (Z1, Z2)', async () => {
      const [entry] = readZip(await zip([{ name: 'a.bin', body: random }])).entries;
      expect(entry).to.include({ method: 8, flags: 8, versionLocal: 20, versionCentral: 20 });
      expect(entry).to.include({ descriptorBytes: 16, size: 300_000, compressedSize: 300_000 + 5 * 5 });
      expect(entry!.localExtras).to.deep.equal([0x5455]);
      expect(contentOf(entry!).equals(random)).to.equal(true);
    });

    for (const size of [0, 1, 65_534, 65_535, 65_536, 131_070, 131_071])
      it(`has the same bytes with and without a declared length (${size} bytes)`, async () => {
        const body = random.subarray(0, size);
        const known = await zip([{ name: 'a.bin', body, chunk: 777 }], 'store');
        const unknown = await zip([{ name: 'a.bin', body, declared: false, chunk: 4096 }], 'store');
        expect(known.equals(unknown)).to.equal(true);
        const [entry] = readZip(known).entries;
        expect(contentOf(entry!).equals(body)).to.equal(true);
      });

    it('has 64-bit sizes without a declared length if the operator enables them (Z3)', async () => {
      const files = [
        { name: 'unknown', body: random, declared: false },
        { name: 'known', body: random },
      ];
      const { entries, hasZip64End } = readZip(await zip(files, 'store', { zip64ForUnknownLength: true }));
      expect(entries[0]).to.deep.include({ versionLocal: 45, localExtras: [1, 0x5455], descriptorBytes: 24 });
      expect(entries[1]).to.deep.include({ versionLocal: 20, localExtras: [0x5455], descriptorBytes: 16 });
      expect(hasZip64End).to.equal(false);
    });

    it('is deflated if its name and first bytes promise a gain', async () => {
      const [entry] = readZip(await zip([{ name: 'a.txt', body: text, chunk: 100 }])).entries;
      expect(entry).to.include({ method: 8, flags: 8, descriptorBytes: 16 });
      expect(entry!.compressedSize).to.be.below(text.length / 10);
      expect(contentOf(entry!).equals(text)).to.equal(true);
    });

    it('is not deflated if its name indicates a compressed format', async () => {
      const [entry] = readZip(await zip([{ name: 'a.JPG', body: text }])).entries;
      expect(entry!.compressedSize).to.be.above(text.length);
    });

    it('fails if the body is shorter or longer than declared', async () => {
      for (const change of [-1, 1]) {
        const archive = createArchive({ compression: 'store', sink: ignoringSink() });
        const entry = { ...entryOf({ name: 'a', body: random }), declaredLength: random.length + change };
        const error = await addWhole(archive, entry).catch((thrown: unknown) => thrown);
        expect(error).to.include({ code: 'SourceTruncated', retryable: true });
      }
    });

    it('rethrows errors of its source, also during the compression probe', async () => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield Buffer.alloc(10);
        throw new Error('the source broke');
      }
      for (const compression of ['auto', 'store', 'deflate'] as const) {
        const archive = createArchive({ compression, sink: ignoringSink() });
        const entry = { ...entryOf({ name: 'a', body: random }), body: broken() };
        const error = await addWhole(archive, entry).catch((thrown: unknown) => thrown);
        expect(error).to.have.property('message', 'the source broke');
      }
    });
  });

  describe('an entry whose CRC-32 is known before its bytes', () => {
    for (const size of [0, 1, 65_535, 300_000])
      it(`is stored with exact sizes in both headers and no descriptor (${size} bytes)`, async () => {
        const body = random.subarray(0, size);
        for (const chunk of [777, 60_000]) {
          const zipped = await zip([{ name: 'a.bin', body, crc32: crc32(body), chunk }], 'store');
          const [entry] = readZip(zipped).entries;
          expect(entry).to.include({ method: 0, flags: 0, size, compressedSize: size, descriptorBytes: 0 });
          expect(entry).to.include({ versionLocal: 20, versionCentral: 20, crc: crc32(body) });
          expect(contentOf(entry!).equals(body)).to.equal(true);
          const small = await zip([{ name: 'a.bin', body, small: true }], 'store');
          expect(zipped.equals(small)).to.equal(true);
        }
      });

    it('is deflated if the job or its first bytes ask for that', async () => {
      for (const [name, compression] of [
        ['a.bin', 'deflate'],
        ['a.txt', 'auto'],
      ] as const) {
        const [entry] = readZip(await zip([{ name, body: text, crc32: crc32(text) }], compression)).entries;
        expect(entry).to.include({ method: 8, flags: 8, descriptorBytes: 16 });
        expect(contentOf(entry!).equals(text)).to.equal(true);
      }
    });

    it('is in stored blocks if its length is not known', async () => {
      const files = [{ name: 'a', body: random, crc32: crc32(random), declared: false }];
      const [entry] = readZip(await zip(files, 'store')).entries;
      expect(entry).to.include({ method: 8, flags: 8, descriptorBytes: 16 });
    });

    it('has its SHA-256 in the manifest like any other', async () => {
      const archive = createArchive({ compression: 'store', sink: ignoringSink(), sha256: true });
      const entry = entryOf({ name: 'a', body: random, crc32: crc32(random), chunk: 1000 });
      const { sha256 } = await addWhole(archive, entry);
      expect(sha256).to.equal(createHash('sha256').update(random).digest('hex'));
    });
  });

  it('keeps the order and content of many entries, whatever they contain (Z9, Z17)', async () => {
    const files: Given[] = [
      { name: 'nested.zip', body: nested },
      { name: 'nested-small.zip', body: nested, small: true },
      { name: 'text', body: text },
      { name: 'deep/er/ünïcödé 名前.bin', body: random, declared: false },
      { name: 'nichts', body: Buffer.alloc(0) },
    ];
    const { entries, hasZip64End } = readZip(await zip(files));
    expect(entries.map(({ name }) => name)).to.deep.equal(files.map(({ name }) => name));
    expect(hasZip64End).to.equal(false);
    for (const [index, entry] of entries.entries())
      expect(contentOf(entry).equals(files[index]!.body)).to.equal(true);
  });

  it('marks non-ASCII names as UTF-8 and does not normalise them (Z6)', async () => {
    const decomposed = 'u\u0308.txt';
    const { entries } = readZip(
      await zip([
        { name: 'plain', body: random, small: true },
        { name: decomposed, body: random },
      ]),
    );
    expect(entries.map(({ flags }) => flags & 0x800)).to.deep.equal([0, 0x800]);
    expect(entries[1]!.nameBytes.equals(Buffer.from(decomposed))).to.equal(true);
  });

  it('writes UTC times within the DOS range, and the exact second (Z7)', async () => {
    function at(modified: Date) {
      return { name: `${modified.getTime()}`, body: random, small: true, modified };
    }
    const { entries } = readZip(
      await zip([at(MODIFIED), at(new Date(0)), at(new Date('2200-01-01')), at(new Date(Number.NaN))]),
    );
    const dos = entries.map(({ dosDate, dosTime }) => [
      1980 + (dosDate >> 9),
      (dosDate >> 5) & 15,
      dosDate & 31,
      dosTime >> 11,
      (dosTime >> 5) & 63,
      (dosTime & 31) * 2,
    ]);
    expect(dos).to.deep.equal([
      [2024, 5, 6, 7, 8, 8],
      [1980, 1, 1, 0, 0, 0],
      [2107, 12, 31, 23, 59, 58],
      [1980, 1, 1, 0, 0, 0],
    ]);
    expect(entries.map(({ unixSeconds }) => unixSeconds)).to.deep.equal([
      MODIFIED.getTime() / 1000,
      Date.UTC(1980, 0, 1) / 1000,
      undefined,
      Date.UTC(1980, 0, 1) / 1000,
    ]);
  });

  for (const [form, how, zip64] of [
    ['a small', { small: true }, false],
    ['a streamed', {}, false],
    ['a zip64', { declared: false }, true],
  ] as const)
    it(`writes the same timestamp into both headers of ${form} entry, or into none if it exceeds 32 bits (Z7) (FD1)`, async () => {
      const last = Date.UTC(2038, 0, 19, 3, 14, 7);
      const files = [last - 1000, last, last + 1000].map((ms) => ({
        ...how,
        name: `${ms}`,
        body: random,
        modified: new Date(ms),
      }));
      const { entries } = readZip(await zip(files, 'store', { zip64ForUnknownLength: true }));
      const wide = zip64 ? [1] : [];
      expect(
        entries.map(({ unixSeconds, localExtras, centralExtras }) => ({
          unixSeconds,
          localExtras,
          centralExtras,
        })),
      ).to.deep.equal([
        {
          unixSeconds: last / 1000 - 1,
          localExtras: [...wide, 0x5455],
          centralExtras: [0x5455],
        },
        { unixSeconds: last / 1000, localExtras: [...wide, 0x5455], centralExtras: [0x5455] },
        { unixSeconds: undefined, localExtras: wide, centralExtras: [] },
      ]);
    });

  it('declares Unix, a regular file, readable by all (Z8)', async () => {
    const [entry] = readZip(await zip([{ name: 'a', body: random }])).entries;
    expect(entry).to.include({ madeBy: 3, externalAttributes: 0o100644 * 65_536 });
  });

  it('writes the same bytes for any chunk size (Z11)', async () => {
    function files(chunk: number): readonly Given[] {
      return [
        { name: 'a.bin', body: random, chunk },
        { name: 'b.txt', body: text, chunk },
        { name: 'c.bin', body: random, declared: false, chunk },
        { name: 'd.txt', body: text, declared: false, chunk },
      ];
    }
    const [first, ...others] = await Promise.all(
      [100_000, 97, 4095, 65_536].map((chunk) => zip(files(chunk))),
    );
    for (const other of others) expect(other.equals(first!)).to.equal(true);
  });

  it('writes the bytes of the golden archive (Z11)', async () => {
    const archive = await zip(
      [
        { name: 'a.txt', body: Buffer.from('hello'), small: true },
        { name: 'ü', body: Buffer.from('world') },
      ],
      'store',
    );
    expect(createHash('sha256').update(archive).digest('hex')).to.equal(GOLDEN_SHA256);
  });

  it('computes the SHA-256 only of entries that want it (FD10)', async () => {
    const archive = createArchive({ compression: 'store', sink: ignoringSink() });
    const sha256 = createHash('sha256').update(random).digest('hex');
    for (const small of [false, true]) {
      const entry = entryOf({ name: `${small}`, body: random, small });
      expect(await addWhole(archive, entry)).to.not.have.property('sha256');
      const wanted = entryOf({ name: `${small}-wanted`, body: random, small });
      expect(await addWhole(archive, { ...wanted, sha256: true })).to.have.property('sha256', sha256);
    }
  });

  describe('other readers', () => {
    let directory = '';
    let path = '';
    const files: readonly Given[] = [
      { name: 'stored.bin', body: random, small: true },
      { name: 'deflated.txt', body: text, small: true },
      { name: 'streamed.bin', body: random },
      { name: 'streamed.txt', body: text },
      { name: 'länge-unbekannt.bin', body: nested, declared: false },
      { name: 'leer', body: Buffer.alloc(0) },
    ];
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'zipjobs-archive-'));
      path = join(directory, 'a.zip');
      await writeFile(path, await zip(files));
    });
    after(() => rm(directory, { recursive: true, force: true }));

    it('yauzl reads every entry', async () => {
      const archive = await yauzl.openPromise(path);
      const names: string[] = [];
      for await (const entry of archive.eachEntry()) {
        const chunks: Buffer[] = [];
        for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
        const want = files[names.length]!;
        expect(Buffer.concat(chunks).equals(want.body)).to.equal(true);
        names.push(entry.fileName);
      }
      expect(names).to.deep.equal(files.map(({ name }) => name));
    });

    for (const [tool, args] of [
      ['unzip', ['-tqq']],
      ['python3', ['-c', 'import sys,zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)']],
      ['7zz', ['t', '-bd']],
      ['bsdtar', ['-tf']],
    ] as const)
      it(`${tool} reports no error (Z15)`, async function () {
        await requirePrograms(this, [tool]);
        execFileSync(tool, [...args, path], { stdio: 'pipe', timeout: 50_000, env: UTF8 });
      }).timeout(60_000);
  });
});

/** The names are UTF-8, and some readers depend on the locale. */
const UTF8 = { ...process.env, LC_ALL: 'C.UTF-8' };
const GOLDEN_SHA256 = 'e3c9bde01ae53d44233e9ab7ed9dd6f0f744a1f89d35b33a496f0384724c4eeb';
