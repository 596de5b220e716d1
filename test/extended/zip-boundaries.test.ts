/**
 * Real archives at each limit of 4 GiB, sparse on disk, in our parser; and one of more than 4 GiB in the readers that
 * `npm run test:long` leaves out.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBeyond4Gib, useArchiveBeyond4Gib } from '#test/readers/beyond-4-gib.ts';
import { testArchivesAround4Gib } from '#test/support/archives/archives-around-4-gib.ts';
import { openZipBytes, writeSparseArchive, zeros } from '#test/support/archives/sparse-archive.ts';

describe('archives around 4 GiB', () => {
  let scratch = '';
  let open: Disposable | undefined;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'zipjobs-boundaries-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  function close(): void {
    open?.[Symbol.dispose]();
    open = undefined;
  }
  afterEach(close);

  testArchivesAround4Gib({
    bytes: zeros,
    write: async (fill, options) => {
      const path = join(scratch, 'archive.zip');
      close();
      // ext4 flushes a file to disk when it is closed after it was truncated and written again.
      await rm(path, { force: true });
      await writeSparseArchive(path, fill, options);
      const bytes = openZipBytes(path);
      open = bytes;
      return bytes;
    },
  });

  describe('in more readers', () => {
    readBeyond4Gib('in long runs', useArchiveBeyond4Gib());
  });
});
