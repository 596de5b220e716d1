/** Archives for tests: the real writer with generated bodies, into memory. */
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import {
  type Archive,
  type ArchiveEntry,
  type ArchiveOptions,
  createArchive,
} from '#zipper-image/archive/archive.ts';
import type { WrittenEntry } from '#zipper-image/archive/recorded-entry.ts';
import { createPartWriter } from '#zipper-image/store/part-writer.ts';
import { KeptParts } from './in-order-sink.ts';

export interface Given {
  readonly name: string;
  readonly body: Buffer;
  /** The whole body is passed at once; otherwise it streams. */
  readonly small?: boolean;
  /** The length is declared; the default. */
  readonly declared?: boolean;
  /** The CRC-32 is known before. */
  readonly crc32?: number;
  /** Chunk size of a body that streams. */
  readonly chunk?: number;
  readonly modified?: Date;
}

export const MODIFIED = new Date('2024-05-06T07:08:09Z');

/** Of no round size, so that any record of the format is split somewhere. */
const PART_BYTES = 50_021;

async function* inChunks(body: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) {
    // Each chunk is overwritten when the next one is read, like with a reused socket buffer.
    const chunk = Buffer.from(body.subarray(at, at + size));
    yield chunk;
    chunk.fill(0xee);
  }
}

export function archiveEntryOf({
  name,
  body,
  small,
  declared,
  crc32: known,
  chunk,
  modified,
}: Given): ArchiveEntry {
  return {
    name,
    modified: modified ?? MODIFIED,
    declaredLength: declared === false ? undefined : body.length,
    crc32: known,
    body: inChunks(body, chunk ?? 60_000),
    small: small === true ? body : undefined,
  };
}

/** Adds an entry and waits for its body. */
export async function addWhole(archive: Archive, entry: ArchiveEntry): Promise<WrittenEntry> {
  const { written } = await archive.add(entry);
  return written;
}

/** Returns the whole archive of the files. */
export async function makeArchive(
  files: Iterable<Given>,
  compression: Compression = 'auto',
  options: Partial<ArchiveOptions> = {},
): Promise<Buffer> {
  const parts = new KeptParts();
  const sink = createPartWriter({
    ...equalParts(PART_BYTES, 3),
    checksum: 'crc32',
    send: async ({ number, body, digests }) => {
      const crc = crc32(Buffer.concat(body));
      if (digests.kind !== 'crc32' || digests.crc32 !== crc)
        throw new Error(`wrong CRC-32 of part ${number}`);
      parts.add({ number, body });
      await setImmediate();
    },
  });
  const archive = createArchive({ compression, sink, ...options });
  for (const file of files) await archive.add(archiveEntryOf(file));
  const { bytes } = await archive.finish();
  await sink.finish();
  const whole = parts.bytes;
  if (bytes !== whole.length) throw new Error(`the writer reported ${bytes} bytes and wrote ${whole.length}`);
  return whole;
}
