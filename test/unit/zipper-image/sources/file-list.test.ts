import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { FileListError, readFileList } from '#zipper-image/sources/file-list.ts';

const ENTRIES = [
  { url: 'https://example.com/a?X-Amz-Signature=s', filename: 'a.txt' },
  { url: 'https://example.com/b', filename: 'grüße/日本.txt' },
  { url: 'https://example.com/c', filename: 'c.txt' },
];

function toLines(entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

describe('readFileList', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'file-list-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function write(...chunks: readonly (string | Buffer)[]): Promise<string> {
    const hash = createHash('sha256');
    for (const [index, chunk] of chunks.entries()) {
      hash.update(chunk);
      await writeFile(join(directory, `${index}.jsonl.gz`), gzipSync(chunk));
    }
    return hash.digest('hex');
  }

  function read(options: { chunks: number; count: number; sha256: string; maxBytes?: number }) {
    return readFileList({ directory, maxBytes: 100_000, signal: new AbortController().signal, ...options });
  }

  async function failure(reading: Promise<unknown>): Promise<FileListError> {
    const error = await reading.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof FileListError)) throw new Error('a FileListError was expected', { cause: error });
    return error;
  }

  it('reads all chunks in order', async () => {
    const sha256 = await write(toLines(ENTRIES.slice(0, 2)), toLines(ENTRIES.slice(2)));
    expect(await read({ chunks: 2, count: 3, sha256 })).to.deep.equal(ENTRIES);
  });

  it('reads the headers of an entry, and refuses forbidden headers without repeating them', async () => {
    const entry = { url: 'https://example.com/a', filename: 'a', headers: { 'X-Key': 'secret' } };
    const sha256 = await write(toLines([entry]));
    expect(await read({ chunks: 1, count: 1, sha256 })).to.deep.equal([
      { ...entry, headers: { 'x-key': 'secret' } },
    ]);
    for (const headers of [{ host: 'secret' }, { 'x-key': 1 }, ['secret'], null]) {
      const digest = await write(toLines([{ ...entry, headers }]));
      const { message } = await failure(read({ chunks: 1, count: 1, sha256: digest }));
      expect(message).to.include('line 0').and.to.not.include('secret');
    }
  });

  it('reads what an entry states about its file, and refuses what no file can be (FD10)', async () => {
    const plain = { url: 'https://example.com/a', filename: 'a' };
    const stated = { size: 3, sha256: 'A'.repeat(64), crc32: '00000000', contentType: 'Text/HTML; q=1' };
    const sha256 = await write(toLines([{ ...plain, ...stated, other: 1 }]));
    expect(await read({ chunks: 1, count: 1, sha256 })).to.deep.equal([{ ...plain, ...stated }]);
    for (const wrong of [
      { size: -1 },
      { size: '3' },
      { sha256: 'ab' },
      { crc32: null },
      { contentType: 'a' },
    ]) {
      const digest = await write(toLines([{ ...plain, ...wrong }]));
      const { message } = await failure(read({ chunks: 1, count: 1, sha256: digest }));
      expect(message).to.include(`line 0: "${Object.keys(wrong)[0]}" must be`);
    }
  });

  it('refuses a wrong digest or count', async () => {
    const sha256 = await write(toLines(ENTRIES));
    const other = await failure(read({ chunks: 1, count: 3, sha256: sha256.replace(/^./, 'x') }));
    expect(other).to.include({ code: 'FileListMismatch', retryable: false });
    expect((await failure(read({ chunks: 1, count: 4, sha256 }))).message).to.include('3 entries');
  });

  it('refuses a missing chunk, a chunk that is not gzip and a truncated chunk', async () => {
    const sha256 = await write(toLines(ENTRIES));
    expect((await failure(read({ chunks: 2, count: 3, sha256 }))).message).to.include('chunk 1');
    await writeFile(join(directory, '0.jsonl.gz'), 'plain');
    await failure(read({ chunks: 1, count: 3, sha256 }));
    await writeFile(join(directory, '0.jsonl.gz'), gzipSync(toLines(ENTRIES)).subarray(0, 40));
    await failure(read({ chunks: 1, count: 3, sha256 }));
  });

  it('stops decompressing at the size limit', async () => {
    const sha256 = await write(Buffer.alloc(50_000_000, 32));
    const error = await failure(read({ chunks: 1, count: 1, sha256, maxBytes: 1_000_000 }));
    expect(error.message).to.include('larger than 1000000');
  });

  it('refuses invalid lines without repeating them', async () => {
    for (const line of [
      '{"url":1,"filename":"a"}',
      '[]',
      'null',
      '{"url":"https://secret.example"',
      '\u0000',
    ]) {
      const sha256 = await write(`${line}\n`);
      expect((await failure(read({ chunks: 1, count: 1, sha256 }))).message).to.not.include('secret');
    }
    const sha256 = await write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    expect((await failure(read({ chunks: 1, count: 1, sha256 }))).message).to.include('UTF-8');
  });

  it('stops when the signal aborts', async () => {
    const sha256 = await write(toLines(ENTRIES));
    const reason = new Error('stop');
    const reading = readFileList({
      directory,
      chunks: 1,
      count: 3,
      sha256,
      maxBytes: 1000,
      signal: AbortSignal.abort(reason),
    });
    expect(await reading.catch((error: unknown) => error)).to.equal(reason);
  });
});
