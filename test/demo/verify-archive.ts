import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import yauzl from 'yauzl';

const run = promisify(execFile);

/** The independent programs that can test an archive, in the order of preference. */
const TESTERS = [
  ['unzip', '-tqq'],
  ['7zz', 't'],
  ['bsdtar', '-tf'],
  ['python3', '-m', 'zipfile', '-t'],
] as const;

/** Without a UTF-8 locale unzip warns about every non-ASCII name, and its exit code is 1. */
const ENV = { ...process.env, LC_ALL: 'C.UTF-8' };

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Tests the archive with the first installed unzip program, and returns the command; undefined when there is
 * none.
 * @throws Error with the output of the program when the archive is damaged.
 */
export async function testWithUnzip(archive: string): Promise<string | undefined> {
  for (const [program, ...args] of TESTERS) {
    try {
      await run(program, [...args, archive], { maxBuffer: 64 * 1024 * 1024, env: ENV });
      return [program, ...args].join(' ');
    } catch (error) {
      if (!isMissing(error)) throw new Error(`${program} reported a damaged archive`, { cause: error });
    }
  }
  return undefined;
}

async function isSame(left: Readable, right: Readable): Promise<boolean> {
  const other = right[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of left as AsyncIterable<Buffer>) {
    while (rest.length < chunk.length) {
      const next = (await other.next()) as IteratorResult<Buffer>;
      if (next.done === true) return false;
      rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    }
    if (!chunk.equals(rest.subarray(0, chunk.length))) return false;
    rest = rest.subarray(chunk.length);
  }
  return rest.length === 0 && (await other.next()).done === true;
}

/**
 * Compares every entry, in order, byte for byte with its source, read by an independent reader.
 * @throws Error that names the first entry that differs.
 */
export async function compareWithSources(
  archive: string,
  sources: readonly { readonly filename: string; readonly path: string }[],
): Promise<void> {
  const zip = await yauzl.openPromise(archive, { lazyEntries: true });
  let index = 0;
  for await (const entry of zip.eachEntry()) {
    const source = sources[index];
    if (source?.filename !== entry.fileName)
      throw new Error(`entry ${index} is named ${entry.fileName}, not ${String(source?.filename)}`);
    if (!(await isSame(await zip.openReadStreamPromise(entry), createReadStream(source.path))))
      throw new Error(`entry ${index} (${entry.fileName}) differs from its source`);
    index += 1;
  }
  if (index !== sources.length) throw new Error(`the archive has ${index} entries, not ${sources.length}`);
}
