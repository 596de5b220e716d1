/** Programs that fetch one file of a remote archive by ranges, and the requests and bytes that it costs them. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { type Given, makeArchive } from '#test/support/archives/make-archive.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { runProgram } from '#test/support/processes/run-program.ts';
import { askedRange } from '#test/support/servers/asked-range.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { sha256Of } from './readers.ts';
import { findRclone, readWithRclone } from './remote-rclone.ts';

const MIB = 1024 ** 2;
const large = generatedBytes(40 * MIB, 1);
const SMALL_FILES = 2000;
/** Of the directory, and what readers fetch around it. */
const DIRECTORY_BYTES = 0.5 * MIB;

function smallBody(index: number): Buffer {
  return generatedBytes(5000, index);
}

function filesWith(change: Partial<Given>): readonly Given[] {
  const small = Array.from({ length: SMALL_FILES }, (_, index) => ({
    name: `small/${index}`,
    body: smallBody(index),
    small: true,
  }));
  const half = SMALL_FILES / 2;
  return [...small.slice(0, half), { name: 'large.bin', body: large, ...change }, ...small.slice(half)];
}

/** What was sent of one archive. */
interface Served {
  requests: number;
  bytes: number;
}

function serve(archive: Buffer, served: Served): OriginRoute {
  return (_request, response, incoming) => {
    const { from, to } = askedRange(incoming, archive.length) ?? { from: 0, to: archive.length };
    const isHead = incoming.method === 'HEAD';
    served.requests += 1;
    served.bytes += isHead ? 0 : to - from;
    response.writeHead(isHead ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': to - from,
      ...(!isHead && { 'content-range': `bytes ${from}-${to - 1}/${archive.length}` }),
    });
    response.end(isHead ? undefined : archive.subarray(from, to));
  };
}

/** As web servers list a folder. */
const listOfFiles: OriginRoute = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<a href="exact.zip">exact.zip</a>');
};

async function* rangeOf(url: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  const { body } = await fetch(url, { headers: { range: `bytes=${from}-${to - 1}` } });
  if (body) yield* body;
}

const BLOCK_BYTES = 256 * 1024;

/** Keeps the last block, because yauzl reads each record of the directory by itself. */
class RemoteReader extends yauzl.RandomAccessReader {
  readonly #url: string;
  readonly #size: number;
  #block: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };

  constructor(url: string, size: number) {
    super();
    this.#url = url;
    this.#size = size;
  }

  override _readStreamForRange(from: number, to: number): Readable {
    return Readable.from(rangeOf(this.#url, from, to));
  }

  override read(...[buffer, offset, length, position, callback]: Parameters<ReadInto>): void {
    this.#bytesAt(position, length).then((bytes) => {
      bytes.copy(buffer, offset);
      callback(null);
    }, callback);
  }

  async #bytesAt(from: number, length: number): Promise<Buffer> {
    const { from: start, bytes } = this.#block;
    if (from < start || from + length > start + bytes.length) {
      const to = Math.min(this.#size, from + Math.max(length, BLOCK_BYTES));
      this.#block = {
        from,
        bytes: Buffer.concat(await Readable.from(rangeOf(this.#url, from, to)).toArray()),
      };
    }
    const at = from - this.#block.from;
    return this.#block.bytes.subarray(at, at + length);
  }
}

type ReadInto = yauzl.RandomAccessReader['read'];

async function openRemote(url: string, bytes: number): Promise<yauzl.ZipFile> {
  return yauzl.fromRandomAccessReaderPromise(new RemoteReader(url, bytes), bytes, {
    autoClose: false,
    lazyEntries: true,
  });
}

async function findEntry(zip: yauzl.ZipFile, name: string): Promise<yauzl.Entry> {
  for await (const entry of zip.eachEntry()) if (entry.fileName === name) return entry;
  throw new Error(`the archive has no ${name}`);
}

function contentOf(zip: yauzl.ZipFile, entry: yauzl.Entry, options: yauzl.ZipFileOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, options, (error, stream) => {
      if (error) return reject(error);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve(Buffer.concat(chunks)));
      stream.on('error', reject);
    });
  });
}

describe('one file of a remote archive', () => {
  const served: Served = { requests: 0, bytes: 0 };
  let exactBytes = 0;
  let blocksBytes = 0;
  let origin: FileOrigin;
  before(async () => {
    const exact = await makeArchive(filesWith({ crc32: crc32(large) }), 'store');
    const blocks = await makeArchive(filesWith({}), 'store');
    [exactBytes, blocksBytes] = [exact.length, blocks.length];
    origin = await startFileOrigin({
      routes: {
        '/files/': listOfFiles,
        '/files/exact.zip': serve(exact, served),
        '/files/blocks.zip': serve(blocks, served),
      },
    });
  });
  beforeEach(() => Object.assign(served, { requests: 0, bytes: 0 }));
  after(() => origin[Symbol.asyncDispose]());

  function expectAtMost(requests: number, bytes: number): void {
    expect(served.requests, 'requests').to.be.within(1, requests);
    expect(served.bytes, 'bytes').to.be.within(1, bytes);
  }

  const [from, to] = [20 * MIB, 20 * MIB + 100_000] as const;
  const range = { start: from, end: to, decodeFileData: false };

  it('is read by yauzl with the directory, its header and the wanted bytes (Z15)', async () => {
    const zip = await openRemote(origin.url('/files/exact.zip'), exactBytes);
    const found = await contentOf(zip, await findEntry(zip, 'large.bin'), range);
    expect(found.equals(large.subarray(from, to))).to.equal(true);
    expectAtMost(10, to - from + DIRECTORY_BYTES);
  });

  it('is no range of the archive if its CRC-32 is not known before (Z1)', async () => {
    const zip = await openRemote(origin.url('/files/blocks.zip'), blocksBytes);
    const entry = await findEntry(zip, 'large.bin');
    expect(entry.compressionMethod).to.equal(8);
    await expectRefused(contentOf(zip, entry, { start: from, end: to }));
  });

  it('is read by Python with a few requests (Z15)', async function () {
    await requirePrograms(this, ['python3']);
    const program = join(import.meta.dirname, 'programs/read-remote.py');
    const url = origin.url('/files/exact.zip');
    for (const [args, want] of [
      [['small/1234'], smallBody(1234)],
      [['large.bin', String(from), String(to)], large.subarray(from, to)],
    ] as const) {
      Object.assign(served, { requests: 0, bytes: 0 });
      const digest = await runProgram('python3', [program, url, ...args]);
      expect(digest.toString()).to.equal(sha256Of(want));
      expectAtMost(10, want.length + DIRECTORY_BYTES);
    }
  });

  it('is read by the archive backend of rclone with a few requests (Z15)', async function () {
    await requirePrograms(this, ['go']);
    const rclone = await findRclone(console.log);
    for (const [name, want] of [
      ['small/1234', smallBody(1234)],
      ['large.bin', large],
    ] as const) {
      Object.assign(served, { requests: 0, bytes: 0 });
      const content = await readWithRclone(rclone, origin.url('/'), `files/exact.zip/${name}`);
      expect(content.equals(want)).to.equal(true);
      expectAtMost(20 + want.length / MIB, want.length + 8 * MIB);
    }
  }).timeout(120_000);
});

async function expectRefused(reading: Promise<unknown>): Promise<void> {
  const outcome = await reading.then(
    () => 'read',
    (error: unknown) => String(error),
  );
  expect(outcome).to.include('decodeFileData');
}
