/** Archives for tests: the real writer with generated bodies, into memory. */
import type { Compression } from '#crds/zip-job.ts';
import { type ArchiveEntry, type ArchiveOptions, createArchive } from '#zipper-image/archive/archive.ts';

export interface Given {
  readonly name: string;
  readonly body: Buffer;
  /** The whole body is passed at once; otherwise it streams. */
  readonly small?: boolean;
  /** The length is declared; the default. */
  readonly declared?: boolean;
  /** Chunk size of a body that streams. */
  readonly chunk?: number;
  readonly modified?: Date;
}

export const MODIFIED = new Date('2024-05-06T07:08:09Z');

async function* inChunks(body: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) {
    // Each chunk is overwritten when the next one is read, like with a reused socket buffer.
    const chunk = Buffer.from(body.subarray(at, at + size));
    yield chunk;
    chunk.fill(0xee);
  }
}

export function archiveEntryOf({ name, body, small, declared, chunk, modified }: Given): ArchiveEntry {
  return {
    name,
    modified: modified ?? MODIFIED,
    declaredLength: declared === false ? undefined : body.length,
    body: inChunks(body, chunk ?? 60_000),
    small: small === true ? body : undefined,
  };
}

/** Returns the whole archive of the files. */
export async function makeArchive(
  files: Iterable<Given>,
  compression: Compression = 'auto',
  options: Partial<ArchiveOptions> = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const archive = createArchive({
    compression,
    sink: {
      write: (chunk) => {
        chunks.push(Buffer.from(chunk));
        // Alternates between accepting at once and applying backpressure.
        return chunks.length % 97 === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined;
      },
    },
    ...options,
  });
  for (const file of files) await archive.add(archiveEntryOf(file));
  const { bytes } = await archive.finish();
  const whole = Buffer.concat(chunks);
  if (bytes !== whole.length) throw new Error(`the writer reported ${bytes} bytes and wrote ${whole.length}`);
  return whole;
}
