import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { FileListTooLargeError, packFileList } from '#runtime/zip-request/file-list.ts';

function aFile(n: number, urlLength: number) {
  return {
    url: `https://h.example.com/${n}?sig=${randomBytes(urlLength / 2).toString('hex')}`.slice(0, urlLength),
    filename: `folder/${n}/é "quoted".txt`,
  };
}

function unpack(chunks: readonly Buffer[]): string {
  return chunks.map((chunk) => gunzipSync(chunk).toString()).join('');
}

describe('packFileList', () => {
  for (const count of [1, 100, 1_000, 10_000]) {
    it(`packs ${count} entries with URLs of 1.5 KiB into chunks that Secrets can hold (T13)`, async () => {
      const files = Array.from({ length: count }, (_, n) => aFile(n, 1_536));
      const list = await packFileList(files);
      const text = unpack(list.chunks);
      expect(list.count).to.equal(count);
      expect(list.chunks.length).to.be.within(1, 32);
      for (const chunk of list.chunks) expect(chunk.length).to.be.below(900 * 1024);
      expect(list.sha256).to.equal(createHash('sha256').update(text).digest('hex'));
      expect(text.endsWith('\n')).to.equal(true);
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).to.deep.equal(files);
    }).timeout(60_000);
  }

  it('returns the same bytes for the same list', async () => {
    const files = Array.from({ length: 500 }, (_, n) => aFile(n, 800));
    expect(await packFileList(files)).to.deep.equal(await packFileList(files));
  });

  it('ends every chunk with a line break', async () => {
    const files = Array.from({ length: 2_000 }, (_, n) => aFile(n, 1_000));
    const { chunks } = await packFileList(files, { maxChunkBytes: 200_000, maxChunks: 16 });
    expect(chunks.length).to.be.above(1);
    for (const chunk of chunks) expect(gunzipSync(chunk).at(-1)).to.equal(0x0a);
  });

  it('refuses a list that does not fit (T13)', async () => {
    const files = Array.from({ length: 1_000 }, (_, n) => aFile(n, 1_000));
    const error = await packFileList(files, { maxChunkBytes: 100_000, maxChunks: 2 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error)
      .to.be.instanceOf(FileListTooLargeError)
      .and.to.have.property('message')
      .that.matches(
        /^is too large: its compressed size exceeds 200000 bytes, and about (3[0-9]{2}|4[0-9]{2}) of its entries fit$/,
      );
  });
});
