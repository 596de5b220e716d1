import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import { until } from '#test/support/until.ts';
import { createPartWriter, type FilledPart } from '#zipper-image/store/part-writer.ts';

const MIB = 1024 * 1024;

async function sendNothing(): Promise<void> {}

describe('createPartWriter', () => {
  it('uses no more memory than its blocks, for any chunk and slab size (U4)', async () => {
    let inFlight = 0;
    let most = 0;
    const writer = createPartWriter({
      ...equalParts(MIB, 4),
      checksum: 'crc32',
      send: async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
      },
    });
    const before = process.memoryUsage().arrayBuffers;
    let held = 0;
    for (let slabs = 0; slabs < 20 * 16; slabs += 1) {
      // As from a socket: small views of large buffers. A kept view keeps its whole buffer in memory.
      const slab = Buffer.allocUnsafeSlow(65_536);
      for (let at = 0; at < slab.length; at += 16) {
        const wait = writer.write(slab.subarray(at, at + 16));
        if (wait) await wait;
      }
      held = Math.max(held, process.memoryUsage().arrayBuffers - before);
    }
    await writer.finish();
    expect(writer.partsStarted).to.equal(20);
    expect(writer.blocksAllocated).to.be.at.most(4);
    expect(most).to.be.at.most(4);
    // The slabs are garbage collected; kept views would use 20 MiB and more.
    expect(held).to.be.below(4 * MIB + 16 * MIB);
  }).timeout(60_000);

  for (const onBytes of [undefined, (): void => {}])
    it(`computes the CRC-32 of each part, ${onBytes ? 'with' : 'without'} onBytes`, async () => {
      const bytes = randomBytes(3 * MIB + 777);
      const sent: FilledPart['digests'][] = [];
      const expected: FilledPart['digests'][] = [];
      const writer = createPartWriter({
        ...equalParts(MIB, 3),
        checksum: 'crc32',
        onBytes,
        send: async ({ digests, body }) => {
          sent.push(digests);
          expected.push({ kind: 'crc32', crc32: crc32(Buffer.concat(body)) });
        },
      });
      for (let at = 0, size = 5; at < bytes.length; at += size, size = (size * 7 + 3) % 300_000) {
        const chunk = bytes.subarray(at, at + size);
        await writer.write(chunk);
      }
      await writer.finish();
      expect(sent).to.have.length(4);
      expect(sent).to.deep.equal(expected);
    });

  it('sends full parts while the next one is written', async () => {
    const gate = Promise.withResolvers<void>();
    const started: number[] = [];
    const writer = createPartWriter({
      ...equalParts(1024, 4),
      checksum: 'md5',
      send: async ({ number }) => {
        started.push(number);
        await gate.promise;
      },
    });
    const waiting = writer.write(Buffer.alloc(5 * 1024));
    expect(started).to.deep.equal([1, 2, 3, 4]);
    gate.resolve();
    await waiting;
    await until('the fifth part to be sent', async () => started.length === 5);
    await writer.finish();
  });

  it('calculates the digest of each part and passes on all bytes in order, for any chunk size (U14)', async () => {
    const bytes = randomBytes(3 * MIB + 777);
    const whole = createHash('sha256');
    const parts: string[] = [];
    const digests: string[] = [];
    const writer = createPartWriter({
      ...equalParts(MIB, 2),
      checksum: 'md5',
      onBytes: (piece) => whole.update(piece),
      send: async ({ body, digests: { ...sums } }: FilledPart) => {
        parts.push(createHash('md5').update(Buffer.concat(body)).digest('hex'));
        if (sums.kind === 'md5') digests.push(sums.md5.toString('hex'));
      },
    });
    let size = 1;
    for (let at = 0; at < bytes.length; at += size) {
      size = (size * 7919) % 300_007;
      await writer.write(bytes.subarray(at, at + size));
    }
    await writer.finish();
    expect(digests).to.deep.equal(parts);
    expect(whole.digest('hex')).to.equal(createHash('sha256').update(bytes).digest('hex'));
  });

  it('sends parts whose bytes arrive in another order, and keeps what is still read (P101)', async () => {
    const sent: number[] = [];
    const read: string[] = [];
    const writer = createPartWriter({
      ...equalParts(4, 3),
      checksum: 'crc32',
      onBytes: (bytes) => read.push(bytes.toString()),
      send: async ({ number, body, digests }) => {
        sent.push(number);
        expect(digests).to.deep.equal({ kind: 'crc32', crc32: crc32(Buffer.concat(body)) });
      },
    });
    const [first] = await writer.reserve(3);
    const [second, third] = await writer.reserve(4);
    if (!first || !second || !third) throw new Error('a place is missing');
    expect([second, third].map(({ bytes, part, rest }) => [bytes.length, part, rest])).to.deep.equal([
      [1, 1, 0],
      [3, 2, 1],
    ]);
    third.bytes.write('efg');
    third.filled(crc32('efg'));
    await writer.write(Buffer.from('h'));
    expect(sent).to.deep.equal([2]);
    expect(writer.bytesWritten).to.equal(8);
    second.bytes.write('d');
    second.filled(crc32('d'));
    const release = first.keep();
    first.bytes.write('abc');
    first.filled(crc32('abc'));
    await writer.write(Buffer.from('ijkl'));
    await writer.write(Buffer.from('mnop'));
    await writer.write(Buffer.from('qrst'));
    expect(first.bytes.toString()).to.equal('abc');
    release();
    await writer.write(Buffer.from('uv'));
    await writer.finish();
    expect(sent.toSorted((a, b) => a - b)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(read.join('')).to.equal('abcdefghijklmnopqrstuv');
    expect(writer.blocksAllocated).to.equal(2);
    // The second part was sent before the first one.
    expect(writer.turnWaitMs).to.be.greaterThan(0);
  });

  it('takes the blocks of a part one by one, and uses them for parts of another size (P101)', async () => {
    const bytes = randomBytes(50_000);
    const parts: Buffer[] = [];
    const read: Buffer[] = [];
    const writer = createPartWriter({
      partBytes: (number) => (number <= 2 ? 1000 : 2500),
      blockBytes: 1000,
      poolBytes: 7999,
      checksum: 'crc32',
      onBytes: (piece) => read.push(Buffer.from(piece)),
      send: async ({ number, bytes: size, body, digests }) => {
        const whole = Buffer.concat(body);
        expect(size).to.equal(whole.length);
        expect(digests).to.deep.equal({ kind: 'crc32', crc32: crc32(whole) });
        parts[number - 1] = whole;
      },
    });
    async function place(chunk: Buffer): Promise<void> {
      for (let at = 0; at < chunk.length; )
        for (const reserved of await writer.reserve(chunk.length - at)) {
          chunk.copy(reserved.bytes, 0, at);
          at += reserved.bytes.length;
          reserved.filled(crc32(reserved.bytes));
        }
    }
    for (let at = 0, size = 7; at < bytes.length; at += size, size = ((size * 31) % 3000) + 1) {
      const chunk = bytes.subarray(at, at + size);
      if (size % 2 === 0) await writer.write(chunk);
      else await place(chunk);
    }
    expect(writer.blocksAllocated).to.be.at.most(7);
    await writer.finish();
    expect(parts.map(({ length }) => length).slice(0, 4)).to.deep.equal([1000, 1000, 2500, 2500]);
    expect(Buffer.concat(parts).equals(bytes)).to.equal(true);
    expect(Buffer.concat(read).equals(bytes)).to.equal(true);
  });

  it('reserves bytes of several parts at once when all have memory, and fewer if they never will (P101)', async () => {
    const gate = Promise.withResolvers<void>();
    const writer = createPartWriter({ ...equalParts(4, 2), checksum: 'crc32', send: () => gate.promise });
    await writer.write(Buffer.from('abcdef'));
    let reserved = false;
    const reserving = writer.reserve(4).then((places) => {
      reserved = true;
      return places.map(({ bytes }) => bytes.length);
    });
    await new Promise((resolve) => setImmediate(resolve));
    // The second part has two bytes left, but the first one has the memory of the third.
    expect(reserved).to.equal(false);
    gate.resolve();
    expect(await reserving).to.deep.equal([2, 2]);
    const small = createPartWriter({ ...equalParts(4, 1), checksum: 'crc32', send: sendNothing });
    await small.write(Buffer.from('ab'));
    expect((await small.reserve(4)).map(({ bytes }) => bytes.length)).to.deep.equal([2]);
  });

  it('rejects anyone who waits for a buffer when the archive has failed (P108)', async () => {
    const writer = createPartWriter({
      ...equalParts(4, 2),
      checksum: 'crc32',
      send: sendNothing,
    });
    await writer.reserve(4);
    await writer.reserve(4);
    const waiting = writer.reserve(1).catch((error: unknown) => error);
    const failure = new Error('a source broke off');
    writer.fail(failure);
    expect(await waiting).to.equal(failure);
    expect(await writer.finish().catch((error: unknown) => error)).to.equal(failure);
  });

  it('returns the first failure from every later write and from finish (U5)', async () => {
    const failure = new Error('the part is lost');
    const writer = createPartWriter({
      ...equalParts(10, 2),
      checksum: 'crc32',
      send: ({ number }) => (number === 1 ? Promise.reject(failure) : sendNothing()),
    });
    await writer.write(Buffer.alloc(15));
    await writer.finished();
    for (const work of [() => writer.write(Buffer.alloc(1)), () => writer.finish()])
      expect(await Promise.resolve(work()).catch((error: unknown) => error)).to.equal(failure);
  });
});
