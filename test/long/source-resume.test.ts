/** A source of 1 GiB whose connection breaks 20 times. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { generatedChunks } from '#test/support/builders/generated-bytes.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { withReader } from '#test/unit/zipper-image/sources/source-harness.ts';

const BYTES = 1024 * 1024 * 1024;
const CUTS = 20;

describe('a source of 1 GiB that disconnects 20 times at random positions', function () {
  this.timeout(120_000);

  it('is read completely, with almost no byte fetched twice (D6)', async () => {
    await using origin = await startFileOrigin();
    let expected = 0;
    for (const piece of generatedChunks(BYTES, 1)) expected = crc32(piece, expected);
    await withReader([origin.url(`/cut/${CUTS}/${BYTES}/1`)], async (reader) => {
      let crc = 0;
      for await (const { body } of reader.entries()) for await (const chunk of body) crc = crc32(chunk, crc);
      expect(crc).to.equal(expected);
      expect(reader.retries).to.equal(CUTS);
      expect(reader.bytesRead).to.be.at.most(BYTES * 1.1);
      console.log(`      fetched ${(reader.bytesRead / BYTES).toFixed(4)} times, ${reader.retries} resumes`);
    });
  });
});
