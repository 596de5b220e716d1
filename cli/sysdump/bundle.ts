import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ZipArchive } from 'archiver';

export interface BundleOptions {
  /** Final path of the zip. It has a temporary name until it is complete. */
  readonly path: string;
  /** Maximum size of all entries together, before compression. */
  readonly maxBytes: number;
  readonly date: Date;
}

/** A zip that is being written. Disposing of it before it is finished leaves no file. */
export interface Bundle extends AsyncDisposable {
  /** Bytes that still fit. */
  readonly bytesLeft: number;
  /** Returns false and skips the entry when the text does not fit. */
  add(name: string, text: string): Promise<boolean>;
  /** Adds an entry regardless of the limit. */
  addAlways(name: string, text: string): Promise<void>;
  /** Completes the file and renames it to its final path. */
  finish(): Promise<void>;
}

/** Opens the file first, so that an unwritable path fails before anything is read. */
export function createBundle({ path, maxBytes, date }: BundleOptions): Bundle {
  const partial = `${path}.partial-${randomUUID()}`;
  const archive = new ZipArchive({ zlib: { level: 6 } });
  const written = pipeline(archive, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
  // The next await of `written` or `failed` reports the error.
  written.catch(() => undefined);
  const failed = written.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  let bytesLeft = maxBytes;
  let isFinished = false;

  // Append one entry at a time: the archive reads all appended sources concurrently.
  async function append(name: string, bytes: Buffer): Promise<void> {
    bytesLeft -= bytes.length;
    const entry = once(archive, 'entry');
    archive.append(bytes, { name, date });
    await Promise.race([entry, failed]);
  }

  return {
    get bytesLeft() {
      return bytesLeft;
    },
    add: async (name, text) => {
      const bytes = Buffer.from(text);
      if (bytes.length > bytesLeft) return false;
      await append(name, bytes);
      return true;
    },
    addAlways: (name, text) => append(name, Buffer.from(text)),
    finish: async () => {
      await Promise.race([archive.finalize(), failed]);
      await written;
      await rename(partial, path);
      isFinished = true;
    },
    [Symbol.asyncDispose]: async () => {
      if (isFinished) return;
      archive.destroy();
      await written.catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}
