/** Archives of terabytes, scaled by 1/1,024: every part of the largest one is sent. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { MOST_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import {
  blockBytes,
  MOST_PARTS,
  partBytes,
  partSizeFor,
  poolBytes,
} from '#runtime/zip-request/part-sizes.ts';
import { createArchive } from '#zipper-image/archive/archive.ts';
import { createPartWriter } from '#zipper-image/store/part-writer.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';

const SCALE = 1024;
const CHUNK = Buffer.alloc(256 * 1024, 7);
const FILES = 5;

async function* repeated(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
}

describe('an archive of terabytes', () => {
  const partSizeBytes = partSizeFor(MOST_ARCHIVE_BYTES);
  for (const [store, mostBytes] of [
    ['r2', CAPABILITIES.r2.mostObjectBytes],
    ['s3', MOST_ARCHIVE_BYTES],
  ] as const)
    it(`has all its parts, and at most 10,000, at ${store} (G11)`, async () => {
      const { equalParts } = CAPABILITIES[store];
      const sent: number[] = [];
      const writer = createPartWriter({
        partBytes: (number) => partBytes({ partSizeBytes, equalParts }, number) / SCALE,
        blockBytes: blockBytes(partSizeBytes) / SCALE,
        poolBytes: poolBytes({ partSizeBytes, storeBufferBytes: 0 }) / SCALE,
        checksum: 'crc32',
        send: async ({ number, bytes, body, digests }) => {
          sent[number - 1] = bytes;
          // Of some parts, because the archive has gigabytes.
          if (number % 500 === 1) {
            const crc = body.reduce((before, block) => crc32(block, before), 0);
            expect(digests).to.deep.equal({ kind: 'crc32', crc32: crc });
          }
        },
      });
      const archive = createArchive({ compression: 'store', sink: writer });
      // Headers and directory take less than the rest.
      const fileBytes = Math.floor((mostBytes / SCALE) * (0.9999 / FILES));
      for (let index = 0; index < FILES; index += 1) {
        const entry = {
          name: `${index}.bin`,
          modified: new Date(0),
          declaredLength: fileBytes,
          small: undefined,
        };
        await archive.add({ ...entry, body: repeated(fileBytes) });
      }
      const { bytes } = await archive.finish();
      await writer.finish();
      expect(sent.length).to.be.at.most(MOST_PARTS);
      expect(sent.includes(0)).to.equal(false);
      expect(Object.keys(sent)).to.have.length(sent.length);
      expect(sent.reduce((sum, part) => sum + part, 0)).to.equal(bytes);
      expect(bytes).to.be.within(FILES * fileBytes, mostBytes / SCALE);
      if (equalParts) expect(new Set(sent.slice(0, -1))).to.deep.equal(new Set([partSizeBytes / SCALE]));
    }).timeout(300_000);
});
