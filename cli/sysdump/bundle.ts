import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ZipArchive } from 'archiver';

export interface BundleOptions {
  /** Where the zip is in the end; until then it has another name. */
  readonly path: string;
  /** Most bytes of all entries together, before compression. */
  readonly maxBytes: number;
  readonly date: Date;
}

/** A zip under way. Disposed of before it is finished, it leaves no file. */
export interface Bundle extends AsyncDisposable {
  /** Bytes that still fit. */
  readonly bytesLeft: number;
  /** False when the text does not fit any more; it is then left out. */
  add(name: string, text: string): Promise<boolean>;
  /** Adds an entry whatever the limit says. */
  addAlways(name: string, text: string): Promise<void>;
  /** Completes the file and gives it its name. */
  finish(): Promise<void>;
}

/** Opens the file at once, so that a place where nothing can be written is known before anything is read. */
export const createBundle = ({ path, maxBytes, date }: BundleOptions): Bundle => {
  const partial = `${path}.partial-${process.pid}`;
  const archive = new ZipArchive({ zlib: { level: 6 } });
  const written = pipeline(archive, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
  // Told by whoever waits for it next.
  written.catch(() => undefined);
  const failed = written.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  let bytesLeft = maxBytes;
  let isFinished = false;

  // One entry at a time: the archive reads every source that it was given at once.
  const append = async (name: string, bytes: Buffer): Promise<void> => {
    bytesLeft -= bytes.length;
    const entry = once(archive, 'entry');
    archive.append(bytes, { name, date });
    await Promise.race([entry, failed]);
  };

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
};
