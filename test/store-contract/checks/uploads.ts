/** Multipart uploads: parts, checksums, Complete, and what is visible when. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import { base64Crc, followsFromParts } from '#zipper-image/store/part-verification.ts';
import type { PartChecksum } from '#zipper-image/store/store-capabilities.ts';
import { isStoreCode, StoreError } from '#zipper-image/store/store-errors.ts';
import { type Check, demand } from '../check.ts';
import {
  ATTEMPT,
  aPart,
  COMPLETE_LIMIT_MS,
  codeOf,
  errorOf,
  PART_BYTES,
  publish,
  sendParts,
  type World,
} from '../world.ts';

const HOW = { onConflict: 'replace', limitMs: COMPLETE_LIMIT_MS } as const;

/** A store that stores the part, but says what it stored, is still safe: the zipper compares. */
async function wrongDigest({ open, key }: World, checksum: PartChecksum): Promise<string | undefined> {
  const store = open({ checksum });
  const at = key();
  const upload = { key: at, uploadId: await store.createUpload(at, ATTEMPT) };
  const part = aPart(1, checksum, { body: randomBytes(2000), summed: randomBytes(2000) });
  const error = await errorOf(store.uploadPart(upload, part));
  await store.abortUpload(upload);
  demand(error !== undefined, 'it accepts a part whose checksum is wrong, so a changed byte is not noticed');
  if (isStoreCode(error, 'ChecksumMismatch'))
    return 'it stores such a part and returns another checksum. The zipper compares it';
  if (error instanceof StoreError && error.code === 'StoreCorrupted') return undefined;
  return `it says ${codeOf(error)} instead of BadDigest, so the part is not sent again`;
}

/** Each part has its checksum, and the CRC-32 that follows for the whole object is wrong. */
function withOtherLengths(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => ({ ...part, bytes: part.bytes + 1 }));
}

export const UPLOAD_CHECKS: readonly Check[] = [
  {
    name: 'stores the parts in the order of their numbers, whatever order they arrive in',
    run: async ({ store, key, reader }) => {
      const at = key();
      const { upload, parts, body } = await sendParts(store, at, [PART_BYTES, PART_BYTES + 1, 4321]);
      await store.completeUpload(upload, parts, HOW);
      demand(
        (await reader.bytes(at)).equals(body),
        'the object does not consist of the parts that were sent',
      );
      return undefined;
    },
  },
  {
    name: 'confirms CRC-32 when an upload asks for it',
    run: async ({ store, key }) => {
      const at = key();
      await store.abortUpload({ key: at, uploadId: await store.createUpload(at, ATTEMPT) });
      return store.partChecksum === 'crc32'
        ? undefined
        : 'it does not. The zipper sends Content-MD5, which takes ten times the time';
    },
  },
  {
    name: 'refuses a part whose CRC-32 is wrong',
    run: async (world) => {
      const { store, key } = world;
      const at = key();
      await store.abortUpload({ key: at, uploadId: await store.createUpload(at, ATTEMPT) });
      if (store.partChecksum === 'md5') return 'it does not support CRC-32';
      return wrongDigest(world, 'crc32');
    },
  },
  { name: 'refuses a part whose Content-MD5 is wrong', run: (world) => wrongDigest(world, 'md5') },
  {
    name: 'returns a checksum of all parts from Complete',
    run: async ({ store, key }) => {
      const { parts, ...completed } = await publish(store, key());
      const verdict = followsFromParts(completed, parts);
      demand(verdict !== 'no', 'the checksum is not that of the parts');
      return verdict === 'yes' ? undefined : 'it returns none that can be compared';
    },
  },
  {
    name: 'verifies the CRC-32 of the whole object',
    run: async ({ store, reader, key }) => {
      const at = key();
      const { upload, parts, body } = await sendParts(store, at, [PART_BYTES, 4321]);
      if (!store.verifiesObject) {
        await store.abortUpload(upload);
        return 'it does not confirm that. The objects have the checksum of their parts, if any';
      }
      const error = await errorOf(store.completeUpload(upload, withOtherLengths(parts), HOW));
      demand(error !== undefined, 'it completes an upload with another checksum');
      demand((await store.head(at)) === undefined, 'it refuses another checksum, and shows the object');
      await store.completeUpload(upload, parts, HOW);
      const found = await reader.checksum(at);
      demand(
        found.crc32 === base64Crc(crc32(body)) && found.type === 'FULL_OBJECT',
        `the object has the checksum ${found.crc32} of type ${found.type}`,
      );
      return undefined;
    },
  },
  {
    name: 'publishes nothing before Complete',
    run: async ({ store, key }) => {
      const at = key();
      const { upload } = await sendParts(store, at, [1000]);
      const found = await store.head(at);
      await store.abortUpload(upload);
      demand(found === undefined, 'an object is visible before the upload is completed');
      return undefined;
    },
  },
  {
    name: 'shows the whole object and its metadata right after Complete',
    run: async ({ store, key }) => {
      const at = key();
      const { etag } = await publish(store, at, 1234);
      const found = await store.head(at);
      demand(found !== undefined, 'HEAD does not find the object');
      demand(found?.bytes === 1234, `the object has ${found?.bytes} bytes instead of 1234`);
      demand(found?.attempt === ATTEMPT, 'the user-defined metadata is missing');
      return found?.etag === etag ? undefined : 'HEAD returns another ETag than Complete';
    },
  },
  {
    name: 'shows a replaced object right after Complete',
    run: async ({ store, key }) => {
      const at = key();
      await publish(store, at, 1000);
      await publish(store, at, 1001);
      demand((await store.head(at))?.bytes === 1001, 'HEAD still returns the object that was replaced');
      return undefined;
    },
  },
  {
    name: 'replaces nothing with If-None-Match: *',
    run: async ({ store, key }) => {
      const at = key();
      await publish(store, at, 1000);
      const { upload, parts } = await sendParts(store, at, [1001]);
      const error = await errorOf(store.completeUpload(upload, parts, { ...HOW, onConflict: 'fail' }));
      if (error instanceof StoreError && error.code === 'ObjectExists') return undefined;
      return error === undefined
        ? 'it ignores the condition. The zipper looks at the key right before, so an object that appears in between is replaced'
        : `it says ${codeOf(error)}`;
    },
  },
  {
    name: 'completes with If-None-Match: * if there is no object',
    run: async ({ store, key }) => {
      const { upload, parts } = await sendParts(store, key(), [1000]);
      const error = await errorOf(store.completeUpload(upload, parts, { ...HOW, onConflict: 'fail' }));
      if (error === undefined) return undefined;
      return `it says ${codeOf(error)}, so onConflict \`fail\` cannot be used`;
    },
  },
  {
    name: 'refuses a Complete that names a part it does not have',
    run: async ({ store, key }) => {
      const { upload, parts } = await sendParts(store, key(), [1000]);
      const wrong = parts.map((part) => ({ ...part, etag: `"${'0'.repeat(32)}"` }));
      const error = await errorOf(store.completeUpload(upload, wrong, HOW));
      if (error === undefined) return 'it does not compare the ETags of the parts';
      if (error instanceof StoreError && error.code === 'StoreCorrupted') return undefined;
      return `it says ${codeOf(error)} instead of InvalidPart`;
    },
  },
  {
    name: 'knows a completed upload no more, or repeats its response',
    run: async ({ store, key }) => {
      const { upload, parts, etag } = await publish(store, key());
      const again = await store.completeUpload(upload, parts, HOW).catch((error: unknown) => error);
      if (isStoreCode(again, 'NoSuchUpload')) return undefined;
      if (again instanceof Error) return `it says ${codeOf(again)} to a repeated Complete`;
      const isSame = typeof again === 'object' && again !== null && Reflect.get(again, 'etag') === etag;
      return isSame ? undefined : 'a repeated Complete makes another object';
    },
  },
];
